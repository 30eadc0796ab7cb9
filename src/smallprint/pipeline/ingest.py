"""Sources into a library: read, cleaned, stored and settled; stopped at any moment, it goes on where it was."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

from smallprint.library import Library
from smallprint.library.frontier import StoredFrontier
from smallprint.library.likeness import Settled, settle
from smallprint.library.writing import forget_progress, note_progress, progress, save
from smallprint.pipeline.tally import Tally, Watch, unwatched
from smallprint.pipeline.workers import Cleaned, cleaned
from smallprint.records import FrontierItem, Page, Rejection
from smallprint.settings import Settings
from smallprint.sources.catalogue import Opened

# A batch is what one worker cleans and one transaction stores: few pages if they are large.
BATCH_PAGES, BATCH_BYTES = 32, 4_000_000


@dataclass(frozen=True, slots=True)
class _Batch:
    pages: list[Page | Rejection]
    addresses: list[FrontierItem]
    position: int


def ingest(
    library: Library, sources: Iterable[Opened], settings: Settings, watch: Watch = unwatched, *, again: bool = False
) -> Tally:
    """Bring sources into the library, each from where an earlier run stopped; `again` reads them from the start."""
    tally = Tally()
    with library.writing():
        for source in sources:
            if again:
                forget_progress(library, source.fingerprint)
            _ingest_one(library, source, settings, tally, watch)
    return tally


def ingest_pages(
    library: Library, pages: Iterable[Page | Rejection], settings: Settings, watch: Watch = unwatched
) -> Tally:
    """Bring pages into the library that come from no file that could be resumed."""
    tally = Tally()
    numbered = enumerate(pages, 1)
    with library.writing(), closing(_cleaned(_batches(numbered), settings)) as batches:
        for batch, results in batches:
            with library.transaction() as db:
                save(db, results, rejected_bytes=settings.rejected_bytes)
                StoredFrontier(library).add(batch.addresses)
            tally.count(results)
            watch(tally, 0.0)
    return tally


def settle_library(
    library: Library, settings: Settings, tick: Callable[[int, int], None] = lambda done, total: None
) -> Settled:
    """Bring copies and near-duplicate groups up to date after anything that may have changed them."""
    with library.writing():
        return settle(library, settings.near_duplicate, tick)


def _ingest_one(library: Library, source: Opened, settings: Settings, tally: Tally, watch: Watch) -> None:
    before = progress(library, source.fingerprint)
    if before.finished:
        return
    position, passed = before.position, tally.passed_over
    frontier = StoredFrontier(library)
    # Closed at once when the run is stopped, so that no worker goes on with what nobody waits for.
    with closing(_cleaned(_batches(source.items(skip=position)), settings)) as batches:
        for batch, results in batches:
            position = batch.position
            with library.transaction() as db:
                save(db, results, rejected_bytes=settings.rejected_bytes)
                tally.addresses += frontier.add(batch.addresses)
                note_progress(db, source.fingerprint, source.name, position)
            tally.count(results)
            tally.passed_over = passed + source.tally.passed_over
            watch(tally, source.fraction())
    with library.transaction() as db:
        note_progress(db, source.fingerprint, source.name, position, finished=True)
    tally.passed_over = passed + source.tally.passed_over
    watch(tally, 1.0)


def _cleaned(batches: Iterable[_Batch], settings: Settings) -> Generator[tuple[_Batch, list[Cleaned]], None, None]:
    sent: list[_Batch] = []

    def pages() -> Iterator[list[Page | Rejection]]:
        for batch in batches:
            sent.append(batch)
            yield batch.pages

    with closing(cleaned(pages(), settings)) as every:
        for results in every:
            yield sent.pop(0), results


def _batches(items: Iterable[tuple[int, Page | FrontierItem | Rejection]]) -> Iterator[_Batch]:
    batch = _Batch([], [], 0)
    size = 0
    for position, item in items:
        if isinstance(item, FrontierItem):
            batch.addresses.append(item)
        else:
            batch.pages.append(item)
            size += len(item.content) if isinstance(item, Page) else 0
        if len(batch.pages) + len(batch.addresses) // 64 >= BATCH_PAGES or size >= BATCH_BYTES:
            yield _Batch(batch.pages, batch.addresses, position)
            batch, size = _Batch([], [], position), 0
        else:
            batch = _Batch(batch.pages, batch.addresses, position)
    if batch.pages or batch.addresses:
        yield batch
