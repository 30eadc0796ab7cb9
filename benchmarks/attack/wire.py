"""Requests as attackers send them: from any address of loopback, whole or in pieces, with whatever headers."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle
from urllib.parse import urlencode

SECONDS = 60.0
# Attackers come from many addresses, so that no rate limit on one of them hides what they do together.
ATTACKERS = tuple(f"127.0.0.{number}" for number in range(2, 18))


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; status 0 where nothing did."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()

    def header(self, name: str) -> str:
        """Return the value of a header, empty where there is none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


@dataclass(frozen=True, slots=True)
class Request:
    """A request to be sent."""

    path: str
    method: str = "GET"
    body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()
    source: str = ATTACKERS[0]


def form(path: str, fields: dict[str, str], headers: Iterable[tuple[str, str]] = (), source: str = "") -> Request:
    """Make the request that a form sends."""
    encoded = (("Content-Type", "application/x-www-form-urlencoded"), *headers)
    return Request(path, "POST", urlencode(fields).encode(), tuple(encoded), source or ATTACKERS[0])


def send(port: int, request: Request, seconds: float = SECONDS) -> Reply:
    """Send a request and read its whole reply."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds, source_address=(request.source, 0))
    try:
        connection.request(request.method, request.path, request.body, dict(request.headers))
        reply = connection.getresponse()
        return Reply(reply.status, reply.read(), tuple(reply.getheaders()))
    except (OSError, http.client.HTTPException):
        return Reply(0)
    finally:
        connection.close()


def send_all(port: int, requests: Iterable[Request], at_once: int = 16) -> list[Reply]:
    """Send requests, many at once, each from the next attacker's address, and return the replies in order."""
    spread = [
        Request(request.path, request.method, request.body, request.headers, source)
        for request, source in zip(requests, cycle(ATTACKERS), strict=False)
    ]
    with ThreadPoolExecutor(at_once) as threads:
        return list(threads.map(lambda request: send(port, request), spread))


def opened(port: int, source: str) -> socket.socket | None:
    """Open a connection and send nothing; None where it is refused."""
    try:
        return socket.create_connection(("127.0.0.1", port), timeout=2.0, source_address=(source, 0))
    except OSError:
        return None
