"""Pages cleaned in order, each within its time and memory; one that takes more is turned away, and stops nothing."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace

from smallprint.clean.cleaning import clean, guarded
from smallprint.errors import SmallprintError, TooLargeJob, TooSlow
from smallprint.library.packing import Packed, pack, pack_rejected
from smallprint.library.rejected import JUDGED_AGAIN
from smallprint.pipeline.pool import Task, pooled, time_limit
from smallprint.processes.jobs import Jobs
from smallprint.records import Page, Reason, Rejection
from smallprint.settings import Settings

Cleaned = Packed | Rejection
Batch = Sequence[Page | Rejection]


def cleaned(
    batches: Iterable[Batch], settings: Settings, jobs: Jobs | None = None
) -> Generator[list[Cleaned], None, None]:
    """Clean batches of pages and yield the results in the order of the batches."""
    return pooled(batches, _CLEANING, settings, jobs)


def clean_batch(batch: Batch, settings: Settings, jobs: Jobs) -> list[Cleaned]:
    """Clean the pages of one batch in a process of `jobs`."""
    (results,) = cleaned([batch], settings, jobs)
    return results


def clean_page(page: Page | Rejection, settings: Settings) -> Cleaned:
    """Clean one page and pack it, in this process; a rejection passes through."""
    if isinstance(page, Rejection):
        return page
    with time_limit(settings.page_seconds):
        result = guarded(lambda: clean(page, settings), page)
    return _with_page(result, page, settings) if isinstance(result, Rejection) else pack(result)


def _with_page(rejection: Rejection, page: Page, settings: Settings) -> Rejection:
    """Return a rejection with its page, where the page may be judged again and pages are kept at all."""
    if rejection.reason not in JUDGED_AGAIN or not settings.rejected_bytes:
        return rejection
    return replace(rejection, page=pack_rejected(page))


def _turned_away(page: Page | Rejection, error: SmallprintError) -> Cleaned:
    if isinstance(page, Rejection):
        return page
    if isinstance(error, TooSlow):
        detail = "the page took too long to clean"
    elif isinstance(error, TooLargeJob):
        detail = "the page takes more memory to clean than it may"
    else:
        detail = "the page made the cleaner crash"
    return Rejection(page.url, Reason.UNREADABLE, detail, page.source, page.fetched_at, pack_rejected(page))


def _page_seconds(settings: Settings) -> float:
    return settings.page_seconds


def _page_memory(settings: Settings) -> int:
    return settings.page_memory


_CLEANING: Task[Page | Rejection, Cleaned] = Task(clean_page, _turned_away, _page_seconds, _page_memory)
