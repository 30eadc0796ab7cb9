"""How often one client may ask: a token bucket a client, the number of clients remembered bounded."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from smallprint.web.failures import answer
from smallprint.web.rendering import STATIC_PATH

# A bucket is two numbers: 4,096 clients take less than a megabyte.
CLIENTS = 4_096
REFILL_SECONDS = 60


class Buckets:
    """A bucket of tokens for each client, full at first and refilled over time; a request takes one."""

    def __init__(self, per_minute: int, *, clients: int = CLIENTS, clock: Callable[[], float] = time.monotonic) -> None:
        self._capacity = float(per_minute)
        self._per_second = per_minute / REFILL_SECONDS
        self._clients = clients
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._levels)

    def take(self, client: str) -> float:
        """Take a token: 0 if there was one, else the seconds until there is."""
        now = self._clock()
        level, at = self._levels.pop(client, (self._capacity, now))
        level = min(self._capacity, level + (now - at) * self._per_second)
        wait = 0.0 if level >= 1 else (1 - level) / self._per_second
        self._levels[client] = (level - 1 if not wait else level, now)
        self._forget(now)
        return wait

    def _forget(self, now: float) -> None:
        """Forget who has been quiet for a minute, whose bucket is full again, and whoever is too many."""
        while self._levels:
            client, (_, at) = next(iter(self._levels.items()))
            if now - at <= REFILL_SECONDS and len(self._levels) <= self._clients:
                return
            del self._levels[client]


class Rates:
    """ASGI middleware: refuses a client that asks too often, and says when to come back. Static files are free."""

    def __init__(self, app: ASGIApp, per_minute: int) -> None:
        self.app = app
        self.buckets = Buckets(per_minute) if per_minute else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the request."""
        if self.buckets is not None and scope["type"] == "http" and not scope["path"].startswith(STATIC_PATH + "/"):
            wait = self.buckets.take(client_of(scope))
            if wait:
                headers = {"Retry-After": str(math.ceil(wait))}
                await answer(scope, 429, headers=headers)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def client_of(scope: Scope) -> str:
    """Name who asks: the address, of IPv6 the first half, since a client commands all of the other."""
    host = str((scope.get("client") or ("unknown", 0))[0])
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if address.version == 6 and not address.is_loopback:
        return str(ipaddress.ip_network(f"{address}/64", strict=False))
    return str(address)
