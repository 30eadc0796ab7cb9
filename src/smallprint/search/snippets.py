"""The best passages of a policy for a query, with the places of the query's words in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from smallprint.records import Place, Span
from smallprint.text import INNER_END

LENGTH = 240
MOST_MATCHES = 2000
_APOSTROPHES = "’‘ʼ＇"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A stretch of a text, its marked words, and the segment it stands in; all places are in the whole text."""

    start: int
    end: int
    marks: tuple[Span, ...]
    ordinal: int


def snippets(
    text: str, segments: Sequence[Place], highlights: tuple[tuple[str, ...], ...], most: int = 2
) -> tuple[Snippet, ...]:
    """Choose the passages with the most different words of the query, then the most places; else the first one."""
    found = places(text, highlights)
    readable = [segment for segment in segments if segment.kind != "heading" and segment.end > segment.start]
    if not readable:
        return ()
    by_segment: dict[int, list[tuple[Span, str]]] = {}
    starts = [segment.start for segment in readable]
    for span, word in found:
        at = bisect_right(starts, span.start) - 1
        if at >= 0 and span.end <= readable[at].end:
            by_segment.setdefault(at, []).append((span, word))
    if not by_segment:
        first = max(readable[:3], key=lambda segment: segment.end - segment.start)
        return (Snippet(first.start, _end(text, first.start, first.end), (), first.ordinal),)
    made = []
    for at, mark in sorted(_best(by_segment, most)):
        start, end = _trimmed(text, readable[at], mark)
        marks = tuple(span for span, _ in by_segment[at] if start <= span.start and span.end <= end)
        made.append(Snippet(start, end, marks, readable[at].ordinal))
    return tuple(made)


def places(text: str, highlights: tuple[tuple[str, ...], ...]) -> list[tuple[Span, str]]:
    """Find the query's words in a text, by place: whole words only, runs as runs, none within another."""
    folded = _folded(text)
    # By the first word, which is found ten times as fast as by a pattern.
    every = sorted(
        ((match.start(), -match.end(), match[0]) for run in highlights for match in _matches(folded, run)),
    )
    found: list[tuple[Span, str]] = []
    for start, negative, word in every:
        if not found or start >= found[-1][0].end:
            found.append((Span(start, -negative), word))
    return found


def _matches(folded: str, run: tuple[str, ...]) -> Iterator[re.Match[str]]:
    pattern, count = _pattern(run), 0
    at = folded.find(run[0])
    while at >= 0 and count < MOST_MATCHES:
        match = pattern.match(folded, at) if at == 0 or not folded[at - 1].isalnum() else None
        if match:
            count += 1
            yield match
        at = folded.find(run[0], match.end() if match else at + 1)


def _folded(text: str) -> str:
    """Put a text into lower case with straight apostrophes, every letter at its place."""
    for apostrophe in _APOSTROPHES:
        text = text.replace(apostrophe, "'")
    return text.replace("İ", "i").lower()  # the one letter that becomes two


@lru_cache(maxsize=1024)
def _pattern(run: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"[\W_]{1,3}".join(re.escape(word) for word in run) + r"(?![^\W_])")


def _best(by_segment: dict[int, list[tuple[Span, str]]], most: int) -> list[tuple[int, int]]:
    """Give the best segments, each with its best stretch's first mark."""
    # No stretch has more than its whole segment, so that the segments with most come first and the rest are not looked at.
    bounds = sorted(((_worth(word for _, word in marked), -at) for at, marked in by_segment.items()), reverse=True)
    best: list[tuple[tuple[int, int], int, int]] = []
    for bound, at in bounds:
        if len(best) == most and best[-1][:2] >= (bound, at):
            break
        worth, mark = _window(by_segment[-at])
        best = sorted([*best, (worth, at, mark)], reverse=True)[:most]
    return [(-at, mark) for _, at, mark in best]


def _window(marked: list[tuple[Span, str]]) -> tuple[tuple[int, int], int]:
    """Give the worth of a segment's best stretch, and its first mark's start."""
    best, mark = (0, 0), 0
    for first, (span, _) in enumerate(marked):
        worth = _worth(word for later, word in marked[first : first + 40] if later.end <= span.start + LENGTH)
        if worth > best:
            best, mark = worth, span.start
        if marked[-1][0].end <= span.start + LENGTH:
            break
    return best, mark


def _worth(found: Iterable[str]) -> tuple[int, int]:
    """Count the different words and runs among the places of a stretch, and the places."""
    inside = list(found)
    return len({part for word in set(inside) for part in (word, *word.split())}), len(inside)


def _trimmed(text: str, segment: Place, mark: int) -> tuple[int, int]:
    """Cut a stretch around a mark at the ends of words, from its sentence's start if that is near."""
    start = segment.start
    for end in INNER_END.finditer(text, start, mark + 1):
        start = end.end() - 1
    if mark - start > LENGTH // 2:
        start = _word_start(text, mark - LENGTH // 3, segment.start)
    return start, _end(text, start, segment.end)


def _word_start(text: str, near: int, least: int) -> int:
    blank = text.find(" ", max(near, least))
    return blank + 1 if 0 <= blank - near < 30 else max(near, least)


def _end(text: str, start: int, end: int) -> int:
    if end - start <= LENGTH:
        return end
    blank = text.rfind(" ", start + LENGTH // 2, start + LENGTH)
    return blank if blank > 0 else start + LENGTH
