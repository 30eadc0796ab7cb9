"""How much one client may ask for: every request has a price, and every client a bucket of points that refills."""

from __future__ import annotations

import ipaddress
import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import ASGIApp, Scope

from smallprint.addresses import STATIC_PATH
from smallprint.server.failures import answer
from smallprint.server.middleware.safety import Guard
from smallprint.server.remembered import Remembered

# A bucket is two numbers: 4,096 clients take less than a megabyte.
CLIENTS = 4_096
REFILL_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Price:
    """What a kind of request costs. `pattern` is matched with "METHOD /path", and a "?" where there is a query."""

    what: str
    points: int
    pattern: str


# By what they cost the server: a page of results takes some 10 ms of work, a first answer or a reading far more.
PRICES: tuple[Price, ...] = (
    Price("a file of the pages, such as a style sheet", 0, rf"\w+ {STATIC_PATH}/.*"),
    Price("a question", 5, r"\w+ (/ask\?|/policies/[^/]+/ask\?|/api/v1/ask\b.*)|POST (/ask|/api/v1/chat)\b.*"),
    Price("a comparison, or what changed", 3, r"\w+ (/compare\?|/policies/[^/]+/diff\b.*)"),
    Price("a text that is pasted, or an address", 20, r"POST /read\??"),
    Price("a text that was pasted, opened again", 5, r"\w+ /read/.*"),
    Price("a policy that is kept", 40, r"POST /keep\b.*"),
    Price("a token that is tried", 20, r"POST /sign-in\b.*"),
    Price("an export", 20, r"\w+ /api/v1/export\b.*"),
    Price("anything else", 1, r".*"),
)
_PATTERNS = tuple((re.compile(price.pattern, re.DOTALL), price.points) for price in PRICES)


def price_of(scope: Scope) -> int:
    """Return what a request costs: the first price whose pattern it fits."""
    asked = f"{scope['method']} {scope['path']}{'?' if scope['query_string'] else ''}"
    return next(points for pattern, points in _PATTERNS if pattern.fullmatch(asked))


class Buckets(Remembered[tuple[float, float]]):
    """A bucket of points for each client, full at first and refilled over time; a request takes its price."""

    def __init__(self, per_minute: int, *, clients: int = CLIENTS, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clients, REFILL_SECONDS, clock)  # who was quiet for so long has a full one again
        self._capacity, self._per_second = float(per_minute), per_minute / REFILL_SECONDS

    def take(self, client: str, price: int = 1) -> float:
        """Take a price and return 0, or return the seconds until there is enough, and take nothing.

        What costs more than a bucket holds takes a whole one.
        """
        level, now = self._level(client)
        cost = min(float(price), self._capacity)
        wait = 0.0 if level >= cost else (cost - level) / self._per_second
        self.put(client, (level if wait else level - cost, now))
        return wait

    def wait(self, client: str) -> float:
        """Return the seconds until a client has a point, and take none."""
        level, _ = self._level(client)
        return 0.0 if level >= 1 else (1 - level) / self._per_second

    def _level(self, client: str) -> tuple[float, float]:
        now = self._clock()
        level, at = self.get(client) or (self._capacity, now)
        return min(self._capacity, level + (now - at) * self._per_second), now


class Rates(Guard):
    """Refuses a client that asks for too much, and says when to come back."""

    def __init__(self, app: ASGIApp, per_minute: int) -> None:
        super().__init__(app)
        self.buckets = Buckets(per_minute) if per_minute else None

    def refusal(self, scope: Scope) -> Response | None:
        """Take the request's price."""
        if self.buckets is None or not (price := price_of(scope)):
            return None
        wait = math.ceil(self.buckets.take(client_of(scope), price))
        when = f"Too much was asked for from there. Come back in {wait} second{'' if wait == 1 else 's'}."
        return answer(scope, 429, when, {"Retry-After": str(wait)}) if wait else None


def client_of(scope: Scope) -> str:
    """Name who asks: a client's address, of IPv6 the first half, since a client commands all of the other."""
    host = str((scope.get("client") or ("unknown", 0))[0])
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if address.version == 6 and not address.is_loopback:
        return str(ipaddress.ip_network(f"{address}/64", strict=False))
    return str(address)
