"""The HTTP server: an application and an address in, requests answered until it is told to stop.

Nothing it writes says what was asked: no access log, and of failures only their kind and place. uvicorn itself sets a
deadline on idle connections only: `Connection` is its HTTP connection with a record of how long its client has been
awaited, and `Connections.sweep`, called about once a second, aborts what is overdue.
"""

from __future__ import annotations

import asyncio
import errno
import math
import os
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Literal

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from smallprint import limits
from smallprint.limits import IDLE_SECONDS, MAX_BACKLOG, MAX_CONNECTIONS
from smallprint.server.failures import note

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


Phase = Literal["head", "body", "answer", "unread"]
# An answer is ours to give; middleware.deadlines bounds the time it takes.
SECONDS: Mapping[Phase, float] = {
    "head": limits.HEAD_SECONDS, "body": limits.BODY_SECONDS, "answer": math.inf, "unread": limits.UNREAD_SECONDS,
}  # fmt: skip


class Connection(H11Protocol):
    """An HTTP connection that knows how long its client has been awaited."""

    registry: Connections

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._resumed = 0
        self._watched: tuple[object, ...] = ()
        self._since, self._buffered = 0.0, 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, if there is room for it."""
        super().connection_made(transport)
        self.registry.admit(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the registry."""
        self.registry.forget(self)
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        """Count how often the client has caught up with what is sent to it."""
        super().resume_writing()
        self._resumed += 1

    @property
    def phase(self) -> Phase:
        """What happens on the connection: a head or body is awaited, an answer made, or an answer is not yet read."""
        if self.transport.get_write_buffer_size():
            return "unread"
        if self.cycle is not None and self.cycle.more_body:
            return "body"  # even where it was answered already, as what is too large is
        return "head" if self.cycle is None or self.cycle.response_complete else "answer"

    def is_overdue(self, now: float) -> bool:
        """Return whether the client has taken too long in one phase without getting on; to be asked regularly."""
        phase, buffered = self.phase, self.transport.get_write_buffer_size()
        watched = (phase, self.cycle, self._resumed)
        if watched != self._watched or self._buffered - buffered >= limits.UNREAD_BYTES:
            self._watched, self._since, self._buffered = watched, now, buffered
        return now - self._since > SECONDS[phase]


class Connections:
    """All connections of a server, the oldest first, and at most `most` of them."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._clock = clock
        self._open: dict[Connection, None] = {}

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, connection: Connection) -> None:
        """Take a connection in. Where there are too many, the oldest whose request is not complete is aborted.

        Whoever opens many and says nothing cannot keep others out.
        """
        self._open[connection] = None
        if len(self._open) > self.most:
            waiting = (other for other in self._open if other.phase in {"head", "body"})
            victim = next(waiting)  # the new one, if no other
            self.forget(victim)
            victim.transport.abort()

    def forget(self, connection: Connection) -> None:
        """Let go of a connection that has ended."""
        self._open.pop(connection, None)

    async def sweep(self) -> None:
        """Abort whatever is overdue."""
        now = self._clock()
        for connection in list(self._open):
            if connection.is_overdue(now):
                connection.transport.abort()


def server_of(app: ASGIApp, connections: Connections | None = None) -> uvicorn.Server:
    """Make a server whose connections have deadlines and a limit."""
    if connections is None:
        connections = Connections(connection_limit(raise_descriptor_limit()))
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=type("RegisteredConnection", (Connection,), {"registry": connections}),
            ws="none",
            backlog=MAX_BACKLOG,
            timeout_keep_alive=IDLE_SECONDS,
            h11_max_incomplete_event_size=limits.MAX_HEAD_BYTES,
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
