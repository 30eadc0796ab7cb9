"""The units in which a policy is read: sentences, list items with their lead-in, rows and cells with what heads them.

A unit's words are the policy's own, with their place; what is needed to understand them stands in headings and lead-in.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise

from smallprint.records import Segment, Sentence, Span
from smallprint.text import sentences

# A number for how policies are cut into units: what was made of other units is out of date.
UNITS = 3
# A sentence of fewer words ("Yes." or a cell of a table) says nothing by itself.
LEAST_WORDS = 3
# A longer row is read cell by cell, and a longer cell in stretches of so many words.
ROW_WORDS = 60
# So many words of a row's first cell name the row where its other cells are read apart.
NAME_WORDS = 12
# "Security. We protect …": so few words at the beginning of a paragraph or an item head what follows.
RUN_IN_WORDS = 6
# Words that make a sentence of a few words: "We sell nothing." is no heading.
# Where an item of a list in a cell begins.
_ITEM = re.compile(r"(?<=\s)(?=•)")
_SPEAKS = re.compile(
    r"\b(?:we|our|you|your|i|it|they|this|these|is|are|was|do|does|not|no|yes|may|can|will|must|please|see|use|have|has)\b",
    re.IGNORECASE,
)


def sentence_at(text: str, segment: Segment, place: Span | Segment) -> Sentence:
    """Return a stretch of a segment, or all of it, as a sentence with its place."""
    lead_in = text[segment.lead_in.start : segment.lead_in.end] if segment.lead_in else ""
    own = text[place.start : place.end]
    return Sentence(own, segment.headings, segment.ordinal, place.start, place.end, lead_in)


def sentences_of(text: str, segments: Sequence[Segment]) -> tuple[Sentence, ...]:
    """Return the units of a policy in order; headings are what stands above them, and no answer."""
    heads = {segment.lead_in for segment in segments if segment.kind == "row"}
    units = chain.from_iterable(_units(text, segment, heads) for segment in segments)
    return tuple(unit for unit in units if unit.lead_in or len(unit.text.split()) >= LEAST_WORDS)


def _units(text: str, segment: Segment, heads: Container[Span | None]) -> Iterator[Sentence]:
    if segment.kind == "heading":
        return
    if segment.kind == "row" and Span(segment.start, segment.end) in heads:
        yield sentence_at(text, segment, segment)  # where they were not marked, it may be a row like the others
        return
    if segment.kind == "row":
        yield from _row_units(text, segment)
        return
    places = segment.sentences or (segment,)
    first = sentence_at(text, segment, places[0])
    yield first  # even where it heads the rest: "Never sold to anybody." says something, too
    headings = segment.headings
    if len(places) > 1 and _is_run_in(first.text):
        headings = (*headings, first.text.rstrip(" .:–—-"))
    yield from (replace(sentence_at(text, segment, place), headings=headings) for place in places[1:])


def _is_run_in(sentence: str) -> bool:
    """Return whether the first words of a paragraph are the heading of the rest of it."""
    return len(sentence.split()) <= RUN_IN_WORDS and sentence[-1] in ".:–—-" and not _SPEAKS.search(sentence)


def _row_units(text: str, row: Segment) -> Iterator[Sentence]:
    """Read a row whole, or a long one cell by cell: each under the row's name and its column's head."""
    cells = _cells(text, row)
    heads = [text[head.start : head.end] for head in _cells(text, row.lead_in)] if row.lead_in else []
    named = _named(heads, len(cells))
    own = sentence_at(text, row, row)
    if len(own.text.split()) <= ROW_WORDS:
        yield replace(own, lead_in=_introduced(" | ".join(filter(None, named))))
        return
    name = ""
    for head, cell in zip(named, cells, strict=True):
        heading = " – ".join(filter(None, (name, head if name else "")))
        for place in _stretches(text, cell):
            yield replace(sentence_at(text, row, place), lead_in=_introduced(heading))
        name = name or _shortened(text[cell.start : cell.end])


def _named(heads: list[str], cells: int) -> list[str]:
    """Return the head of each cell of a row; the corner of a table is often empty, and then not there."""
    if len(heads) == cells:
        return heads
    return ["", *heads] if heads and len(heads) == cells - 1 else [""] * cells


def _cells(text: str, row: Segment | Span) -> list[Span]:
    """Return the places of a row's cells, without the bars and blanks between them; one may be empty."""
    cells = []
    start = row.start
    for cell in text[row.start : row.end].split("|"):
        words = cell.strip()
        first = start + len(cell) - len(cell.lstrip()) if words else start
        cells.append(Span(first, first + len(words)))
        start += len(cell) + 1
    return cells


def _stretches(text: str, cell: Span) -> Iterator[Span]:
    """Return a cell in stretches of whole sentences and items of lists, each as long as a row may be."""
    begun = last = None
    for place in _pieces(text, cell):
        if begun is not None and last is not None and len(text[begun : place.end].split()) > ROW_WORDS:
            yield Span(begun, last)
            begun = None
        begun, last = place.start if begun is None else begun, place.end
    if begun is not None and last is not None:
        yield Span(begun, last)


def _pieces(text: str, cell: Span) -> Iterator[Span]:
    if cell.start == cell.end:
        return
    bounds = [cell.start, *(item.start() for item in _ITEM.finditer(text, cell.start, cell.end)), cell.end]
    for start, end in pairwise(bounds):
        yield from sentences(text, start, end)


def _introduced(heading: str) -> str:
    return f"{heading.rstrip(' :')}:" if heading else ""


def _shortened(name: str) -> str:
    """Return the first words of the cell that names a row."""
    words = name.split()
    return " ".join(words) if len(words) <= NAME_WORDS else f"{' '.join(words[:NAME_WORDS])} …"
