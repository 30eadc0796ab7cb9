"""Pages into a library: from sources, from the web by its frontier, single policies, and stored pages read again.

How far a source is read is stored in one transaction with its pages: stopped at any moment, a run goes on where it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from smallprint.addresses import is_web
from smallprint.domains import normal_url
from smallprint.library import Library, rereading
from smallprint.library.frontier import StoredFrontier
from smallprint.library.packing import CLEANER, Packed
from smallprint.library.writing import forget_progress, note_progress, progress, save
from smallprint.pipeline.workers import OnProgress, Progress, Tally, clean_all, clean_batch, no_progress, worker_count
from smallprint.processes.jobs import Jobs
from smallprint.records import FrontierItem, Page, Reason, Rejection
from smallprint.settings import Settings
from smallprint.sources.catalogue import Opened
from smallprint.sources.crawler import crawl_pages
from smallprint.sources.fetcher import Fetched
from smallprint.sources.folders import read_page
from smallprint.sources.guard import Network
from smallprint.sources.items import Numbered
from smallprint.sources.streams import file_status

# Fetched pages that are cleaned and stored together.
FETCHED = 16


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one thing that was to be added: a policy's id, or the reason it was turned away."""

    what: str
    policy_id: str | None
    reason: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class Reread:
    """What reading stored pages again came to: of the `versions`, `replaced` got a new id.

    `kept` are all that the present cleaner would turn away; `damaged` those whose stored page could not be read, for
    another run to try. Of the `rejections` judged again, `accepted` are policies now.
    """

    versions: int
    replaced: int
    kept: tuple[rereading.KeptVersion, ...]
    damaged: tuple[str, ...]
    rejections: int
    accepted: int


def ingest(
    library: Library,
    sources: Iterable[Opened],
    settings: Settings,
    on_progress: OnProgress = no_progress,
    *,
    again: bool = False,
) -> Tally:
    """Bring sources into the library, each from where an earlier run stopped; `again` reads them from the start."""
    tally = Tally()
    with library.writing():
        for source in sources:
            if again:
                forget_progress(library, source.fingerprint)
            _ingest_source(library, source, settings, tally, on_progress)
    return tally


def _ingest_source(library: Library, source: Opened, settings: Settings, tally: Tally, on_progress: OnProgress) -> None:
    before = progress(library, source.fingerprint)
    if before.finished:
        return
    position, passed = before.position, tally.passed_over
    frontier = StoredFrontier(library)

    # Closed at once when the run is stopped, so that no worker goes on with what nobody waits for.
    with closing(clean_all(source.items(skip=position), _page_in, settings)) as batches:
        for batch, results in batches:
            position = batch[-1][0]
            with library.transaction() as db:
                save(db, results, rejected_bytes=settings.rejected_bytes)
                tally.addresses += frontier.add([item for _, item in batch if isinstance(item, FrontierItem)])
                note_progress(db, source.fingerprint, source.name, position)
            tally.count(results)
            tally.passed_over = passed + source.passed_over
            on_progress(Progress("reading", source.fraction(), tally))
    with library.transaction() as db:
        note_progress(db, source.fingerprint, source.name, position, finished=True)
    tally.passed_over = passed + source.passed_over
    on_progress(Progress("reading", 1.0, tally))


def _page_in(numbered: Numbered) -> Page | Rejection | None:
    return None if isinstance(numbered[1], FrontierItem) else numbered[1]


def ingest_pages(
    library: Library, pages: Iterable[Page | Rejection], settings: Settings, tally: Tally | None = None
) -> Tally:
    """Bring pages into the library that come from no file that could be resumed; count them into `tally`."""
    tally = tally or Tally()
    with library.writing(), closing(clean_all(pages, lambda page: page, settings)) as batches:
        for _, results in batches:
            with library.transaction() as db:
                save(db, results, rejected_bytes=settings.rejected_bytes)
            tally.count(results)
    return tally


