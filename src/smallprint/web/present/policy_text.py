"""A policy's text as a page sets it out, with labels and marks; and what changed in it from version to version."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Literal

from markupsafe import Markup, escape

from smallprint.records import Span
from smallprint.shelf import records
from smallprint.shelf.records import Change, Paragraph, PolicyView, Revision, SegmentSaid
from smallprint.taxonomy import DOES, POLARITY
from smallprint.web.present.marks import HUES, Mark, marked

# The page's own headings are h1 and h2.
FIRST_LEVEL, LAST_LEVEL = 3, 6
# Places that an address may have marked; an answer quotes at most a dozen.
MOST_QUOTED = 12
_PLACE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
Kind = Literal["same", "added", "removed", "changed", "moved"]
# So many unchanged paragraphs are shown rather than folded: a fold takes as much room.
SHORT = 1
_ADDED, _REMOVED = Markup("<ins{}>{}</ins>"), Markup("<del{}>{}</del>")
# What a quiet change was before is kept for whoever looks for it; it is not to be seen.
_QUIET = Markup('<span class="quiet" data-was="{}">{}</span>')


@dataclass(frozen=True, slots=True)
class Line:
    """A segment as it is shown, with its marks. `level` is a heading's; `goes_on` where a paragraph was cut."""

    segment: SegmentSaid
    level: int
    words: Markup
    shown: bool
    goes_on: bool


# Lines that belong together: whether they are folded away, how many are no headings, and runs of lines of a kind.
Stretch = tuple[bool, int, list[tuple[str, list[Line]]]]


@dataclass(frozen=True, slots=True)
class Reader:
    """The text of a policy as it is shown, and how often there is what can be chosen."""

    stretches: tuple[Stretch, ...]
    counts: dict[str, int]
    shown: int
    passages: int
    found: int


def reader(
    view: PolicyView, q: str, show: Sequence[str], mark: Sequence[str], quoted: Sequence[Span], *, fold: bool
) -> Reader:
    """Set a policy out with the words `q`, what is to `mark` and the places `quoted` by an answer marked.

    Passages of other categories than those to `show` are grey, or folded away; all are shown where none is chosen.
    """
    wanted = set(show)
    # The words of a query, by place, and those that stand together as one; none lies within another.
    spans = records.telling_places(view.text, records.parse_query(q).highlights) if q.strip() else []
    matches = [Mark(span.start, span.end, "found") for span, _ in spans]
    quotes = [Mark(span.start, span.end, "quoted") for span in quoted]
    chosen = sorted(_chosen_marks(view, mark))
    lines = []
    end = None
    for segment in view.segments:
        # A match may have begun in the passage before.
        marks = [*quotes, *_within(chosen, segment), *_within(matches, segment, before=1)]
        lines.append(_line(view.text, segment, marks, wanted, end))
        end = segment.end
    spoken = [line for line in lines if line.segment.kind != "heading"]
    return Reader(
        stretches=tuple(_stretches(lines, fold=bool(wanted) and fold)),
        counts=Counter(label.category for segment in view.segments for label in segment.categories),
        shown=sum(line.shown for line in spoken),
        passages=len(spoken),
        found=len(matches),
    )


def known(show: Sequence[str]) -> tuple[str, ...]:
    """Return the categories among what was asked for, in their order."""
    return tuple(hue.id for hue in HUES if hue.id in show)


def places(texts: Sequence[str]) -> tuple[Span, ...]:
    """Read places such as "120-184" from an address, and pass over what is none."""
    matches = filter(None, map(_PLACE.fullmatch, texts[:MOST_QUOTED]))
    return tuple(Span(start, end) for start, end in (map(int, match.groups()) for match in matches) if start < end)


def details(segment: SegmentSaid, category: str) -> list[str]:
    """Return in words what a segment says of a category in particular; whether it is denied comes first."""
    values = [label for label in segment.labels if label.attribute and label.category == category]
    # What it leaves open, and that it affirms what it speaks of, need no words.
    telling = (label for label in values if label.value not in {DOES, *records.UNTOLD})
    return [label.name for label in sorted(telling, key=lambda label: label.label not in POLARITY)]


def _line(text: str, segment: SegmentSaid, marks: list[Mark], wanted: set[str], before: int | None) -> Line:
    is_heading = segment.kind == "heading"
    return Line(
        segment,
        min(FIRST_LEVEL + len(segment.headings), LAST_LEVEL) if is_heading else 0,
        marked(text, segment.start, segment.end, marks),
        is_heading or not wanted or any(label.category in wanted for label in segment.categories),
        before is not None and before < segment.start and "\n" not in text[before : segment.start],
    )


def _chosen_marks(view: PolicyView, wanted: Sequence[str]) -> Iterator[Mark]:
    if "names" in wanted:
        yield from (Mark(at.start, at.end, "name", _plain_names()[at.name]) for at in view.annotations.mentions or ())
    if "vague" in wanted and view.annotations.vagueness:
        yield from (Mark(word.start, word.end, "vague") for word in view.annotations.vagueness.words)


