"""The best passages of a policy for a query, with the places of the query's words in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from smallprint import limits
from smallprint.records import Place, Span
from smallprint.text import INNER_END

LENGTH = 240
_APOSTROPHES = "’‘ʼ＇"
# A place, and the word or run that stands there.
Marked = tuple[Span, str]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A stretch of a text, its marked words, and the segment it stands in; all places are in the whole text."""

    start: int
    end: int
    marks: tuple[Span, ...]
    segment: int


def snippets(
    text: str, segments: Sequence[Place], highlights: tuple[tuple[str, ...], ...], most: int = 2
) -> tuple[Snippet, ...]:
    """Choose the passages with the most different words of the query, then the most places; else the first one."""
    readable = [segment for segment in segments if segment.kind != "heading" and segment.end > segment.start]
    if not readable:
        return ()
    # Words that stand together in a heading alone are shown where they stand one by one.
    by_segment = _by_segment(telling_places(text, highlights), readable)
    by_segment = by_segment or _by_segment(places(text, highlights), readable)
    if not by_segment:
        first = max(readable[:3], key=lambda segment: segment.end - segment.start)
        return (Snippet(first.start, _end(text, first.start, first.end), (), first.ordinal),)
    return tuple(_snippet(text, readable[at], by_segment[at], mark) for at, mark in sorted(_best(by_segment, most)))


def places(text: str, highlights: tuple[tuple[str, ...], ...]) -> list[Marked]:
    """Find the query's words in a text, by place: whole words only, runs as runs, none within another."""
    folded = _folded(text)
    return _apart(match for run in highlights for match in _matches(folded, run))


def telling_places(text: str, highlights: tuple[tuple[str, ...], ...]) -> list[Marked]:
    """Find words that stand together somewhere in the text only there: not every "not" for "do not track"."""
    folded = _folded(text)
    by_run = {run: list(_matches(folded, run)) for run in highlights}
    together = {word for run, matches in by_run.items() if len(run) > 1 and matches for word in run}
    return _apart(
        match for run, matches in by_run.items() if len(run) > 1 or run[0] not in together for match in matches
    )


def lacking(texts: Sequence[str], asked: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Return those words and runs that none of the texts has."""
    folded = [_folded(text) for text in texts]
    return tuple(run for run in asked if not any(next(_matches(text, run), None) for text in folded))


def _apart(matches: Iterable[re.Match[str]]) -> list[Marked]:
    """Put matches into their order, the longest of those that begin together, without what begins within another."""
    apart: list[Marked] = []
    for start, negative, word in sorted((match.start(), -match.end(), match[0]) for match in matches):
        if not apart or start >= apart[-1][0].end:
            apart.append((Span(start, -negative), word))
    return apart


def _matches(folded: str, run: tuple[str, ...]) -> Iterator[re.Match[str]]:
    # By the first word, which is found ten times as fast as by a pattern.
    pattern, count = _pattern(run), 0
    at = folded.find(run[0])
    while at >= 0 and count < limits.MAX_MATCHES:
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


def _by_segment(marked: list[Marked], segments: list[Place]) -> dict[int, list[Marked]]:
    """Return what lies within a segment, by the segment's place among them."""
    by_segment: dict[int, list[Marked]] = {}
    starts = [segment.start for segment in segments]
    for span, word in marked:
        at = bisect_right(starts, span.start) - 1
        if at >= 0 and span.end <= segments[at].end:
            by_segment.setdefault(at, []).append((span, word))
    return by_segment


def _best(by_segment: dict[int, list[Marked]], most: int) -> list[tuple[int, int]]:
    """Return the best segments, each with its best stretch's first mark."""
    # No stretch has more than its whole segment: those with most come first, and the rest are not looked at.
    bounds = sorted(((_worth(word for _, word in marked), -at) for at, marked in by_segment.items()), reverse=True)
    best: list[tuple[tuple[int, int], int, int]] = []
    for bound, at in bounds:
        if len(best) == most and best[-1][:2] >= (bound, at):
            break
        worth, mark = _window(by_segment[-at])
        best = sorted([*best, (worth, at, mark)], reverse=True)[:most]
    return [(-at, mark) for _, at, mark in best]


def _window(marked: list[Marked]) -> tuple[tuple[int, int], int]:
    """Return the worth of a segment's best stretch, and its first mark's start."""
    best, mark = (0, 0), 0
    for first, (span, _) in enumerate(marked):
        worth = _worth(word for later, word in marked[first : first + 40] if later.end <= span.start + LENGTH)
        if worth > best:
            best, mark = worth, span.start
        if marked[-1][0].end <= span.start + LENGTH:
            break
    return best, mark


def _worth(words: Iterable[str]) -> tuple[int, int]:
    """Count the different words and runs among the places of a stretch, and the places."""
    counts = Counter(words)
    return len({part for word in counts for part in (word, *word.split())}), counts.total()


def _snippet(text: str, segment: Place, marked: list[Marked], mark: int) -> Snippet:
    """Cut a stretch around a mark at the ends of words, from its sentence's start if that is near."""
    start = segment.start
    for sentence_end in INNER_END.finditer(text, start, mark + 1):
        start = sentence_end.end() - 1
    if mark - start > LENGTH // 2:
        near = mark - LENGTH // 3
        start = max(near, segment.start)
        blank = text.find(" ", start)
        start = blank + 1 if 0 <= blank - near < 30 else start
    end = _end(text, start, segment.end)
    marks = tuple(span for span, _ in marked if start <= span.start and span.end <= end)
    return Snippet(start, end, marks, segment.ordinal)


def _end(text: str, start: int, end: int) -> int:
    if end - start <= LENGTH:
        return end
    blank = text.rfind(" ", start + LENGTH // 2, start + LENGTH)
    return blank if blank > 0 else start + LENGTH
