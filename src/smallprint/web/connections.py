"""The server's connections: a deadline on each of their phases, and a limit on how many there are at once.

uvicorn itself sets a deadline on idle connections only. `Connection` is its HTTP connection with a record of how long
its client has been awaited; `Connections.sweep`, called about once a second, aborts what is overdue.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

from uvicorn.protocols.http.h11_impl import H11Protocol

from smallprint.limits import BODY_SECONDS, HEAD_SECONDS, UNREAD_BYTES, UNREAD_SECONDS

Phase = Literal["head", "body", "answer", "unread"]
# An answer is ours to give; web.deadlines bounds the time it takes.
SECONDS: Mapping[Phase, float] = {
    "head": HEAD_SECONDS, "body": BODY_SECONDS, "answer": math.inf, "unread": UNREAD_SECONDS,
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
        """Tell whether the client has taken too long in one phase without getting on; to be asked regularly."""
        phase, buffered = self.phase, self.transport.get_write_buffer_size()
        watched = (phase, self.cycle, self._resumed)
        if watched != self._watched or self._buffered - buffered >= UNREAD_BYTES:
            self._watched, self._since, self._buffered = watched, now, buffered
        return now - self._since > SECONDS[phase]

    def abort(self) -> None:
        """End the connection at once, whatever is still to be sent."""
        self.transport.abort()


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

        Only where every other is being answered, the new one is: whoever opens many and says nothing cannot keep
        others out.
        """
        self._open[connection] = None
        if len(self._open) > self.most:
            waiting = (other for other in self._open if other.phase in {"head", "body"})
            victim = next(waiting)  # the new one, if no other
            self.forget(victim)
            victim.abort()

    def forget(self, connection: Connection) -> None:
        """Let go of a connection that has ended."""
        self._open.pop(connection, None)

    async def sweep(self) -> None:
        """Abort whatever is overdue."""
        now = self._clock()
        for connection in [one for one in self._open if one.is_overdue(now)]:
            connection.abort()


def connection_class(registry: Connections) -> type[Connection]:
    """Return the class of connections that belong to a registry, for uvicorn to make one of for each client."""
    return type("RegisteredConnection", (Connection,), {"registry": registry})
