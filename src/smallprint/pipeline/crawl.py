"""The crawler over a library: what it fetches is cleaned and stored, and its frontier noted, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing

from smallprint.library import Library
from smallprint.library.frontier import StoredFrontier
from smallprint.library.writing import save
from smallprint.pipeline.pool import worker_count
from smallprint.pipeline.tally import Tally, Watch, unwatched
from smallprint.pipeline.workers import clean_batch
from smallprint.processes.jobs import Jobs
from smallprint.records import FrontierItem, Rejection
from smallprint.settings import Settings
from smallprint.sources.crawler import Fetched, crawl_pages
from smallprint.sources.guard import Network

BATCH = 16


def crawl(
    library: Library,
    settings: Settings,
    watch: Watch = unwatched,
    *,
    network: Network | None = None,
    tell: Callable[[Fetched], None] = lambda fetched: None,
) -> Tally:
    """Visit all that is due on the frontier; `tell` hears of every address as it is done."""
    tally = Tally()
    frontier = StoredFrontier(library)
    batch: list[Fetched] = []
    with (
        library.writing(),
        Jobs(worker_count(settings)) as jobs,
        closing(crawl_pages(frontier, settings, network=network, jobs=jobs)) as visits,
    ):
        for fetched in visits:
            if fetched is not None:
                batch.append(fetched)
                tell(fetched)
            if fetched is None or len(batch) >= BATCH:
                _store(library, frontier, batch, settings, jobs, tally)
                batch.clear()
                due, done = frontier.counts()
                watch(tally, done / (due + done) if due + done else 1.0)
    return tally


def line_up(library: Library, items: Iterable[FrontierItem]) -> int:
    """Put addresses on the frontier, and say how many are new."""
    with library.writing(), library.transaction():
        return StoredFrontier(library).add(items)


def _store(
    library: Library, frontier: StoredFrontier, batch: list[Fetched], settings: Settings, jobs: Jobs, tally: Tally
) -> None:
    pages = [fetched.result for fetched in batch if fetched.result is not None and fetched.retry_at is None]
    results = clean_batch(pages, settings, jobs)
    # What the clean stage turned away is named on the frontier too.
    verdicts = {result.url: str(result.reason) for result in results if isinstance(result, Rejection)}
    with library.transaction() as db:
        save(db, results, rejected_bytes=settings.rejected_bytes)
        for fetched in batch:
            tally.addresses += frontier.add(fetched.found)
            if fetched.retry_at is not None:
                frontier.retry(fetched.item.url, fetched.retry_at)
                continue
            outcome = verdicts.get(fetched.item.url, fetched.outcome)
            frontier.done(fetched.item.url, outcome, etag=fetched.etag, last_modified=fetched.last_modified)
    tally.count(results)
    tally.unchanged += sum(fetched.outcome == "unchanged" for fetched in batch)
