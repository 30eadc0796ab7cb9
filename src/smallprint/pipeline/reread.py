"""Stored pages read again after the cleaner changed; stopped at any moment, it goes on where it was."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
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
from smallprint.records import Page
from smallprint.settings import Settings

# A batch is what one worker reads: few pages if they are large.
BATCH_PAGES, BATCH_BYTES = 32, 4_000_000


@dataclass(frozen=True, slots=True)
class Reread:
    """What reading stored pages again came to.

    Of so many `versions` read, `replaced` got a new id. `kept` are all that the present cleaner would turn away, from
    earlier runs too. Of the `rejections` judged again, `accepted` are policies now.
    """

    versions: int
    replaced: int
    kept: tuple[KeptVersion, ...]
    rejections: int
    accepted: int


@dataclass(frozen=True, slots=True)
class _Reading:
    policy_id: str
    version_id: str
    result: Cleaned


def reread(library: Library, settings: Settings, watch: Watch = unwatched) -> Reread:
    """Read again what an older cleaner read: all versions of a policy at once, then the pages that were turned away."""
    with library.writing():
        versions, replaced = _reread_versions(library, settings, watch)
        rejections, accepted = _judge_rejections(library, settings)
        return Reread(versions, replaced, kept_versions(library, CLEANER), rejections, accepted)


def _reread_versions(library: Library, settings: Settings, watch: Watch) -> tuple[int, int]:
    total = outdated_count(library, CLEANER)
    policies = outdated_policies(library, CLEANER)
    stored = (version for policy_id in policies for version in outdated_versions(library, policy_id, CLEANER))
    tally, replaced = Tally(), 0
    with closing(_readings(stored, settings)) as readings:
        for policy_id, group in groupby(readings, key=lambda reading: reading.policy_id):
            results = {reading.version_id: reading.result for reading in group}
            now = datetime.now(tz=UTC).isoformat(timespec="seconds")
            with library.transaction() as db:
                replaced += replace_versions(db, policy_id, results, CLEANER, now)
            tally.count(results.values())
            watch(tally, tally.read / max(1, total))
    return tally.read, replaced


def _readings(stored: Iterable[StoredVersion], settings: Settings) -> Generator[_Reading, None, None]:
    """Clean the pages of versions, in their order."""
    sent: deque[StoredVersion] = deque()

    def pages() -> Iterator[list[Page]]:
        for batch in _batches((version.page, version) for version in stored):
            # Without its page, which the worker has.
            sent.extend(replace(version, page=replace(page, content=b"")) for page, version in batch)
            yield [page for page, _ in batch]

    with closing(cleaned(pages(), settings)) as batches:
        for results in batches:
            for result in results:
                version = sent.popleft()
                if isinstance(result, Packed) and version.title is not None:
                    result = replace(result, title=version.title)  # noqa: PLW2901 - the same reading, as it is stored
                yield _Reading(version.policy_id, version.version_id, result)


def _judge_rejections(library: Library, settings: Settings) -> tuple[int, int]:
    tally = Tally()
    pages = (
        [page for page, _ in batch]
        for batch in _batches((page, None) for page in outdated_rejections(library, CLEANER))
    )
    with closing(cleaned(pages, settings)) as batches:
        for results in batches:
            with library.transaction() as db:
                save(db, results, rejected_bytes=settings.rejected_bytes)
            tally.count(results)
    return tally.read, tally.kept


_Of = TypeVar("_Of")


def _batches(pages: Iterable[tuple[Page, _Of]]) -> Iterator[list[tuple[Page, _Of]]]:
    batch: list[tuple[Page, _Of]] = []
    size = 0
    for page, of in pages:
        batch.append((page, of))
        size += len(page.content)
        if len(batch) >= BATCH_PAGES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
