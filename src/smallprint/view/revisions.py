"""Two versions of one policy: how to choose them, what changed between them, and under which headings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from smallprint.addresses import short
from smallprint.errors import NoSuchVersion, OurChange
from smallprint.library import Library, reading
from smallprint.library.reading import PolicyEntry, VersionEntry, captures, successors
from smallprint.records import BlockKind, Segment, Span
from smallprint.view.changes import Change, Summary, diff

# No run of blanks between two paragraphs is longer.
LONGEST_BREAK = 16
_DATE = re.compile(r"(?:19|20)\d\d(?:-\d\d(?:-\d\d(?:T.*)?)?)?")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, list item or heading with what changed in it, in the order of reading.

    `first` is the number of its first change in the whole; `headings` is the path above it, in the new version or,
    where nothing of the paragraph is left, in the old one; so is its kind. `old_segment` and `new_segment` are those in
    which it begins.
    """

    first: int
    changes: tuple[Change, ...]
    kind: BlockKind
    headings: tuple[str, ...]
    old_segment: int | None
    new_segment: int | None

    @property
    def is_same(self) -> bool:
        """Whether nothing in it changed."""
        return all(change.kind == "same" for change in self.changes)


@dataclass(frozen=True, slots=True)
class Revision:
    """What changed from one version of a policy to another.

    `recleaned` warns that the two were read by different cleaners, so that some of it may be our doing.
    """

    policy_id: str
    url: str
    old: VersionEntry
    new: VersionEntry
    old_text: str
    new_text: str
    summary: Summary
    paragraphs: tuple[Paragraph, ...]
    recleaned: bool


def revision(library: Library, entry: PolicyEntry, old: str | None = None, new: str | None = None) -> Revision:
    """Compare two versions, each given as `choose` reads it; by default the current one with the one before it."""
    later = choose(library, entry, new)
    earlier = choose(library, entry, old) if old else _before(library, entry, later)
    if earlier == later:
        if old and not _DATE.fullmatch(old) and earlier.version_id not in _named(library, entry, old):
            raise OurChange(f"{old} is {later.version_id} as an earlier cleaner read it: the policy did not change")
        raise NoSuchVersion(f"both are {earlier.version_id}; give two versions: {_listed(entry)}")
    ids = (earlier.version_id, later.version_id)
    with library.reading():
        old_text, new_text = (reading.text(library, version_id) for version_id in ids)
        ours, theirs = (reading.segments(library, version_id) for version_id in ids)
        recleaned = reading.cleaner(library, ids[0]) != reading.cleaner(library, ids[1])
    sentences = ([span for segment in segments for span in segment.sentences] for segments in (ours, theirs))
    changes = diff(old_text, new_text, *sentences)
    return Revision(
        entry.policy_id, entry.url, earlier, later, old_text, new_text, changes.summary,
        tuple(paragraphs(changes.changes, (old_text, ours), (new_text, theirs))), recleaned,
    )  # fmt: skip


def choose(library: Library, entry: PolicyEntry, wanted: str | None = None) -> VersionEntry:
    """Find a version by its id, by the beginning of its id or of its hash, or as of a date; by default the current one.

    A date means the version that was there at its end: "2023" is the one seen last until the end of that year. The id
    of a version that was replaced when its page was read again leads to what took its place.
    """
    if not wanted:
        return entry.current
    if _DATE.fullmatch(wanted):
        times = captures(library, entry.policy_id)
        seen = [capture for capture in times if capture.captured_at[: len(wanted)] <= wanted]
        if not seen:
            first = entry.versions[0].first_seen
            raise NoSuchVersion(f"{entry.policy_id} was not seen until {wanted}; the first time was {first}")
        return entry.version(seen[-1].version_id)
    named = set(_named(library, entry, wanted).values())
    if len(named) != 1:
        many = f"{len(named)} versions" if named else "no version"
        raise NoSuchVersion(f"{entry.policy_id} has {many} {wanted!r}; {_listed(entry)}")
    return entry.version(named.pop())


def _named(library: Library, entry: PolicyEntry, wanted: str) -> dict[str, str]:
    """Return the versions that the beginning of an id may mean, each with what it leads to today."""
    kept = {version.version_id: version.version_id for version in entry.versions}
    return _beginning(kept, wanted) or _beginning(successors(library, entry.policy_id), wanted)


