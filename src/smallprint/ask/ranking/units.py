"""The units in which a policy is read: sentences, list items with their lead-in, rows and cells with what heads them.

A unit's words are the policy's own, with their place; what is needed to understand them stands in headings and lead-in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from smallprint.records import Segment, Sentence, Span

# A number for how policies are cut into units: what was made of other units is out of date.
UNITS = 2
# A sentence of fewer words ("Yes." or a cell of a table) says nothing by itself.
LEAST_WORDS = 3
# A longer row is read cell by cell; the first row's cells are the columns' heads if all are as short as this.
ROW_WORDS, HEAD_WORDS = 60, 8
# "Security. We protect …": so few words at the beginning of a paragraph head what follows.
RUN_IN_WORDS = 6
_CELL = re.compile(r"[^|]+")
# What closes a sentence, or is said of one thing alone, heads no column.
_NO_HEAD = re.compile(r"[.!?;]$|[@\d]")
# Words that make a sentence of a few words: "We sell nothing." is no heading.
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
    units: list[Sentence] = []
    for is_row, run in groupby(segments, lambda segment: segment.kind == "row"):
        own = list(run)
        units += _rows(text, own) if is_row else (unit for segment in own for unit in _unit_sentences(text, segment))
    return tuple(unit for unit in units if unit.lead_in or len(unit.text.split()) >= LEAST_WORDS)


def _unit_sentences(text: str, segment: Segment) -> Iterator[Sentence]:
    if segment.kind == "heading":
        return
    places = segment.sentences or (segment,)
    first = sentence_at(text, segment, places[0])
    if segment.kind == "paragraph" and len(places) > 1 and _is_run_in(first.text):
        headings = (*segment.headings, first.text.rstrip(" .:–—-"))
        yield first  # "Never sold to anybody." says something, too
        yield from (replace(sentence_at(text, segment, place), headings=headings) for place in places[1:])
    else:
        yield from (sentence_at(text, segment, place) for place in places)


def _is_run_in(sentence: str) -> bool:
    """Return whether the first words of a paragraph are the heading of the rest of it."""
    return len(sentence.split()) <= RUN_IN_WORDS and sentence[-1] in ".:–—-" and not _SPEAKS.search(sentence)


def _rows(text: str, rows: list[Segment]) -> Iterator[Sentence]:
    """Read the rows of a table, each under its columns' heads, if the first row has them."""
    tables = [_cells(text, row) for row in rows]
    heads = [text[cell.start : cell.end] for cell in tables[0]]
    is_headed = len(rows) > 1 and all(len(head.split()) <= HEAD_WORDS and not _NO_HEAD.search(head) for head in heads)
    for number, (row, cells) in enumerate(zip(rows, tables, strict=True)):
        own = sentence_at(text, row, row)
        # Nobody says which row has the heads, so the first is read as the others are.
        named = _named(heads, len(cells)) if is_headed and number else [""] * len(cells)
        if len(own.text.split()) <= ROW_WORDS or len(cells) < 2:
            yield replace(own, lead_in=" | ".join(filter(None, named)) + ":" if any(named) else own.lead_in)
            continue
        first = sentence_at(text, row, cells[0])
        yield first
        name = first.text if len(first.text.split()) <= HEAD_WORDS else ""
        for head, cell in zip(named[1:], cells[1:], strict=True):
            heading = " – ".join(filter(None, (name, head)))
            yield replace(sentence_at(text, row, cell), lead_in=heading and f"{heading}:")


def _named(heads: list[str], cells: int) -> list[str]:
    """Return the head of each cell of a row; the corner of a table is often empty, and then not there."""
    if len(heads) == cells:
        return heads
    return ["", *heads] if len(heads) == cells - 1 else [""] * cells


def _cells(text: str, row: Segment) -> list[Span]:
    """Return the places of a row's cells, without the bars and blanks between them."""
    cells = []
    for match in _CELL.finditer(text, row.start, row.end):
        words = match[0]
        start = match.start() + len(words) - len(words.lstrip())
        if stripped := words.strip():
            cells.append(Span(start, start + len(stripped)))
    return cells or [Span(row.start, row.end)]
