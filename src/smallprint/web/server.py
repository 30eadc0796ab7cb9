"""The HTTP server: an application and an address in, requests answered until it is told to stop.

Nothing it writes says what was asked: no access log, and of failures only their kind and place.
"""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
import sys
import threading
from contextlib import suppress
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from smallprint.limits import IDLE_SECONDS, MAX_BACKLOG, MAX_CONNECTIONS, MAX_HEAD_BYTES
from smallprint.web.connections import Connections, connection_class
from smallprint.web.failures import note

# Seconds that requests under way may take when the server is told to stop.
GRACE_SECONDS = 2
# Descriptors for everything else: the library's pool takes some 30, the indexes 60, the standard streams and pipes of
# worker processes the rest.
RESERVED = 256
NO_DESCRIPTORS = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class Listener(socket.socket):
    """A listening socket that stays calm when the process has no descriptor left.

    Without this asyncio tries again at once and writes a traceback each time (44 MB in 13 s were measured). A spare
    descriptor is given up to accept the connection, which is then closed.
    """

    def __init__(self, family: int) -> None:
        # Without the protocol's name asyncio leaves Nagle's algorithm on, and every answer waits 40 ms.
        super().__init__(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._spare: int | None = os.open(os.devnull, os.O_RDONLY)

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection; BlockingIOError, which means "no more for now", where it had to be closed."""
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in NO_DESCRIPTORS or self._spare is None:
                raise
        os.close(self._spare)
        self._spare = None
        with suppress(OSError):
            super().accept()[0].close()
        self._spare = os.open(os.devnull, os.O_RDONLY)
        raise BlockingIOError(errno.EAGAIN, "no descriptor was left for this connection")

    def close(self) -> None:
        """Close the socket and its spare."""
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None
        super().close()


def server_of(app: ASGIApp, connections: Connections | None = None) -> uvicorn.Server:
    """Make a server whose connections have deadlines and a limit."""
    if connections is None:
        connections = Connections(connection_limit(raise_descriptor_limit()))
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=connection_class(connections),
            ws="none",
            backlog=MAX_BACKLOG,
            timeout_keep_alive=IDLE_SECONDS,
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            callback_notify=connections.sweep,
            timeout_notify=1,
            access_log=False,  # nothing writes down what people look for
            log_config=None,
            log_level="critical",
            server_header=False,
            proxy_headers=False,  # or anybody could claim to be another client
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
    )


def run(app: ASGIApp, listener: socket.socket) -> None:
    """Serve an application until SIGINT or SIGTERM."""
    quieten()
    asyncio.run(_serve(server_of(app), listener))


async def _serve(server: uvicorn.Server, listener: socket.socket) -> None:
    asyncio.get_running_loop().set_exception_handler(_on_loop_error)
    await server.serve(sockets=[listener])


def quieten() -> None:
    """Have errors that nobody catches noted by kind and place: their messages may hold what somebody asked."""
    threading.excepthook = lambda failed: _note(failed.exc_value)
    sys.unraisablehook = lambda failed: _note(failed.exc_value)


def _on_loop_error(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    _note(context.get("exception"))


def _note(error: BaseException | None) -> None:
    # That descriptors are lacking is no fault of a request, and is said as often as a connection comes.
    if isinstance(error, Exception) and not (isinstance(error, OSError) and error.errno in NO_DESCRIPTORS):
        note(error)


def raise_descriptor_limit() -> int:
    """Take as many descriptors as the system allows this process, and return how many those are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + MAX_BACKLOG + RESERVED
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    return wanted if soft == resource.RLIM_INFINITY else soft


def connection_limit(descriptors: int) -> int:
    """Return how many connections there may be: as many as descriptors allow after a whole backlog was accepted."""
    return max(16, min(MAX_CONNECTIONS, descriptors - MAX_BACKLOG - RESERVED))
