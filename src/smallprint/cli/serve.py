"""The commands `serve`, `alexa-model` and `mcp`, which offer the library to browsers, programs and models."""

from __future__ import annotations

import errno
import secrets
import socket
from contextlib import ExitStack, suppress
from dataclasses import replace

from typer import Option

from smallprint.cli.options import JsonOption, Run, import_from_extra
from smallprint.cli.output import print_json, say
from smallprint.errors import BadSetting
from smallprint.limits import MAX_BACKLOG

TOKEN_BYTES = 24


def serve(
    run: Run,
    host: str | None = Option(
        None, help="The address to listen on.", show_default="the setting 'serve_host'"
    ),
    port: int | None = Option(
        None, "--port", "-p", min=0, max=65_535, help="The port; 0 takes any that is free.",
        show_default="the setting 'serve_port'",
    ),
    alexa: bool = Option(False, "--alexa", help="Also answer the Alexa skill 'alexa_skill_id', at /alexa."),
) -> None:  # fmt: skip
    """Serve the library as web pages and an API, until Ctrl-C."""
    with run.open_shelf(serve_host=host, serve_port=port) as shelf:  # a library that cannot be used fails here
        settings = shelf.settings
    voice = {}
    if alexa:
        endpoint = import_from_extra("alexa", "smallprint.voice.endpoint", "a voice needs")
        voice = {endpoint.PATH: endpoint.alexa_router(settings)}
    with listening(settings.serve_host, settings.serve_port) as listener:
        from smallprint.api import router
        from smallprint.server import http_server
        from smallprint.server.access import is_loopback
        from smallprint.web.app import application

        address = address_of(settings.serve_host, listener.getsockname()[1])
        is_open = is_loopback(settings.serve_host)
        token = "" if is_open or settings.serve_token else secrets.token_urlsafe(TOKEN_BYTES)
        if run.as_json:
            facts = {"address": address, "library": settings.library, **({"token": token} if token else {})}
            print_json(facts, indent=None)
        else:
            say(f"Serving {settings.library} at {address} (Ctrl-C to stop)")
            if not is_open:
                say("Everybody who can reach this machine can read, search and ask.", err=True)
            if token:
                say(f"To keep policies, give feedback or fetch, sign in at {address}sign-in: {token}", err=True)
        settings = replace(settings, serve_token=settings.serve_token or token)
        app = application(settings, routers=[router, *voice.values()], any_name=voice)
        app.state.jobs.warm_up()  # models load in the background while the first pages are served
        with suppress(KeyboardInterrupt):  # which the server passes on when it has ended
            http_server.run(app, listener)
        say("\nStopped.", err=True)


def alexa_model(
    locale: str = Option("en-US", help="The language: 'en-US' or 'en-GB'."), as_json: JsonOption = True
) -> None:
    """Print the Alexa skill's interaction model, as JSON for the developer console."""
    from smallprint.voice.requests import interaction_model

    print_json(interaction_model(locale))


def mcp(run: Run) -> None:
    """Offer the library to a language model as tools (MCP), over standard input and output."""
    with run.open_shelf() as shelf:
        server = import_from_extra("mcp", "smallprint.mcp.server", "tools for a language model need")
        print_json(server.described(shelf)) if run.as_json else server.run(shelf)


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; BadSetting says why none can."""
    from smallprint.server.http_server import Listener

    try:
        with ExitStack() as unless_listening:
            listener = Listener(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0])
            unless_listening.callback(listener.close)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(MAX_BACKLOG)
            unless_listening.pop_all()
        return listener
    except OSError as error:
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            raise BadSetting(f"{host!r} is not an address of this machine; choose another with --host") from None
        if error.errno == errno.EADDRINUSE:
            raise BadSetting(
                f"port {port} on {host} is in use, perhaps by another 'smallprint serve'; stop that, or choose "
                f"another port with --port {port + 1 if port < 65_535 else 0}"
            ) from None
        if error.errno in {errno.EACCES, errno.EPERM}:
            raise BadSetting(f"you may not use port {port}; choose one above 1023 with --port") from None
        raise


def address_of(host: str, port: int) -> str:
    """Return the address for a browser's address bar."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not listened on
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"
