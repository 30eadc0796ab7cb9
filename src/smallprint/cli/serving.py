"""The command that serves the pages: it says where, stays quiet, and ends cleanly."""

from __future__ import annotations

import errno
import secrets
import socket
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from smallprint.cli.options import JsonOption, LibraryOption
from smallprint.cli.output import print_json_line
from smallprint.limits import MAX_BACKLOG

if TYPE_CHECKING:
    from fastapi import APIRouter

    from smallprint.settings import Settings

TOKEN_BYTES = 24


def serve(
    host: Annotated[
        str | None, typer.Option("--host", help="The address to listen on.", show_default="the setting 'serve_host'")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", "-p", min=0, max=65_535, help="The port; 0 takes any that is free.",
                     show_default="the setting 'serve_port'"),
    ] = None,
    alexa: Annotated[
        bool, typer.Option("--alexa", help="Also answer the Alexa skill named by 'alexa_skill_id', at /alexa.")
    ] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Serve the pages on this machine, until Ctrl-C."""
    from smallprint.library import Library
    from smallprint.settings import load

    settings = load(library=library, serve_host=host, serve_port=port)
    voice = _voice(settings) if alexa else {}
    Library(settings.library).close()  # so that a library that cannot be used is told of now
    with listening(settings.serve_host, settings.serve_port) as listener:
        from smallprint.api import router
        from smallprint.web.access import is_loopback
        from smallprint.web.app import application
        from smallprint.web.server import run

        address = address_of(settings.serve_host, listener.getsockname()[1])
        is_open = is_loopback(settings.serve_host)
        token = "" if is_open or settings.serve_token else secrets.token_urlsafe(TOKEN_BYTES)
        if as_json:
            print_json_line({"address": address, "library": settings.library, **({"token": token} if token else {})})
        else:
            typer.echo(f"Reading {settings.library} at {address} (Ctrl-C to stop)")
            if not is_open:
                typer.echo("Whoever reaches this machine can read, search and ask.", err=True)
            if token:
                typer.echo(f"To keep policies, give feedback or fetch, sign in at {address}sign-in: {token}", err=True)
        settings = replace(settings, serve_token=settings.serve_token or token)
        app = application(settings, routers=[router, *voice.values()], any_name=voice)
        app.state.jobs.warm_up()  # models load beside, while the first pages are served
        with suppress(KeyboardInterrupt):  # which the server passes on when it has ended
            run(app, listener)
        typer.echo("\nStopped.", err=True)


def _voice(settings: Settings) -> dict[str, APIRouter]:
    """Make the endpoint for Alexa, by its path, or say in one line what is missing."""
    from smallprint.errors import MissingExtra

    try:
        from smallprint.voice.endpoint import PATH, alexa_router
    except ModuleNotFoundError as error:
        raise MissingExtra(f"a voice needs {error.name}; run 'make alexa-install'") from None
    return {PATH: alexa_router(settings)}


def listening(host: str, port: int) -> socket.socket:
    """Take hold of the address, or say in one line why not."""
    from smallprint.errors import BadSetting

    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return _bound(family, host, port)
    except socket.gaierror:
        raise BadSetting(f"{host!r} is no address of this machine; choose another with --host") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise BadSetting(
                f"port {port} on {host} is in use, perhaps by another 'smallprint serve'; stop that, or choose "
                f"another port with --port {port + 1 if port < 65_535 else 0}"
            ) from None
        if error.errno == errno.EADDRNOTAVAIL:
            raise BadSetting(f"{host!r} is no address of this machine; choose another with --host") from None
        if error.errno in {errno.EACCES, errno.EPERM}:
            raise BadSetting(f"port {port} may not be used by you; choose one above 1023 with --port") from None
        raise


def _bound(family: int, host: str, port: int) -> socket.socket:
    from smallprint.web.server import Listener

    listener = Listener(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(MAX_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def address_of(host: str, port: int) -> str:
    """Write the address for a browser's address bar."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not listened on
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"
