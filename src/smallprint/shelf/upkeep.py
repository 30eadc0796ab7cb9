"""What fills a library and keeps it in order: ingest, crawl, add, annotate, index, reread, remove, check, backups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Self

from smallprint import sample
from smallprint.addresses import is_web
from smallprint.domains import normal_url, registrable_domain
from smallprint.errors import BadIndex, BadQuery, BadSetting, BadSource, DamagedLibrary, NoSuchPaste, NoSuchPolicy
from smallprint.files import JOINT, csv_line, inert, json_line, whole_file
from smallprint.index.opening import WHICH, Engines, Which, delete_indexes
from smallprint.library import Library, backups, dump, reading
from smallprint.library import feedback as feedbacks
from smallprint.library.annotations import set_aside_versions
from smallprint.library.directory import Imported, has_companies, import_ranks, replace_companies
from smallprint.library.frontier import StoredFrontier
from smallprint.library.pool import Memory, Pool
from smallprint.library.removing import Removal, remove_policies
from smallprint.library.soundness import RESTORE
from smallprint.library.statistics import statistics
from smallprint.pipeline import indexing
from smallprint.pipeline import ingest as ingesting
from smallprint.pipeline.refresh import Refreshed, refresh, update_indexes
from smallprint.pipeline.workers import no_progress
from smallprint.processes.jobs import Jobs
from smallprint.records import FrontierItem, Page, Reason, Rejection
from smallprint.settings import Settings
from smallprint.shelf import records
from smallprint.shelf.records import OnProgress
from smallprint.sources.catalogue import open_source
from smallprint.sources.companies import Companies
from smallprint.sources.guard import Network
from smallprint.sources.jsonl import FieldMap


@dataclass(frozen=True, slots=True)
class Ingested:
    """What a run came to: the pages, what followed, and how many addresses are waiting to be visited."""

    tally: records.Tally
    refreshed: Refreshed
    addresses_due: int


@dataclass(frozen=True, slots=True)
class LibraryStatus:
    """The counts of a library, the versions that could not be annotated, and how far each index is behind."""

    counts: reading.Status
    set_aside: tuple[records.SetAsideVersion, ...]
    index_behind: dict[Which, int]


class Upkeep:
    """A library opened once, the operations that write to it, and those that say how it is.

    Any number of threads may use it; each call borrows a connection of its own, and a second writer is told so at
    once. A library that cannot be used is told of at once, or with `lazy` when it is first used. A query that takes
    longer than `seconds` is ended; 0 for no limit.
    """

    def __init__(self, settings: Settings, *, create: bool = False, lazy: bool = False, seconds: float = 0.0) -> None:
        if not lazy:
            Library(settings.library, create=create).close()
        self.settings = settings
        self.path = settings.library
        self.pool = Pool(settings.library, seconds=seconds)
        self.memory = Memory(self.pool)
        self.forget_engines()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the library."""
        self.pool.close()

    def with_settings(self, settings: Settings) -> Self:
        """Return the same library, with all that is open, under other settings."""
        other = copy(self)
        other.settings = settings
        return other

    def forget_engines(self) -> None:
        """Open the indexes anew when they are next needed."""
        self.engines = Engines(self.settings)

    def ingest(
        self, *sources: str | Path, sample_too: bool = False, fields: Sequence[str] = (), again: bool = False,
        on_progress: OnProgress = no_progress,
    ) -> Ingested:  # fmt: skip
        """Bring pages from files into the library; a run that was stopped goes on where it was.

        `fields` name JSONL fields, such as "html=body". `again` reads sources from the start. `sample_too` adds the
        sample of invented companies.
        """
        if not sources and not sample_too:
            raise BadSource("name a source to ingest, or --sample for the bundled one")
        mapping = FieldMap.declared(list(fields)) if fields else None
        opened = [open_source(str(source), self.settings, mapping) for source in sources]
        with self._writing(create=True) as library:
            tally = ingesting.ingest(library, opened, self.settings, on_progress, again=again)
            if sample_too:
                self._take_sample(library, tally)
            return self._ingested(library, tally, on_progress)

    def crawl(
        self, *sources: str, home: bool = False, again: bool = False, on_progress: OnProgress = no_progress,
        network: Network | None = None,
    ) -> Ingested:  # fmt: skip
        """Fetch pages politely into the library; without sources, go on with what is still to be visited.

        With `home`, addresses are home pages that link to the policy; `again` visits known addresses once more.
        """
        addresses = [source for source in sources if is_web(source)]
        files = [open_source(source, self.settings) for source in sources if source not in addresses]
        items = [FrontierItem(normal_url(address), home=home) for address in addresses]
        with self._writing(create=True) as library:
            ingesting.line_up(library, items)
            ingesting.ingest(library, files, self.settings)
            if again:
                StoredFrontier(library).again()
            tally = ingesting.crawl(library, self.settings, on_progress, network=network)
            return self._ingested(library, tally, on_progress)

    def add(self, *names: str, on_progress: OnProgress = no_progress) -> list[records.Outcome]:
        """Add single policies by address or file, and say what became of each."""
        with self._writing(create=True) as library:
            outcomes = ingesting.add(library, list(names), self.settings)
            refresh(library, self.engines, self.settings, on_progress)
            return outcomes

    def keep(
        self, address: str, *, page: Page | None = None, network: Network | None = None, jobs: Jobs | None = None
    ) -> records.Outcome:
        """Add the policy at an address to a library that is being served; a page that is at hand is not fetched."""
        with self._writing() as library, nullcontext(jobs) if jobs else Jobs(1) as processes:
            arrived = page or ingesting.fetch_page(address, self.settings, network)
            outcome = ingesting.add_page(library, address, arrived, self.settings, processes)
            if outcome.policy_id is not None:
                versions = reading.find_policy(library, outcome.policy_id).versions
                own = {version.version_id for version in versions}  # not what others left undone
                refresh(library, self.engines, self.settings, jobs=processes, only=own)
        return outcome

    def annotate(self, *, retry: bool = False, on_progress: OnProgress = no_progress) -> Refreshed:
        """Annotate what is not annotated yet, or by an older model; `retry` tries again what could not be."""
        if self.settings.quality == "none":
            raise BadSetting("there is nothing to do in quality 'none'; give --quality fast or full")
        with self._writing() as library:
            return refresh(library, self.engines, self.settings, on_progress, retry=retry)

    def index(self, *, anew: bool = False, on_progress: OnProgress = no_progress) -> dict[Which, indexing.Indexed]:
        """Update both search indexes; `anew` deletes them first."""
        with self._writing() as library:
            if anew:
                delete_indexes(self.settings)
                self.forget_engines()
            return update_indexes(library, self.engines, on_progress)

    def reread(self, *, on_progress: OnProgress = no_progress) -> tuple[ingesting.Reread, Refreshed]:
        """Read stored pages again after an upgrade that cleans pages differently, and judge rejected pages again."""
        with self._writing() as library:
            done = ingesting.reread(library, self.settings, on_progress)
            return done, refresh(library, self.engines, self.settings, on_progress)

    def remove(self, *policies: str, sites: Iterable[str] = (), on_progress: OnProgress = no_progress) -> Removal:
        """Remove policies for good, by id, address or domain, and all policies of some sites."""
        domains = [registrable_domain(site) for site in sites]
        with self._writing() as library:
            removal = remove_policies(library, _ids(library, policies, domains), domains)
            refresh(library, self.engines, self.settings, on_progress)  # a copy that came back was not annotated
        return removal

    def removable(self, *policies: str, sites: Iterable[str] = ()) -> list[reading.PolicyEntry]:
        """Return the policies that `remove` would remove."""
        with self.pool.library() as library:
            ids = _ids(library, policies, [registrable_domain(site) for site in sites])
            return [reading.find_policy(library, policy_id) for policy_id in ids]

    def import_companies(self, file: Path, *, on_progress: OnProgress = no_progress) -> tuple[int, int]:
        """Replace what is known of companies by a file; return how many domains it has, and rows passed over."""
        companies = Companies(file)
        with self._writing(create=True) as library:
            domains = replace_companies(library, companies)
            update_indexes(library, self.engines, on_progress)
        return domains, companies.passed_over

    def import_popularity(self, file: Path, *, on_progress: OnProgress = no_progress) -> tuple[Imported, Refreshed]:
        """Replace what is known of how popular domains are by a file."""
        with self._writing(create=True) as library:
            imported = import_ranks(library, file)
            return imported, refresh(library, self.engines, self.settings, on_progress)

    def check(self) -> list[records.Fault]:
        """Return all that is wrong with the library and its indexes; nothing is changed."""
        faults: list[records.Fault] = []
        try:
            with Library(self.path) as library:
                faults.extend(indexing.faults(library))
        except DamagedLibrary as error:  # so much that it cannot be opened, or not be read to its end
            faults.append(records.Fault("library", str(error), RESTORE))
        return faults

    def backup(self, file: Path, *, force: bool = False) -> backups.Backup:
        """Write a whole, consistent copy of the library to a file, even while others write."""
        with Library(self.path) as library:
            return backups.backup(library, file.expanduser(), force=force)

    def restore(self, file: Path, *, force: bool = False, on_progress: OnProgress = no_progress) -> records.Manifest:
        """Put a backup in the place of the library, and update the indexes."""
        manifest = backups.restore(file.expanduser(), self.path, force=force)
        with self._writing() as library:
            update_indexes(library, self.engines, on_progress)
        return manifest

    def status(self) -> LibraryStatus:
        """Count what is in the library, and say what is left to do."""
        with self.pool.library() as library:
            counts = reading.status(library)
            behind = {which: self._behind(library, which, counts.policies) for which in WHICH}
            return LibraryStatus(counts, set_aside_versions(library), behind)

    def size(self) -> reading.Status:
        """Count what is in the library; counted once for each state of it."""
        return self.memory.recall("status", reading.status)

    def digest(self) -> str:
        """Return a hash of all that the library holds, to compare it with another."""
        with self.pool.library(seconds=0) as library:
            return dump.digest(library)

    def statistics(self) -> records.Statistics:
        """Count over the whole library; counted once for each state of it."""
        return self.memory.recall("statistics", statistics)

    def rejection_counts(self) -> dict[str, int]:
        """Count the pages that were turned away, by reason."""
        with self.pool.library() as library:
            return reading.rejection_counts(library)

    def rejections(self, reason: str | None = None, limit: int | None = None) -> list[Rejection]:
        """Return the pages that were turned away, and why; all of them, or those with one reason."""
        if reason is not None and reason not in set(Reason):
            raise BadSetting(f"{reason!r} is not a reason; choose from: {', '.join(Reason)}")
        with self.pool.library() as library:
            return list(reading.rejections(library, Reason(reason) if reason else None, limit))

    def feedback(self) -> tuple[records.Feedback, ...]:
        """Return what readers said of answers, the oldest first."""
        with self.pool.library() as library:
            return tuple(feedbacks.feedback(library))

    def give_feedback(self, entry: records.Feedback) -> bool:
        """Keep what a reader said of an answer; return whether it was new."""
        with self.pool.library() as library:
            return feedbacks.give(library, entry)

    def forget_feedback(self, oldest: int) -> int:
        """Delete the oldest entries of feedback."""
        with self.pool.library() as library:
            return feedbacks.forget_feedback(library, oldest)

    @property
    def pastes(self) -> records.Pastes:
        """The pasted texts that are kept for a while."""
        return records.Pastes(self.path, self.settings.paste_minutes)

    def forget(self, paste: str | None = None) -> int:
        """Delete a pasted text by its id or address, or all of them; return how many were deleted."""
        if paste is None:
            return self.pastes.forget_all()
        paste_id = paste.rstrip("/").rpartition("/")[2]
        if not self.pastes.forget(paste_id):
            raise NoSuchPaste(f"no text is kept by the id {paste_id[:60]!r}: it was deleted or has expired")
        return 1

    @contextmanager
    def _writing(self, *, create: bool = False) -> Iterator[Library]:
        with Library(self.path, create=create) as library, library.writing():
            yield library

    def _ingested(self, library: Library, tally: records.Tally, on_progress: OnProgress) -> Ingested:
        refreshed = refresh(library, self.engines, self.settings, on_progress)
        return Ingested(tally, refreshed, StoredFrontier(library).counts()[0])

    def _take_sample(self, library: Library, tally: records.Tally) -> None:
        if not has_companies(library):
            replace_companies(library, Companies(Path(str(sample.COMPANIES))))
        if library.fact("pr_min") is None:  # ranks that somebody imported are not for the sample to replace
            import_ranks(library, Path(str(sample.POPULARITY)))
        ingesting.ingest_pages(library, sample.pages(), self.settings, tally)

    def _behind(self, library: Library, which: Which, policies: int) -> int:
        """Return how many policies an index is behind by: all of them where it is not there or cannot be read."""
        try:
            return indexing.lag_of(library, self.engines.engine(which)).policies
        except BadIndex:
            return policies


