"""What a site lets the crawler fetch, from its robots.txt (RFC 9309), and how often, from that and our own settings."""

from __future__ import annotations

import asyncio
import email.utils
import re
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC
from typing import NamedTuple
from weakref import WeakValueDictionary

import httpx2
from protego import Protego

from smallprint import limits
from smallprint.errors import NotFetched
from smallprint.settings import Settings

REMEMBERED = 5_000  # origins, so that memory stays bounded on a long crawl; a site's addresses stand close together
FOREVER = 1e9  # seconds, the longest wait that is remembered
UNREADABLE_REST = 3_600.0  # seconds until a site whose robots.txt cannot be read is asked again

AGENT_LINE = re.compile(r"\s*user[-\s]*agent", re.IGNORECASE)
RULE_LINE = re.compile(r"\s*(dis)?allow\s*:", re.IGNORECASE)
PRODUCT = re.compile(r"[A-Za-z_-]+")

Read = Callable[[httpx2.URL], Awaitable[tuple[int, bytes]]]


class Later(NotFetched):
    """A fetch that failed for now; `seconds` says how long to wait, if anybody said so."""

    def __init__(self, message: str, seconds: float | None = None) -> None:
        super().__init__(message)
        self.seconds = seconds


def retry_after(value: str | None) -> float | None:
    """Read a Retry-After header, in seconds or as a date, as seconds from now."""
    if not value:
        return None
    if value.strip().isdecimal():
        return min(float(value), FOREVER)
    try:
        date = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - time.time())


class Pace:
    """Lets one request at a time through to a host, and a rest after each, counted from its end."""

    def __init__(self, settings: Settings) -> None:
        self._rest = settings.crawl_delay
        self._patience = settings.crawl_max_wait
        self._free_at: dict[str, float] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, host: str, rest: float = 0.0) -> AsyncIterator[None]:
        """Wait for a host to be free, hold it, then let it rest; raise Later where the wait would be too long."""
        lock = self._locks.setdefault(host, asyncio.Lock())
        async with lock:
            wait = self.wait(host)
            if wait > self._patience:
                raise Later(f"{host} wants {wait:.0f} s between requests", wait)
            await asyncio.sleep(wait)
            try:
                yield
            finally:
                self.hold(host, max(rest, self._rest))

    def hold(self, host: str, seconds: float) -> None:
        """Leave a host alone for that long from now, or longer if that was agreed before."""
        now = asyncio.get_running_loop().time()
        if len(self._free_at) > REMEMBERED:
            self._free_at = {host: free_at for host, free_at in self._free_at.items() if free_at > now}
        self._free_at[host] = max(self._free_at.get(host, 0.0), now + seconds)

    def wait(self, host: str) -> float:
        """Return how many seconds a host must still be left alone."""
        return max(0.0, self._free_at.get(host, 0.0) - asyncio.get_running_loop().time())


@dataclass(frozen=True, slots=True)
class Rules:
    """What one origin allows, and the seconds it wants between two requests."""

    parsed: Protego
    agent: str

    def allow(self, url: httpx2.URL) -> bool:
        """Return whether an address may be fetched."""
        return self.parsed.can_fetch(str(url), self.agent)

    @property
    def delay(self) -> float:
        """Return the Crawl-delay; 0 where there is none."""
        return self.parsed.crawl_delay(self.agent) or 0.0


class _Failures(NamedTuple):
    tries: int
    detail: str
    is_final: bool


class Robots:
    """The rules of every origin met on this run; `read` fetches a robots.txt, following redirects.

    A robots.txt that is missing (4xx) allows everything. One that cannot be read for now (no connection, 429, 5xx)
    allows nothing: `read` raises Later then, and after as many tries as the settings grant the origin stays closed.
    """

    def __init__(self, read: Read, settings: Settings) -> None:
        self._read = read
        self._retries = settings.crawl_retries
        self._closed_for = max(UNREADABLE_REST, 2 * settings.crawl_max_wait)  # never sat out within a run
        product = PRODUCT.match(settings.crawl_user_agent)
        self._agent = product[0] if product else settings.crawl_user_agent
        self._known: OrderedDict[str, Rules | _Failures] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def rules(self, url: httpx2.URL) -> Rules:
        """Return the rules for an address's origin; raise Later where they cannot be read."""
        origin = f"{url.scheme}://{url.netloc.decode('ascii')}"
        lock = self._locks.setdefault(origin, asyncio.Lock())
        async with lock:
            known = self._known.get(origin)
            if isinstance(known, Rules):
                self._known.move_to_end(origin)
                return known
            if known and known.is_final:
                raise NotFetched(known.detail)
            if known and known.tries > self._retries:
                raise Later(known.detail, self._closed_for)
            return await self._load(origin, known.tries if known else 0)

    async def _load(self, origin: str, failures: int) -> Rules:
        try:
            status, content = await self._read(httpx2.URL(f"{origin}/robots.txt"))
            rules = Rules(_parsed(content if 200 <= status < 300 else b""), self._agent)
        except NotFetched as error:
            known = _Failures(failures + 1, f"robots.txt cannot be read: {error}", not isinstance(error, Later))
            self._remember(origin, known)
            if isinstance(error, Later):
                wait = self._closed_for if known.tries > self._retries else error.seconds
                raise Later(known.detail, wait) from None
            raise NotFetched(known.detail) from None
        self._remember(origin, rules)
        return rules

    def _remember(self, origin: str, known: Rules | _Failures) -> None:
        self._known[origin] = known
        self._known.move_to_end(origin)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def _parsed(content: bytes) -> Protego:
    # A line cut off by the size limit would be a rule that nobody wrote.
    whole = content if len(content) < limits.MAX_ROBOTS_BYTES else content[: content.rfind(b"\n") + 1]
    text = whole.decode("utf-8-sig", "replace")
    if _is_tangled(text):
        raise NotFetched("it has more rules than anybody could follow")
    return Protego.parse(text)


def _is_tangled(text: str) -> bool:
    """Count at least as many rules as Protego would make, and agents; tell whether they are too many."""
    agents = group = rules = 0
    group_ended = False
    for line in text.splitlines():
        if AGENT_LINE.match(line):
            group, group_ended = (1 if group_ended else group + 1), False
            agents += 1
        elif line.strip():
            rules += group
            group_ended = group_ended or RULE_LINE.match(line) is not None
    return rules > limits.MAX_ROBOTS_RULES or agents > limits.MAX_ROBOTS_AGENTS
