"""Two versions of one policy: how to choose them, what changed between them, and under which headings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from smallprint.errors import NoSuchVersion, OurChange
from smallprint.library.captures import captures, cleaner
from smallprint.library.file import Library
from smallprint.library.reading import PolicyEntry, VersionEntry, segments, text
from smallprint.library.successors import successors
from smallprint.records import BlockKind, Segment, Span
from smallprint.view.changes import Change, Diff, Summary, diff

# No run of blanks between two paragraphs is longer.
LONGEST_BREAK = 16
_DATE = re.compile(r"(?:19|20)\d\d(?:-\d\d(?:-\d\d(?:T.*)?)?)?")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, list item or heading with what changed in it, in the order of reading.

    `first` is the number of its first change in the whole; `headings` is the path above it, in the new version or,
    where nothing of the paragraph is left, in the old one; so is its kind. The ordinals are those of the segments in
    which it begins.
    """

    first: int
    changes: tuple[Change, ...]
    kind: BlockKind
    headings: tuple[str, ...]
    old_ordinal: int | None
    new_ordinal: int | None

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
    diff: Diff
    paragraphs: tuple[Paragraph, ...]
    recleaned: bool

    @property
    def summary(self) -> Summary:
        """How much changed."""
        return self.diff.summary


def revision(library: Library, entry: PolicyEntry, old: str | None = None, new: str | None = None) -> Revision:
    """Compare two versions, each given as `choose` reads it; by default the current one with the one before it."""
    later = choose(library, entry, new) if new else entry.current
    earlier = choose(library, entry, old) if old else _before(library, entry, later)
    if earlier == later:
        if old and not _DATE.fullmatch(old) and not is_named(earlier.version_id, old):
            raise OurChange(f"{old} is {later.version_id} as an earlier cleaner read it: the policy did not change")
        raise NoSuchVersion(f"both are {earlier.version_id}; give two versions: {_listed(entry)}")
    with library.reading():
        old_text, new_text = text(library, earlier.version_id), text(library, later.version_id)
        ours, theirs = segments(library, earlier.version_id), segments(library, later.version_id)
        recleaned = cleaner(library, earlier.version_id) != cleaner(library, later.version_id)
    found = diff(old_text, new_text, _sentences(ours), _sentences(theirs))
    return Revision(
        entry.policy_id, entry.url, earlier, later, old_text, new_text, found,
        tuple(paragraphs(found.changes, (old_text, ours), (new_text, theirs))), recleaned,
    )  # fmt: skip


def choose(library: Library, entry: PolicyEntry, wanted: str) -> VersionEntry:
    """Find a version by its id, by the beginning of its id or of what follows the "@", or as of a date.

    A date means the version that was there at its end: "2023" is the one seen last until the end of that year. The id
    of a version that was replaced when its page was read again leads to what took its place.
    """
    if _DATE.fullmatch(wanted):
        seen = [one for one in captures(library, entry.policy_id) if one.captured_at[: len(wanted)] <= wanted]
        if not seen:
            first = entry.versions[0].first_seen
            raise NoSuchVersion(f"{entry.policy_id} was not seen until {wanted}; the first time was {first}")
        return _version(entry, seen[-1].version_id)
    named = {version.version_id for version in entry.versions if is_named(version.version_id, wanted)}
    if not named:
        named = {new for old, new in successors(library, entry.policy_id).items() if is_named(old, wanted)}
    if len(named) != 1:
        many = f"{len(named)} versions" if named else "no version"
        raise NoSuchVersion(f"{entry.policy_id} has {many} {wanted!r}; {_listed(entry)}")
    return _version(entry, named.pop())


def is_named(version_id: str, wanted: str) -> bool:
    """Tell whether a version is meant by the beginning of its id, or of what follows the "@"."""
    return version_id.startswith(wanted) or version_id.rpartition("@")[2].startswith(wanted)


def paragraphs(changes: Sequence[Change], old: _Laid, new: _Laid) -> Iterator[Paragraph]:
    """Gather changes into paragraphs: those of the new version, with what went from among them, and those that went."""
    renamed: dict[str, str] = {}  # what stood under a heading that was reworded is shown under the new one
    first = 0
    for place in range(1, len(changes) + 1):
        if place < len(changes) and not _ends(changes, place, old[0], new[0]):
            continue
        found = _paragraph(first, tuple(changes[first:place]), old[1], new[1])
        if found.kind == "heading" and found.old_ordinal is not None and found.new_ordinal is not None:
            renamed[_words(old, found.old_ordinal)] = _words(new, found.new_ordinal)
        if found.new_ordinal is None:
            found = replace(found, headings=tuple(renamed.get(heading, heading) for heading in found.headings))
        yield found
        first = place


_Laid = tuple[str, tuple[Segment, ...]]


def _ends(changes: Sequence[Change], place: int, old: str, new: str) -> bool:
    """Tell whether a paragraph ends before a change: in the text that the change is in, a new line comes before it.

    Before the first of the new text nothing comes: what went before it ends with the new line in the old one.
    """
    gone, ours, theirs = changes[place - 1].old, changes[place].old, changes[place].new
    if theirs and theirs.start == 0 and gone:
        return "\n" in _blanks_before(old, gone.end)
    text, span = (new, theirs) if theirs else (old, ours)
    return span is not None and "\n" in _blanks_before(text, span.start)


def _blanks_before(text: str, place: int) -> str:
    start = max(0, place - LONGEST_BREAK)
    stretch = text[start:place]
    return stretch[len(stretch.rstrip()) :]


def _words(laid: _Laid, ordinal: int) -> str:
    segment = laid[1][ordinal]
    return " ".join(laid[0][segment.start : segment.end].split())


def _paragraph(
    first: int, changes: tuple[Change, ...], old: tuple[Segment, ...], new: tuple[Segment, ...]
) -> Paragraph:
    ours = next((_at(old, change.old) for change in changes if change.old), None)
    theirs = next((_at(new, change.new) for change in changes if change.new), None)
    shown = theirs or ours
    return Paragraph(
        first,
        changes,
        shown.kind if shown else "paragraph",
        shown.headings if shown else (),
        ours.ordinal if ours else None,
        theirs.ordinal if theirs else None,
    )


def _at(found: tuple[Segment, ...], span: Span) -> Segment | None:
    place = bisect_right(found, span.start, key=lambda segment: segment.start)
    return found[place - 1] if place else None


def _before(library: Library, entry: PolicyEntry, later: VersionEntry) -> VersionEntry:
    """Give the version that was there before another was last seen."""
    seen = [capture.version_id for capture in captures(library, entry.policy_id)]
    last = len(seen) - seen[::-1].index(later.version_id)
    others = [version_id for version_id in seen[:last] if version_id != later.version_id]
    if not others:
        only = "is the only version" if len(entry.versions) == 1 else "is the first version"
        raise NoSuchVersion(f"{later.version_id} {only} of {entry.policy_id}, so there is none to compare it with")
    return _version(entry, others[-1])


def _version(entry: PolicyEntry, version_id: str) -> VersionEntry:
    return next(version for version in entry.versions if version.version_id == version_id)


def _sentences(found: tuple[Segment, ...]) -> list[Span]:
    return [sentence for segment in found for sentence in segment.sentences]


def _listed(entry: PolicyEntry) -> str:
    return f"'smallprint show {entry.policy_id} --brief' lists them"