def _ids(library: Library, policies: Sequence[str], sites: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of all policies that are meant."""
    if not policies and not sites:
        raise NoSuchPolicy("name a policy to remove by id, address or domain, or give --site")
    ids = [reading.find_policy(library, policy).policy_id for policy in policies]
    for site in sites:
        of_site = reading.policies_of(library, site, copies=True)
        if not of_site:
            raise NoSuchPolicy(f"no policy of the site {site!r} is in the library; give a domain such as example.com")
        ids += of_site
    return tuple(dict.fromkeys(ids))


def write_feedback(to: Path, entries: Sequence[records.Feedback]) -> None:
    """Write what readers said of answers to a .csv or .jsonl file, whole or not at all."""
    kind = to.suffix.lower()
    if kind not in {".csv", ".jsonl"}:
        raise BadQuery(f"{to.name!r} has no known format; use a name that ends in .csv or .jsonl")
    rows = map(asdict, entries)
    with whole_file(to) as part, part.open("wb") as file:
        if kind == ".jsonl":
            file.writelines(map(json_line, rows))
            return
        file.write(csv_line([field.name for field in fields(records.Feedback)]))
        for row, entry in zip(rows, entries, strict=True):
            row["places"] = JOINT.join(f"{at.version_id}:{at.start}-{at.end}" for at in entry.places)
            file.write(csv_line([inert(cell) for cell in row.values()]))