def crawl(
    library: Library, settings: Settings, on_progress: OnProgress = no_progress, *, network: Network | None = None
) -> Tally:
    """Visit all that is due on the frontier."""
    tally = Tally()
    frontier = StoredFrontier(library)
    batch: list[Fetched] = []
    with (
        library.writing(),
        Jobs(worker_count(settings)) as jobs,
        closing(crawl_pages(frontier.due, settings, network=network, jobs=jobs)) as visits,
    ):
        for fetched in visits:
            if fetched is not None:
                batch.append(fetched)
            if fetched is None or len(batch) >= FETCHED:
                _store(library, frontier, batch, settings, jobs, tally)
                batch.clear()
                due, done = frontier.counts()
                on_progress(Progress("crawling", done / (due + done) if due + done else 1.0, tally))
    return tally


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
            tally.addresses += frontier.add(fetched.links)
            if fetched.retry_at is not None:
                frontier.retry(fetched.item.url, fetched.retry_at)
                continue
            outcome = verdicts.get(fetched.item.url, fetched.outcome)
            frontier.done(fetched.item.url, outcome, etag=fetched.etag, last_modified=fetched.last_modified)
    tally.count(results)
    tally.unchanged += sum(fetched.outcome == "unchanged" for fetched in batch)


def line_up(library: Library, items: Iterable[FrontierItem]) -> int:
    """Put addresses on the frontier, and say how many are new."""
    with library.writing(), library.transaction():
        return StoredFrontier(library).add(items)


def add(library: Library, names: list[str], settings: Settings, network: Network | None = None) -> list[Outcome]:
    """Fetch or read each, clean it, and store what is a policy; an address or a file that is none stops it all."""
    for name in names:
        if is_web(name):
            normal_url(name)
        else:
            file_status(Path(name).expanduser())
    with library.writing(), Jobs(1) as jobs:
        return [add_page(library, name, page_of(name, settings, network), settings, jobs) for name in names]


def add_page(library: Library, name: str, page: Page | Rejection, settings: Settings, jobs: Jobs) -> Outcome:
    """Clean a page that is at hand, and store it if it is a policy; `name` is what it was asked for by."""
    (result,) = clean_batch([page], settings, jobs)
    with library.transaction() as db:
        save(db, [result], rejected_bytes=settings.rejected_bytes)
    if isinstance(result, Rejection):
        return Outcome(name, None, str(result.reason), result.detail)
    return Outcome(name, result.policy_id, None, result.title)


def page_of(name: str, settings: Settings, network: Network | None = None) -> Page | Rejection:
    """Return the page at an address, or in a file."""
    if not is_web(name):
        return read_page(Path(name).expanduser(), "added", max_bytes=settings.max_page_bytes)
    return fetch_page(name, settings, network)


def fetch_page(address: str, settings: Settings, network: Network | None = None) -> Page | Rejection:
    """Fetch one page, as politely as many are; BadAddress where it is not a web address."""
    url = normal_url(address)

    def due(limit: int, *, after: int = 0) -> list[FrontierItem]:
        return [] if after else [FrontierItem(url, number=1)]

    for fetched in crawl_pages(due, settings, network=network):
        if fetched is not None and fetched.result is not None:
            return fetched.result
    return Rejection(url, Reason.NOT_FETCHED, "nothing came back", "added", "")


def reread(library: Library, settings: Settings, on_progress: OnProgress = no_progress) -> Reread:
    """Read again what an older cleaner read: all versions of a policy at once, then the pages that were turned away."""
    tally, replaced, damaged = Tally(), 0, []
    with library.writing():
        counts = rereading.outdated_policies(library, CLEANER)
        stored = (version for policy in counts for version in rereading.outdated_versions(library, policy, CLEANER))
        with closing(clean_all(stored, lambda version: version.page, settings)) as batches:
            readings = (pair for versions, results in batches for pair in zip(versions, results, strict=True))
            for policy_id, group in groupby(readings, key=lambda reading: reading[0].policy_id):
                outcomes: dict[str, Packed | Rejection] = {}
                for version, result in group:
                    if isinstance(version.page, Rejection):
                        damaged.append(version.version_id)
                    elif isinstance(result, Packed) and version.title is not None:
                        outcomes[version.version_id] = replace(result, title=version.title)
                    else:
                        outcomes[version.version_id] = result
                now = datetime.now(tz=UTC).isoformat(timespec="seconds")
                with library.transaction() as db:
                    replaced += rereading.replace_versions(db, policy_id, outcomes, CLEANER, now)
                tally.count(outcomes.values())
                on_progress(Progress("reading again", tally.read / sum(counts.values()), tally))
        rejections = ingest_pages(library, rereading.outdated_rejections(library, CLEANER), settings)
        kept = rereading.kept_versions(library, CLEANER)
    return Reread(tally.read, replaced, kept, tuple(damaged), rejections.read, rejections.kept)
