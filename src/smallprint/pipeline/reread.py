"""Stored pages read again after the cleaner changed; stopped at any moment, it goes on where it was."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import TypeVar

from smallprint.library import Library
from smallprint.library.captures import outdated_count
from smallprint.library.packing import CLEANER, Packed
from smallprint.library.rereading import (
    KeptVersion,
    StoredVersion,
    kept_versions,
    outdated_policies,
    outdated_rejections,
    outdated_versions,
    replace_versions,
)
from smallprint.library.writing import save
from smallprint.pipeline.tally import Tally, Watch, unwatched
from smallprint.pipeline.workers import Cleaned, cleaned
from smallprint.records import Page, Rejection
from smallprint.settings import Settings

# A batch is what one worker reads: few pages if they are large.
BATCH_PAGES, BATCH_BYTES = 32, 4_000_000


@dataclass(frozen=True, slots=True)
class Reread:
    """What reading stored pages again came to.

    Of so many `versions` read, `replaced` got a new id. `kept` are all that the present cleaner would turn away, from
    earlier runs too; `damaged` those whose stored page could not be read, for another run to try. Of the `rejections`
    judged again, `accepted` are policies now.
    """

    versions: int
    replaced: int
    kept: tuple[KeptVersion, ...]
    damaged: tuple[str, ...]
    rejections: int
    accepted: int


@dataclass(frozen=True, slots=True)
class _Reading:
    version: StoredVersion
    result: Cleaned


def reread(library: Library, settings: Settings, watch: Watch = unwatched) -> Reread:
    """Read again what an older cleaner read: all versions of a policy at once, then the pages that were turned away."""
    with library.writing():
        tally, replaced, damaged = _reread_versions(library, settings, watch)
        rejections = _judge_rejections(library, settings)
        kept = kept_versions(library, CLEANER)
    return Reread(tally.read, replaced, kept, tuple(damaged), rejections.read, rejections.kept)


def _reread_versions(library: Library, settings: Settings, watch: Watch) -> tuple[Tally, int, list[str]]:
    total = outdated_count(library, CLEANER)
    policies = outdated_policies(library, CLEANER)
    stored = (version for policy_id in policies for version in outdated_versions(library, policy_id, CLEANER))
    tally, replaced, damaged = Tally(), 0, []
    with closing(_readings(stored, settings)) as readings:
        for policy_id, group in groupby(readings, key=lambda reading: reading.version.policy_id):
            results = {}
            for reading in group:
                if isinstance(reading.version.page, Rejection):
                    damaged.append(reading.version.version_id)
                else:
                    results[reading.version.version_id] = reading.result
            now = datetime.now(tz=UTC).isoformat(timespec="seconds")
            with library.transaction() as db:
                replaced += replace_versions(db, policy_id, results, CLEANER, now)
            tally.count(results.values())
            watch(tally, tally.read / max(1, total))
    return tally, replaced, damaged


def _readings(stored: Iterable[StoredVersion], settings: Settings) -> Generator[_Reading, None, None]:
    """Clean the pages of versions, in their order."""
    sent: deque[StoredVersion] = deque()

    def pages() -> Iterator[list[Page | Rejection]]:
        for batch in _batches(stored, lambda version: version.page):
            sent.extend(map(_without_content, batch))
            yield [version.page for version in batch]

    with closing(cleaned(pages(), settings)) as batches:
        for results in batches:
            for result in results:
                version = sent.popleft()
                if isinstance(result, Packed) and version.title is not None:
                    yield _Reading(version, replace(result, title=version.title))
                else:
                    yield _Reading(version, result)


def _without_content(version: StoredVersion) -> StoredVersion:
    """Return a version whose page takes no memory; the worker has its content."""
    page = version.page
    return replace(version, page=replace(page, content=b"")) if isinstance(page, Page) else version


def _judge_rejections(library: Library, settings: Settings) -> Tally:
    tally = Tally()
    pages = outdated_rejections(library, CLEANER)
    with closing(cleaned(_batches(pages, lambda page: page), settings)) as batches:
        for results in batches:
            with library.transaction() as db:
                save(db, results, rejected_bytes=settings.rejected_bytes)
            tally.count(results)
    return tally


_Item = TypeVar("_Item")


def _batches(items: Iterable[_Item], page_of: Callable[[_Item], Page | Rejection]) -> Iterator[list[_Item]]:
    batch: list[_Item] = []
    size = 0
    for item in items:
        page = page_of(item)
        batch.append(item)
        size += len(page.content) if isinstance(page, Page) else 0
        if len(batch) >= BATCH_PAGES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
