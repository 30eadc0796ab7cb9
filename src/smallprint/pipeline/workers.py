"""Batches of things worked on in order, in processes; pages cleaned so. Only the thing that is too dear is blamed."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from smallprint.clean.cleaning import TOO_DEAR, TOO_SLOW, clean, guarded
from smallprint.errors import JobFailed, OutOfTime, SmallprintError, TooLargeJob, TooSlow
from smallprint.library.packing import JUDGED_AGAIN, Packed, pack, pack_page
from smallprint.processes.jobs import Jobs, Pending
from smallprint.processes.worker import Limits
from smallprint.records import Page, Reason, Rejection
from smallprint.settings import Settings

Origin = TypeVar("Origin")
Item = TypeVar("Item")
Thing = TypeVar("Thing")
Result = TypeVar("Result")
Cleaned = Packed | Rejection
# Batches under way for each worker: enough to keep it busy, few enough that memory stays flat.
AHEAD = 4
# A batch may take this many times as long as a single thing: most things take a hundredth of their time.
PATIENCE = 2
# A batch of pages is what one worker cleans and one transaction stores: few pages if they are large.
BATCH_PAGES, BATCH_BYTES = 32, 4_000_000


@dataclass(slots=True)
class Tally:
    """Pages read, kept and turned away by a run so far, and addresses put on the frontier."""

    read: int = 0
    kept: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    passed_over: int = 0
    addresses: int = 0
    unchanged: int = 0

    def count(self, results: Iterable[Cleaned]) -> None:
        """Count a batch in."""
        reasons = [str(result.reason) if isinstance(result, Rejection) else "" for result in results]
        self.read += len(reasons)
        self.kept += reasons.count("")
        self.rejected.update(filter(None, reasons))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: the step it is at, the part of that step that is done (0 to 1), and what came of pages."""

    step: str
    fraction: float
    tally: Tally | None = None


# Told after every batch.
OnProgress = Callable[[Progress], None]


def no_progress(progress: Progress) -> None:
    """Report to nobody."""


@dataclass(frozen=True, slots=True)
class Task(Generic[Thing, Result]):
    """What is done with one thing, and what is said of one that ended its process: functions of modules.

    `seconds` names the setting of how long one may take, `memory` that of how many bytes a batch may; "" for no limit.
    """

    work: Callable[[Thing, Settings], Result]
    blame: Callable[[Thing, SmallprintError], Result]
    seconds: str
    memory: str = ""

    def submit(self, jobs: Jobs, batch: Sequence[Thing], settings: Settings) -> Pending[list[Result]]:
        """Have a batch worked on."""
        memory = getattr(settings, self.memory) if self.memory else 0
        limits = Limits(PATIENCE * getattr(settings, self.seconds), memory)
        return jobs.submit(self.work_batch, batch, settings, limits=limits)

    def work_batch(self, batch: Sequence[Thing], settings: Settings) -> list[Result]:
        """Work on a batch, in this process."""
        return [self.work(thing, settings) for thing in batch]

    def work_alone(self, jobs: Jobs, thing: Thing, settings: Settings) -> Result:
        """Work on a single thing, and blame it for what goes wrong."""
        try:
            return self.submit(jobs, [thing], settings).result()[0]
        except (TooSlow, JobFailed) as error:
            return self.blame(thing, error)


def worker_count(settings: Settings) -> int:
    """Return how many processes work."""
    allowed = getattr(os, "sched_getaffinity", None)  # not on every system
    return settings.workers or (len(allowed(0)) if allowed else os.cpu_count() or 1)


def pooled(
    batches: Iterable[tuple[Origin, Sequence[Thing]]], task: Task[Thing, Result], settings: Settings, jobs: Jobs | None
) -> Generator[tuple[Origin, list[Result]], None, None]:
    """Work on batches in processes of `jobs`, or in some of its own; yield what each came from with its results.

    They come in the order of the batches. Close the generator to end work nobody waits for.
    """
    workers = worker_count(settings)
    ahead = AHEAD * workers if workers > 1 else 1
    with nullcontext(jobs) if jobs else Jobs(workers) as pool:
        waiting: deque[tuple[Origin, Sequence[Thing], Pending[list[Result]]]] = deque()

        def next_results() -> tuple[Origin, list[Result]]:
            origin, batch, pending = waiting.popleft()
            try:
                return origin, pending.result()
            except (TooSlow, JobFailed):  # each thing by itself, so that only the guilty one is blamed
                return origin, [task.work_alone(pool, thing, settings) for thing in batch]

        for origin, batch in batches:
            waiting.append((origin, batch, task.submit(pool, batch, settings)))
            if len(waiting) >= ahead:
                yield next_results()
        while waiting:
            yield next_results()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what takes too long, where the process may set an alarm (its main thread)."""
    if not seconds or threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_: object) -> None:
        raise OutOfTime("it took too long")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def page_batches(
    items: Iterable[Item], page_of: Callable[[Item], Page | Rejection | None]
) -> Iterator[tuple[list[Item], list[Page | Rejection]]]:
    """Yield batches of items with their pages; `page_of` returns None for an item that has none, such as an address."""
    batch: list[Item] = []
    pages: list[Page | Rejection] = []
    size = 0
    for item in items:
        batch.append(item)
        if page := page_of(item):
            pages.append(page)
            size += len(page.content) if isinstance(page, Page) else 0
        if len(pages) + (len(batch) - len(pages)) // 64 >= BATCH_PAGES or size >= BATCH_BYTES:
            yield batch, pages
            batch, pages, size = [], [], 0
    if batch:
        yield batch, pages


def clean_all(
    items: Iterable[Item], page_of: Callable[[Item], Page | Rejection | None], settings: Settings
) -> Generator[tuple[list[Item], list[Cleaned]], None, None]:
    """Clean the pages of items in processes of its own, and yield batches of items with the results."""
    return pooled(page_batches(items, page_of), CLEANING, settings, None)


def clean_batch(batch: Sequence[Page | Rejection], settings: Settings, jobs: Jobs) -> list[Cleaned]:
    """Clean the pages of one batch in a process of `jobs`."""
    ((_, results),) = pooled([(None, batch)], CLEANING, settings, jobs)
    return results


def clean_page(page: Page | Rejection, settings: Settings) -> Cleaned:
    """Clean one page and pack it, in this process; a rejection passes through."""
    if isinstance(page, Rejection):
        return page
    with time_limit(settings.page_seconds):
        result = guarded(lambda: clean(page, settings), page)
    if not isinstance(result, Rejection):
        return pack(result)
    # The page is kept where it may be judged again, and pages are kept at all.
    is_kept = result.reason in JUDGED_AGAIN and settings.rejected_bytes
    return replace(result, page=pack_page(page)) if is_kept else result


def _turned_away(page: Page | Rejection, error: SmallprintError) -> Cleaned:
    if isinstance(page, Rejection):
        return page
    details = {TooSlow: TOO_SLOW, TooLargeJob: TOO_DEAR}
    detail = details.get(type(error), "the page made the cleaner crash")
    return Rejection(page.url, Reason.UNREADABLE, detail, page.source, page.fetched_at, pack_page(page))


CLEANING: Task[Page | Rejection, Cleaned] = Task(clean_page, _turned_away, "page_seconds", "page_memory")