def _beginning(versions: dict[str, str], wanted: str) -> dict[str, str]:
    """Return the versions whose id, or hash, begins so."""
    return {old: now for old, now in versions.items() if old.startswith(wanted) or short(old).startswith(wanted)}


def paragraphs(changes: Sequence[Change], old: _Laid, new: _Laid) -> Iterator[Paragraph]:
    """Gather changes into paragraphs: those of the new version, with what went from among them, and those that went."""
    renamed: dict[str, str] = {}  # what stood under a heading that was reworded is shown under the new one
    ends = [place for place in range(1, len(changes)) if _ends(changes, place, old[0], new[0])]
    for first, place in pairwise([0, *ends, len(changes)] if changes else []):
        own = tuple(changes[first:place])
        ours = next((_at(old[1], change.old) for change in own if change.old), None)
        theirs = next((_at(new[1], change.new) for change in own if change.new), None)
        kind, headings = (theirs.kind, theirs.headings) if theirs else ("paragraph", ())
        if ours and not theirs:
            kind, headings = ours.kind, tuple(renamed.get(heading, heading) for heading in ours.headings)
        elif ours and theirs and kind == "heading":
            renamed[_words(old[0], ours)] = _words(new[0], theirs)
        yield Paragraph(first, own, kind, headings, ours.ordinal if ours else None, theirs.ordinal if theirs else None)


_Laid = tuple[str, tuple[Segment, ...]]


def _ends(changes: Sequence[Change], place: int, old: str, new: str) -> bool:
    """Return whether a paragraph ends before a change: in the text that the change is in, a new line comes before it.

    Before the first of the new text nothing comes: what went before it ends with the new line in the old one.
    """
    gone, ours, theirs = changes[place - 1].old, changes[place].old, changes[place].new
    if theirs and theirs.start == 0 and gone:
        return "\n" in _blanks_before(old, gone.end)
    text, span = (new, theirs) if theirs else (old, ours)
    return span is not None and "\n" in _blanks_before(text, span.start)


def _blanks_before(text: str, place: int) -> str:
    stretch = text[max(0, place - LONGEST_BREAK) : place]
    return stretch[len(stretch.rstrip()) :]


def _words(text: str, segment: Segment) -> str:
    return " ".join(text[segment.start : segment.end].split())


def _at(segments: tuple[Segment, ...], span: Span) -> Segment | None:
    place = bisect_right(segments, span.start, key=lambda segment: segment.start)
    return segments[place - 1] if place else None


def _before(library: Library, entry: PolicyEntry, later: VersionEntry) -> VersionEntry:
    """Return the version that was there before another was last seen."""
    seen = [capture.version_id for capture in captures(library, entry.policy_id)]
    last = len(seen) - seen[::-1].index(later.version_id)
    others = [version_id for version_id in seen[:last] if version_id != later.version_id]
    if not others:
        only = "is the only version" if len(entry.versions) == 1 else "is the first version"
        raise NoSuchVersion(f"{later.version_id} {only} of {entry.policy_id}, so there is none to compare it with")
    return entry.version(others[-1])


def _listed(entry: PolicyEntry) -> str:
    return f"'smallprint show {entry.policy_id} --brief' lists them"


@dataclass(frozen=True, slots=True)
class CitedVersion:
    """A version whose text is cited; `successor` is how its page reads today, where a newer cleaner replaced it."""

    version: VersionEntry
    successor: VersionEntry | None = None

    @property
    def replaced_by(self) -> str | None:
        """The id of the successor."""
        return self.successor.version_id if self.successor else None


def cited_version(library: Library, entry: PolicyEntry, wanted: str | None = None) -> CitedVersion:
    """Find a version as `choose` does, but return a replaced one as it was; by default the current one."""
    version = choose(library, entry, wanted)
    replaced = [old for old, now in _named(library, entry, wanted).items() if old != now] if wanted else []
    if not replaced:
        return CitedVersion(version)
    if len(replaced) > 1:
        raise NoSuchVersion(f"{len(replaced)} versions that were replaced begin with {wanted!r}; give the whole id")
    return CitedVersion(reading.replaced_version(library, replaced[0], version), version)


def in_words(cited: CitedVersion) -> str:
    """Return a note that a text is of an earlier reading, and what the page reads as today; empty where it is not."""
    earlier = "This text was extracted by an earlier version of Smallprint."
    return f"{earlier} Today the same page is read as {cited.replaced_by}." if cited.successor else ""
