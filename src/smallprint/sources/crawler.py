"""The crawl: what is due on the frontier in, one record for each address out; many hosts at once, each left in peace.

The crawler only reads the frontier. Whoever takes a `Fetched` stores what it holds and notes it on the frontier, all in
one transaction: `add(found)`, then `retry(item.url, retry_at)` where `retry_at` is set, and `done(item.url, outcome)`
where it is not. So a crawl may be stopped or killed at any time, and the next begins where the last commit ended.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, Generator, Iterable
from dataclasses import dataclass
from typing import Self

from anyio.from_thread import start_blocking_portal

from smallprint import limits
from smallprint.domains import host_of
from smallprint.errors import BadAddress, JobFailed, NotFetched, TooSlow
from smallprint.processes.jobs import Jobs
from smallprint.processes.worker import Limits
from smallprint.records import Frontier, FrontierItem, Page, Reason, Rejection
from smallprint.settings import Settings
from smallprint.sources.fetcher import SOURCE, Fetcher, Reply, now
from smallprint.sources.guard import Network, TooLarge, guarded_pool
from smallprint.sources.links import policy_links
from smallprint.sources.robots import Later, Pace

AHEAD = 64  # addresses held in memory for each host visited at once
LEAST_BACK_OFF = 0.05  # seconds, also where crawl_delay is 0


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of one address.

    `result` is None where nothing is to be stored: the page has not changed, or it is a home page whose policy links
    are in `found`. Where `retry_at` (seconds since 1970) is set, the visit is put off until then and `result` says why.
    """

    item: FrontierItem
    result: Page | Rejection | None
    etag: str | None = None
    last_modified: str | None = None
    found: tuple[FrontierItem, ...] = ()
    retry_at: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """Name what came of it: "page", "unchanged", "links", "put off" or the reason of the rejection."""
        if self.retry_at is not None:
            return "put off"
        if isinstance(self.result, Rejection):
            return self.result.reason.value
        return "page" if self.result else "links" if self.found else "unchanged"


async def crawl(
    frontier: Frontier, settings: Settings, *, network: Network | None = None, jobs: Jobs | None = None
) -> AsyncGenerator[Fetched | None]:
    """Visit what is due, and give what came of each address, no address twice.

    A None among them says that all that was due has been handed over: commit, and the frontier is asked once more, for
    links found on the way. The crawl ends when there are none.
    """
    due, idle = _Due(frontier), False
    async with Visits(settings, network, jobs) as visits:
        while True:
            visits.add(due.next(visits.room()))
            fetched = await visits.next()
            if fetched is None and idle:
                return
            idle = fetched is None
            yield fetched


def crawl_pages(
    frontier: Frontier, settings: Settings, *, network: Network | None = None, jobs: Jobs | None = None
) -> Generator[Fetched | None, None, None]:
    """Do the same for a caller that is not asynchronous.

    Fetching goes on in a thread of its own while the caller works; the frontier is only used in the caller's thread.
    Close the generator (contextlib.closing) to stop early.
    """
    due, idle = _Due(frontier), False
    with (
        start_blocking_portal(name="crawler") as portal,
        portal.wrap_async_context_manager(Visits(settings, network, jobs)) as visits,
    ):
        while True:
            portal.call(visits.add, due.next(visits.room()))
            fetched = portal.call(visits.next)
            if fetched is None and idle:
                return
            idle = fetched is None
            yield fetched


class _Due:
    """Goes through the frontier once, by number, so that no address comes up again before it is noted as done."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self._after = 0

    def next(self, limit: int) -> list[FrontierItem]:
        items = self._frontier.due(limit, after=self._after) if limit else []
        self._after = items[-1].number if items else self._after
        return items


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
        """Say how many more addresses may be added; 0 until half of the room is free."""
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
            return await self._fetched(item, await self._fetcher.fetch(item))
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

    async def _fetched(self, item: FrontierItem, reply: Reply) -> Fetched:
        page = reply.page
        if page is None or not item.home:
            return Fetched(item, page, reply.etag, reply.last_modified, notes=reply.notes)
        allowed = Limits(limits.LINKS_SECONDS, self._settings.page_memory)
        links = await self._jobs.submit(_links, page, limits=allowed).finished()
        found = tuple(FrontierItem(url) for url in links)
        missing = _rejection(item, "no link to a privacy policy on the home page", Reason.NOT_CANDIDATE)
        return Fetched(item, None if found else missing, reply.etag, reply.last_modified, found, notes=reply.notes)

    def _back_off(self, tries: int) -> float:
        least = max(self._settings.crawl_delay, LEAST_BACK_OFF)
        return least * 2.0**tries * random.uniform(1, 2)  # noqa: S311 - spreads the retries, keeps no secret


def _links(page: Page) -> list[str]:
    return policy_links(_text(page), page.final_url or page.url)


def _text(page: Page) -> str:
    try:
        return page.content.decode(page.charset or "utf-8", "replace")
    except LookupError:
        return page.content.decode("utf-8", "replace")


def _rejection(item: FrontierItem, detail: str, reason: Reason = Reason.NOT_FETCHED) -> Rejection:
    return Rejection(item.url, reason, detail, SOURCE, now())


def _host(item: FrontierItem) -> str:
    try:
        return host_of(item.url)
    except BadAddress:
        return ""
