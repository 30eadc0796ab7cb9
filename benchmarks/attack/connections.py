"""Point 5: connections that say nothing, half a request, a body that drips, and exports that nobody reads."""

from __future__ import annotations

import socket
import time
from contextlib import suppress

from outcome import Outcome
from server import Server
from wire import ATTACKERS, Request, opened, send

UNFINISHED = b"GET /search?q=cookies HTTP/1.1\r\nHost: 127.0.0.1\r\nX-"
DRIPPING = b"POST /read HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n"
UNREAD = b"GET /api/v1/export?format=csv HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
OPENINGS = (b"", UNFINISHED, DRIPPING, UNREAD)
# The most that a server may write about 1,200 connections that come to nothing.
MOST_LOGGED = 100_000


def attack(server: Server, *, quick: bool) -> Outcome:
    """Hold many connections open, drip into them for a while, and see that others are still served."""
    count, seconds = (200, 3.0) if quick else (1_200, 30.0)
    logged_before = server.errors.stat().st_size
    connections: list[socket.socket] = []
    for number in range(count):
        connection = opened(server.port, ATTACKERS[number % len(ATTACKERS)])
        if connection is None:
            continue
        with suppress(OSError):
            connection.sendall(OPENINGS[number % len(OPENINGS)])
        connections.append(connection)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for connection in connections:
            with suppress(OSError):
                connection.send(b"a")
        time.sleep(0.5)
    broken = []
    if send(server.port, Request("/about", source="127.0.0.1"), 10.0).status != 200:
        broken.append("no page while they are held")
    for connection in connections:
        connection.close()
    if server.process.poll() is not None:
        broken.append("the server ended")
    logged = server.errors.stat().st_size - logged_before
    if logged > MOST_LOGGED:
        broken.append(f"{logged:,} bytes were logged")
    return Outcome(count, tuple(broken))
