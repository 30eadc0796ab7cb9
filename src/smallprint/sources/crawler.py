"""The crawl: what is due on the frontier in, one record for each address out; many hosts at once, each left in peace.

The crawler only reads the frontier. Whoever takes a `Fetched` stores what it holds and notes it on the frontier, all in
one transaction: `add(links)`, then `retry(item.url, retry_at)` where `retry_at` is set, and `done(item.url, outcome)`
where it is not. So a crawl may be stopped or killed at any time, and the next begins where the last commit ended.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol, Self

from anyio.from_thread import start_blocking_portal

from smallprint import limits
from smallprint.domains import host_of
from smallprint.errors import BadAddress, JobFailed, NotFetched, TooSlow
from smallprint.processes.jobs import Jobs
from smallprint.processes.worker import Limits
from smallprint.records import FrontierItem, Page, Reason, Rejection
from smallprint.settings import Settings
from smallprint.sources.fetcher import SOURCE, Fetched, Fetcher, now
from smallprint.sources.guard import Network, TooLarge, guarded_pool
from smallprint.sources.links import policy_links
from smallprint.sources.robots import Later, Pace

AHEAD = 64  # addresses held in memory for each host visited at once
LEAST_BACK_OFF = 0.05  # seconds, also where crawl_delay is 0


class Due(Protocol):
    """Returns the next addresses of a frontier numbered above `after`, by rising number: none done or not due yet."""

    def __call__(self, limit: int, *, after: int = 0) -> list[FrontierItem]:
        """Return at most `limit` of them."""


def crawl_pages(
    due: Due, settings: Settings, *, network: Network | None = None, jobs: Jobs | None = None
) -> Generator[Fetched | None, None, None]:
    """Visit what is due, and yield what came of each address, no address twice.

    A None among them says that all that was due has been handed over: commit, and `due` is asked once more, for links
    found on the way. The crawl ends when there are none. Fetching goes on in a thread of its own while the caller
    works; `due` is only called in the caller's thread. Close the generator (contextlib.closing) to stop early.
    """
    after, idle = 0, False  # by number, so that no address comes up again before it is noted as done
    with (
        start_blocking_portal(name="crawler") as portal,
        portal.wrap_async_context_manager(Visits(settings, network, jobs)) as visits,
    ):
        while True:
            room = visits.room()
            items = due(room, after=after) if room else []
            after = items[-1].number if items else after
            portal.call(visits.add, items)
            fetched = portal.call(visits.next)
            if fetched is None and idle:
                return
            idle = fetched is None
            yield fetched


@dataclass(slots=True)
class _Visit:
    item: FrontierItem
    tries: int = 0
    knows_rules: bool = False


class Visits:
    """The addresses under way: a queue for each host, and workers that take the hosts whose turn it is.

    Home pages are parsed by `jobs`, or by a process of its own: one that was made to take long stops nobody else.
    """

    def __init__(self, settings: Settings, network: Network | None = None, jobs: Jobs | None = None) -> None:
        self._settings = settings
        self._hosts = max(1, settings.crawl_hosts)
        self._pool = guarded_pool(network or Network(), allow_private=settings.crawl_private, connections=self._hosts)
        self._pace = Pace(settings)
        self._fetcher = Fetcher(settings, self._pool, self._pace)
        self._jobs, self._has_own_jobs = jobs or Jobs(1), jobs is None
        self._queues: dict[str, deque[_Visit]] = {}
        self._under_way = 0
        self._workers: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._turns: asyncio.Queue[str] = asyncio.Queue()
        # Bounded, so that pages wait in memory for a slow caller only up to twice the number of hosts.
        self._results: asyncio.Queue[Fetched] = asyncio.Queue(self._hosts)
        self._workers = [asyncio.create_task(self._work()) for _ in range(self._hosts)]
        return self

    async def __aexit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        await self._pool.aclose()
        if self._has_own_jobs:
            await asyncio.to_thread(self._jobs.close)

    def room(self) -> int:
        """Return how many more addresses may be added; 0 until half of the room is free."""
        room = AHEAD * self._hosts - self._under_way
        return room if 2 * room >= AHEAD * self._hosts else 0

    def add(self, items: Iterable[FrontierItem]) -> None:
        """Queue addresses, each under its host."""
        for item in items:
            self._under_way += 1
            host = _host(item)
            if host not in self._queues:
                self._queues[host] = deque()
                self._schedule(host)
            self._queues[host].append(_Visit(item))

    async def next(self) -> Fetched | None:
        """Wait for an address to come to its end; None where none is under way."""
        if not self._under_way:
            return None
        fetched = await self._results.get()
        self._under_way -= 1
        return fetched

    async def _work(self) -> None:
        while True:
            host = await self._turns.get()
            visit = self._queues[host].popleft()
            fetched = await self._outcome(host, visit)
            if fetched is None:
                self._queues[host].appendleft(visit)
            else:
                await self._results.put(fetched)
            if self._queues[host]:
                self._schedule(host)
            else:
                del self._queues[host]

    def _schedule(self, host: str) -> None:
        wait = self._pace.wait(host)
        if 0 < wait <= self._settings.crawl_max_wait:
            asyncio.get_running_loop().call_later(wait, self._turns.put_nowait, host)
        else:  # too long a wait becomes a visit put off
            self._turns.put_nowait(host)

    async def _outcome(self, host: str, visit: _Visit) -> Fetched | None:
        """Visit an address and say what came of it; None where it is to be tried again on this run."""
        item = visit.item
        try:
            if not visit.knows_rules:
                await self._fetcher.learn_rules(item)
                visit.knows_rules = True
                if 0 < self._pace.wait(host) <= self._settings.crawl_max_wait:
                    return None  # the host rests now; no worker need wait for it
            fetched = await self._fetcher.fetch(item)
            page = fetched.result
            return await self._with_links(fetched, page) if item.home and isinstance(page, Page) else fetched
        except Later as later:
            back_off = min(self._back_off(visit.tries), self._settings.crawl_max_wait)
            wait = max(later.seconds or 0.0, back_off)
            if wait > self._settings.crawl_max_wait:
                put_off = item.attempts < self._settings.crawl_retries
                return Fetched(item, _rejection(item, str(later)), retry_at=time.time() + wait if put_off else None)
            if visit.tries >= self._settings.crawl_retries:
                return Fetched(item, _rejection(item, f"{later}, at each of {visit.tries + 1} tries"))
            visit.tries += 1
            self._pace.hold(host, wait)
            return None
        except (TooSlow, JobFailed) as error:
            return Fetched(item, _rejection(item, f"its links cannot be read: {error}", Reason.UNREADABLE))
        except TooLarge as error:
            return Fetched(item, _rejection(item, str(error), Reason.TOO_LARGE))
        except (NotFetched, BadAddress) as error:
            return Fetched(item, _rejection(item, str(error)))
        except Exception as error:  # noqa: BLE001 - one odd page must not end the crawl; it is recorded like the others
            return Fetched(item, _rejection(item, f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"))

    async def _with_links(self, home: Fetched, page: Page) -> Fetched:
        allowed = Limits(limits.LINKS_SECONDS, self._settings.page_memory)
        links = await self._jobs.submit(_links, page, limits=allowed).finished()
        missing = _rejection(home.item, "no link to a privacy policy on the home page", Reason.NOT_CANDIDATE)
        return replace(home, result=None if links else missing, links=tuple(map(FrontierItem, links)))

    def _back_off(self, tries: int) -> float:
        least = max(self._settings.crawl_delay, LEAST_BACK_OFF)
        return least * 2.0**tries * random.uniform(1, 2)  # noqa: S311 - spreads the retries, keeps no secret


def _links(page: Page) -> list[str]:
    html: bytes | str = page.content
    with suppress(LookupError):  # a charset that nobody knows
        html = page.content.decode(page.charset or "utf-8", "replace")
    return policy_links(html, page.final_url or page.url)


def _rejection(item: FrontierItem, detail: str, reason: Reason = Reason.NOT_FETCHED) -> Rejection:
    return Rejection(item.url, reason, detail, SOURCE, now())


def _host(item: FrontierItem) -> str:
    try:
        return host_of(item.url)
    except BadAddress:
        return ""