@cache
def _plain_names() -> dict[str, str]:
    return {name.id: name.plain for name in records.names()}


def _within(marks: list[Mark], segment: SegmentSaid, before: int = 0) -> list[Mark]:
    """Return the marks that begin in a segment, and so many before it."""
    first = bisect_left(marks, segment.start, key=attrgetter("start"))
    last = bisect_left(marks, segment.end, lo=first, key=attrgetter("start"))
    return marks[max(0, first - before) : last]


def _stretches(lines: list[Line], *, fold: bool) -> Iterator[Stretch]:
    """Part what is shown from what is folded away; a heading is shown where something under it is."""
    kept = _kept(lines) if fold else set(range(len(lines)))
    for folded, numbered in groupby(enumerate(lines), key=lambda pair: pair[0] not in kept):
        some = [line for _, line in numbered]
        kinds = [(kind, list(run)) for kind, run in groupby(some, key=attrgetter("segment.kind"))]
        yield folded, sum(line.segment.kind != "heading" for line in some), kinds


def _kept(lines: list[Line]) -> set[int]:
    kept: set[int] = set()
    above: list[tuple[int, int]] = []  # the headings above a line, with their levels
    for number, line in enumerate(lines):
        if line.segment.kind == "heading":
            while above and above[-1][1] >= line.level:
                above.pop()
            above.append((number, line.level))
        elif line.shown:
            kept.update((number, *(heading for heading, _ in above)))
    return kept


@dataclass(frozen=True, slots=True)
class Redlined:
    """A paragraph with its marks, the headings `above` it that the page does not show, and whereto sentences moved."""

    number: int
    kind: Kind
    paragraph: Paragraph
    words: Markup
    above: tuple[str, ...]
    twins: tuple[int, ...]


# Paragraphs in a row: changed ones, or unchanged ones that are folded away, and whether they are.
Run = tuple[bool, Sequence[Redlined]]


def redline(revision: Revision) -> tuple[Run, ...]:
    """Set out what changed, paragraph by paragraph."""
    home = {
        paragraph.first + offset: number
        for number, paragraph in enumerate(revision.paragraphs)
        for offset in range(len(paragraph.changes))
    }
    lines = []
    for number, paragraph in enumerate(revision.paragraphs):
        twins = {home[change.twin] for change in paragraph.changes if change.twin is not None} - {number}
        words = Markup("").join(_written(change, revision) for change in paragraph.changes)
        lines.append(Redlined(number, _kind(paragraph), paragraph, words, paragraph.headings, tuple(sorted(twins))))
    return tuple(_with_headings(_runs(lines), revision))


def _with_headings(runs: Iterable[Run], revision: Revision) -> Iterator[Run]:
    """Say where a paragraph stands only where that is not plain from what is shown before it."""
    plain: tuple[str, ...] = ()
    for folded, paragraphs in runs:
        lines = []
        for line in paragraphs:
            is_heading = line.paragraph.kind == "heading"
            is_needed = not (folded or line.kind == "same" or is_heading or line.above == plain)
            lines.append(line if is_needed else replace(line, above=()))
            if not folded and is_heading:
                plain = (*line.above, _heading(line.paragraph, revision))
            elif is_needed:
                plain = line.above
        yield folded, lines


def _runs(lines: list[Redlined]) -> Iterator[Run]:
    for same, run in groupby(lines, key=lambda line: line.kind == "same"):
        some = tuple(run)
        # A heading right before something changed says where one is, and stays in sight.
        head = 1 if same and some[-1].paragraph.kind == "heading" and some[-1] is not lines[-1] else 0
        hidden, seen = (some[: len(some) - head], some[len(some) - head :]) if same else ((), some)
        if hidden:
            yield len(hidden) > SHORT, hidden
        if seen:
            yield False, seen


def _heading(paragraph: Paragraph, revision: Revision) -> str:
    """Return a heading as it is named in the paths of what stands under it."""
    new = "".join(revision.new_text[span.start : span.end] for change in paragraph.changes if (span := change.new))
    old = "".join(revision.old_text[span.start : span.end] for change in paragraph.changes if (span := change.old))
    return " ".join((new or old).split())


def _kind(paragraph: Paragraph) -> Kind:
    if not paragraph.is_same and all(change.twin is not None for change in paragraph.changes):
        return "moved"
    kinds = {change.kind for change in paragraph.changes}
    return kinds.pop() if len(kinds) == 1 else "changed"


def _written(change: Change, revision: Revision) -> Markup:
    """Write a sentence so that without <ins> it is the old one, to the letter, and without <del> the new one."""
    moved = Markup(' class="moved"') if change.twin is not None else Markup("")
    parts = []
    for piece in change.pieces:
        if piece.kind == "same" and piece.new:
            parts.append(escape(revision.new_text[piece.new.start : piece.new.end]))
        elif piece.kind == "quiet":
            parts.append(_QUIET.format(piece.removed, piece.added))
        elif piece.kind == "removed":
            parts.append(_REMOVED.format(moved, piece.removed))
        else:
            parts.append(_ADDED.format(moved, piece.added))
    return Markup("").join(parts)
