"""Blocks, put together into a policy's text, and the segments and sentences in it with their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from smallprint import limits
from smallprint.clean.tables import HEADS, UNDER_HEADS
from smallprint.records import Block, Segment, Span
from smallprint.text import sentences

# A passage longer than this is cut between sentences, so that a wall of text can still be pointed into.
LONGEST_WORDS = 220
# A row is cut later, since its cells are told apart by counting them.
LONGEST_ROW = 5 * LONGEST_WORDS
LEAD_IN_WORDS = 80
# A heading below all of a page's own: bold words, such as the name of some rows of a table.
PSEUDO_LEVEL = 6
CLOSED = (".", "!", "?")


def compose(blocks: Iterable[Block]) -> tuple[str, tuple[Segment, ...]]:
    """Join blocks into one text; return it with the places of the passages in it."""
    blocks = list(blocks)
    text = _joined(blocks)
    return text, tuple(_segments(blocks, text))


def _joined(blocks: list[Block]) -> str:
    parts = [blocks[0].text] if blocks else []
    for before, block in pairwise(blocks):
        is_tight = before.kind == block.kind and block.kind in {"item", "row"}
        parts += "\n" if is_tight else "\n\n", block.text
    return "".join(parts)


def _segments(blocks: list[Block], text: str) -> Iterator[Segment]:
    path: list[tuple[int, str]] = []
    leads = _Leads(text)
    ordinal = place = 0
    for block in blocks:
        start = text.index(block.text, place)
        place = end = start + len(block.text)
        if block.kind == "heading":
            while path and path[-1][0] >= block.level:
                path.pop()
        spans = tuple(sentences(text, start, end))
        lead = leads.over(block, spans)
        headings = tuple(title for _, title in path)
        for passage in _passages(spans, text, LONGEST_ROW if block.kind == "row" else LONGEST_WORDS):
            yield Segment(ordinal, block.kind, passage[0].start, passage[-1].end, headings, lead, passage)
            ordinal += 1
        if block.kind == "heading":
            path.append((block.level, " ".join(block.text.split())))


def _passages(spans: tuple[Span, ...], text: str, longest: int) -> Iterator[tuple[Span, ...]]:
    passage: list[Span] = []
    length = 0
    for span in spans:
        words = len(text[span.start : span.end].split())
        if passage and length + words > longest:
            yield tuple(passage)
            passage, length = [], 0
        passage.append(span)
        length += words
    if passage:
        yield tuple(passage)


class _Leads:
    """Remembers what introduces a list: the open sentence before it, or the item above a nested one.

    What introduces a row of a table is the row of its columns' heads; other blocks may stand between them.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at_level: dict[int, Span | None] = {}
        self.last: Span | None = None
        self.heads: Span | None = None

    def over(self, block: Block, spans: tuple[Span, ...]) -> Span | None:
        last = spans[-1] if spans else None
        if block.kind != "item":
            self.at_level.clear()
            self.last = last if block.kind == "paragraph" and self._opens(last) else None
            return self._over_row(block, spans)
        while self.at_level and next(reversed(self.at_level)) > block.level:  # levels stand in rising order
            self.at_level.popitem()
        self.at_level.setdefault(block.level, self.last)
        self.last = last if self._opens(last) else self.at_level[block.level]
        return self.at_level[block.level]

    def _over_row(self, block: Block, spans: tuple[Span, ...]) -> Span | None:
        if block.kind == "row" and block.level == UNDER_HEADS:
            return self.heads
        if block.kind == "row":
            heads = Span(spans[0].start, spans[-1].end) if spans and block.level == HEADS else None
            self.heads = heads if heads and self._is_short(heads) else None
        elif block.kind == "heading" and block.level < PSEUDO_LEVEL:
            self.heads = None
        return None

    def _opens(self, span: Span | None) -> bool:
        return span is not None and self._is_short(span) and not self.text[span.start : span.end].endswith(CLOSED)

    def _is_short(self, span: Span) -> bool:
        is_short = span.end - span.start <= limits.MAX_LEAD_IN
        return is_short and len(self.text[span.start : span.end].split()) <= LEAD_IN_WORDS
