"""What reading a library again comes to, counted through the functions that pages and commands use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

from smallprint.errors import NoSuchVersion, OurChange
from smallprint.library import Library, reading
from smallprint.library.likeness import settle
from smallprint.library.reading import PolicyEntry, captures
from smallprint.pipeline.ingest import reread
from smallprint.records import Page, Rejection
from smallprint.settings import Settings
from smallprint.sources.catalogue import open_source
from smallprint.view.revisions import choose, revision

from .old_cleaner import old_library

# Whole pages of today, and dated pages with the histories of their policies.
REAL = {"corpus/ota_pages_html.jsonl.zst": 500, "corpus/history_tosback2.jsonl.zst": 500}


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts before and after: every one of what is lost, misled or reported must be 0."""

    pages: int
    policies: int
    versions: int
    altered: int
    lost_policies: int
    lost_captures: int
    old_ids_that_lead_nowhere: int
    old_texts_that_changed: int
    changes_of_the_policies: int
    changes_reported_as_theirs: int
    rejections_judged: int

    @property
    def altered_share(self) -> float:
        return self.altered / self.versions


@dataclass(frozen=True, slots=True)
class _State:
    seen: dict[str, list[tuple[str, str, str]]]
    texts: dict[str, str]
    changes: set[tuple[str, str, str]]


def real_pages(data: Path, settings: Settings) -> Iterator[Page]:
    """Yield the first pages of each part of the research data."""
    for name, count in REAL.items():
        items = (item for _, item in open_source(str(data / name), settings).items(skip=0))
        yield from islice((item for item in items if isinstance(item, Page)), count)


def measure(folder: Path, pages: Iterable[Page | Rejection], settings: Settings) -> Figures:
    """Make a library as an older cleaner would have, read it again, and compare."""
    pages = list(pages)
    with Library(old_library(folder / "library.db", pages, settings)) as library:
        before = _state(library)
        done = reread(library, settings)
        settle(library, settings.near_duplicate)
        after = _state(library)
        return Figures(
            pages=len(pages),
            policies=len(before.seen),
            versions=len(before.texts),
            altered=done.replaced,
            lost_policies=len(before.seen.keys() ^ after.seen.keys()),
            lost_captures=sum(before.seen[policy_id] != after.seen.get(policy_id) for policy_id in before.seen),
            old_ids_that_lead_nowhere=sum(not _leads_on(library, version_id) for version_id in before.texts),
            old_texts_that_changed=sum(
                reading.text(library, version_id) != text for version_id, text in before.texts.items()
            ),
            changes_of_the_policies=len(before.changes),
            changes_reported_as_theirs=len(after.changes - before.changes)
            + sum(_is_told_as_change(library, version_id) for version_id in before.texts),
            rejections_judged=done.rejections,
        )


def _state(library: Library) -> _State:
    ids = [row[0] for row in library.db.execute("SELECT policy_id FROM policies ORDER BY policy_id")]
    entries = [reading.find_policy(library, policy_id) for policy_id in ids]
    return _State(
        {
            entry.policy_id: [
                (seen.captured_at, seen.asked_url, seen.page_id) for seen in captures(library, entry.policy_id)
            ]
            for entry in entries
        },
        {
            version.version_id: reading.text(library, version.version_id)
            for entry in entries
            for version in entry.versions
        },
        {change for entry in entries for change in _changes(library, entry)},
    )


def _changes(library: Library, entry: PolicyEntry) -> Iterable[tuple[str, str, str]]:
    """Yield every change of a policy from one capture to the next, by the days between which it happened."""
    seen = captures(library, entry.policy_id)
    for old, new in pairwise(seen):
        if old.version_id == new.version_id:
            continue
        changed = revision(library, entry, old.version_id, new.version_id)
        if not changed.summary.is_empty:
            yield entry.policy_id, old.captured_at, new.captured_at


def _leads_on(library: Library, version_id: str) -> bool:
    """Tell whether an id leads to a version of its policy that was seen, by both ways of asking for it."""
    try:
        entry = reading.find_policy(library, version_id)
        return choose(library, entry, version_id) in entry.versions
    except NoSuchVersion:
        return False


def _is_told_as_change(library: Library, version_id: str) -> bool:
    """Tell whether the difference between an old reading and today's is told as a change of the policy."""
    entry = reading.find_policy(library, version_id)
    today = choose(library, entry, version_id)
    if today.version_id == version_id:
        return False
    try:
        revision(library, entry, version_id, today.version_id)
    except OurChange:
        return False
    return True
