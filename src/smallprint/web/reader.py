"""A policy's view and what its reader asked for in, the text as the page sets it out: passages, labels, marks."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Literal

from markupsafe import Markup

from smallprint.annotate.mentions import names
from smallprint.records import Span
from smallprint.search.language import understand
from smallprint.search.snippets import telling_places
from smallprint.taxonomy import DOES
from smallprint.view.labels import UNTOLD
from smallprint.view.policy import Passage, PolicyView
from smallprint.web.marks import Mark, marked
from smallprint.web.palette import HUES, Hue, hue

Others = Literal["dim", "hide"]
# The page's own headings are h1 and h2.
FIRST_LEVEL, LAST_LEVEL = 3, 6
# Places that an address may have marked; an answer quotes at most a dozen.
MOST_QUOTED = 12
_PLACE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a reader asked for: categories to show, what becomes of other passages, marks, words, passages ticked.

    `quoted` are the places that an answer quotes.
    """

    show: tuple[str, ...] = ()
    others: Others = "dim"
    mark: tuple[str, ...] = ()
    q: str = ""
    ticked: frozenset[int] = frozenset()
    quoted: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Tag:
    """A category at the margin: how likely, and what in particular, in words."""

    hue: Hue
    probability: float
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A passage as it is shown. `level` is a heading's; `goes_on` where a long paragraph was cut before it."""

    ordinal: int
    kind: str
    level: int
    words: Markup
    tags: tuple[Tag, ...]
    shown: bool
    ticked: bool
    goes_on: bool


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines that belong together: `folded` where the reader does not want to see them; `kinds` has runs of a kind."""

    folded: bool
    kinds: tuple[tuple[str, tuple[Line, ...]], ...]
    passages: int


@dataclass(frozen=True, slots=True)
class Reader:
    """The text of a policy as it is shown, and how often there is what can be chosen."""

    stretches: tuple[Stretch, ...]
    counts: dict[str, int]
    shown: int
    passages: int
    vague_words: int
    names: int
    found: int


def reader(view: PolicyView, asked: Asked) -> Reader:
    """Set a policy out as it was asked for."""
    wanted = set(asked.show)
    found = _found(view.text, asked.q)
    starts = [one.start for one in found]
    quoted = [Mark(one.start, one.end, "quoted") for one in asked.quoted]
    lines = []
    end = None
    for passage in view.passages:
        marks = [*quoted, *_marks(passage, asked.mark), *_within(found, starts, passage)]
        lines.append(_line(view.text, passage, marks, asked, wanted, end))
        end = passage.segment.end
    spoken = [line for line in lines if line.kind != "heading"]
    return Reader(
        stretches=tuple(_stretches(lines, fold=bool(wanted) and asked.others == "hide")),
        counts=Counter(tag.hue.id for line in lines for tag in line.tags),
        shown=sum(line.shown for line in spoken),
        passages=len(spoken),
        vague_words=len(view.vague_words),
        names=len(view.mentions),
        found=len(found),
    )


def known(show: Sequence[str]) -> tuple[str, ...]:
    """Give the categories among what was asked for, in their order."""
    return tuple(one.id for one in HUES if one.id in show)


def places(given: Sequence[str]) -> tuple[Span, ...]:
    """Read places such as "120-184" from an address, and pass over what is none."""
    read = [tuple(map(int, found.groups())) for one in given[:MOST_QUOTED] if (found := _PLACE.fullmatch(one))]
    return tuple(Span(start, end) for start, end in read if start < end)


def _line(
    text: str, passage: Passage, marks: list[Mark], asked: Asked, wanted: set[str], before: int | None
) -> Line:  # fmt: skip
    segment = passage.segment
    return Line(
        ordinal=segment.ordinal,
        kind=segment.kind,
        level=min(FIRST_LEVEL + len(segment.headings), LAST_LEVEL) if segment.kind == "heading" else 0,
        words=marked(text, segment.start, segment.end, marks),
        tags=_tags(passage),
        shown=segment.kind == "heading"
        or not wanted
        or any(one.label.category in wanted for one in passage.categories),
        ticked=segment.ordinal in asked.ticked,
        goes_on=before is not None and before < segment.start and "\n" not in text[before : segment.start],
    )


def _tags(passage: Passage) -> tuple[Tag, ...]:
    return tuple(
        Tag(
            hue(one.label.category),
            one.probability,
            # What a passage leaves open, and that it affirms what it speaks of, need no words.
            tuple(
                other.name
                for other in (*passage.polarity, *passage.values)
                if other.label.category == one.label.category and other.label.value not in {DOES, *UNTOLD}
            ),
        )
        for one in passage.categories
    )


def _marks(passage: Passage, wanted: Sequence[str]) -> Iterator[Mark]:
    if "names" in wanted:
        yield from (Mark(one.start, one.end, "name", _plain_names()[one.name]) for one in passage.mentions)
    if "vague" in wanted:
        yield from (Mark(one.start, one.end, "vague") for one in passage.vague_words)


@cache
def _plain_names() -> dict[str, str]:
    return {name.id: name.plain for name in names()}


def _found(text: str, q: str) -> list[Mark]:
    """Find the words of a query, by place, and those that stand together as one; none lies within another."""
    if not q.strip():
        return []
    return [Mark(span.start, span.end, "found") for span, _ in telling_places(text, understand(q).highlights)]


def _within(found: list[Mark], starts: list[int], passage: Passage) -> list[Mark]:
    """Give the marks that a passage has a part of: one may have begun in the passage before."""
    first = bisect_left(starts, passage.segment.start)
    last = bisect_left(starts, passage.segment.end, lo=first)
    return found[max(0, first - 1) : last]


def _stretches(lines: list[Line], *, fold: bool) -> Iterator[Stretch]:
    """Part what is shown from what is folded away; a heading is shown where something under it is."""
    kept = _kept(lines) if fold else set(range(len(lines)))
    for folded, numbered in groupby(enumerate(lines), key=lambda pair: pair[0] not in kept):
        some = [line for _, line in numbered]
        kinds = tuple((kind, tuple(run)) for kind, run in groupby(some, key=lambda line: line.kind))
        yield Stretch(folded, kinds, sum(line.kind != "heading" for line in some))


def _kept(lines: list[Line]) -> set[int]:
    kept: set[int] = set()
    above: list[tuple[int, int]] = []  # the headings above a line, with their levels
    for number, line in enumerate(lines):
        if line.kind == "heading":
            while above and above[-1][1] >= line.level:
                above.pop()
            above.append((number, line.level))
        elif line.shown:
            kept.update((number, *(heading for heading, _ in above)))
    return kept
