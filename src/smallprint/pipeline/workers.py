"""Pages cleaned in order, each within its time; a page that takes too long or crashes is turned away, not the run."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace

from smallprint.clean.cleaning import clean, guarded
from smallprint.library.packing import Packed, pack, pack_rejected
from smallprint.library.rejected import JUDGED_AGAIN
from smallprint.pipeline.pool import Task, pooled, time_limit
from smallprint.records import Page, Reason, Rejection
from smallprint.settings import Settings

Cleaned = Packed | Rejection
Batch = Sequence[Page | Rejection]


def cleaned(batches: Iterable[Batch], settings: Settings) -> Generator[list[Cleaned], None, None]:
    """Clean batches of pages, and give the results in the order of the batches."""
    return pooled(batches, _CLEANING, settings)


def clean_page(page: Page | Rejection, settings: Settings) -> Cleaned:
    """Clean one page and pack it; a rejection passes through."""
    if isinstance(page, Rejection):
        return page
    with time_limit(settings.page_seconds):
        result = guarded(lambda: clean(page, settings), page)
    return _with_page(result, page, settings) if isinstance(result, Rejection) else pack(result)


def clean_batch(batch: Batch, settings: Settings) -> list[Cleaned]:
    """Clean the pages of a batch here, one by one."""
    return [clean_page(page, settings) for page in batch]


def _with_page(rejection: Rejection, page: Page, settings: Settings) -> Rejection:
    """Return a rejection with its page, where the page may be judged again and pages are kept at all."""
    if rejection.reason not in JUDGED_AGAIN or not settings.rejected_bytes:
        return rejection
    return replace(rejection, page=pack_rejected(page))


def _crashed(page: Page | Rejection) -> Cleaned:
    if isinstance(page, Rejection):
        return page
    detail = "the page made the cleaner crash"
    return Rejection(page.url, Reason.UNREADABLE, detail, page.source, page.fetched_at, pack_rejected(page))


def _page_seconds(settings: Settings) -> int:
    return settings.page_seconds


_CLEANING: Task[Page | Rejection, Cleaned] = Task(clean_page, _crashed, _page_seconds)
