"""Two sequences in, the places at which they are the same out; in bounded time, whatever is in them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from smallprint import limits


class Pair(NamedTuple):
    """A place in the old sequence and the place in the new one that belongs to it."""

    old: int
    new: int


class Stretch(NamedTuple):
    """Things of the old sequence, from `a` to before `b`, and of the new one, from `c` to before `d`; one may be empty.

    `same` where they do not differ.
    """

    a: int
    b: int
    c: int
    d: int
    same: bool = False


def align(old: Sequence[Hashable], new: Sequence[Hashable], weights: Sequence[int] | None = None) -> list[Pair]:
    """Pair equal things, rising on both sides; `weights` says what each thing of `old` is worth, at least 1."""
    worth = weights or [2] * len(old)
    pairs: list[Pair] = []
    rest = [Stretch(0, len(old), 0, len(new))]
    while rest:  # a stack of our own, for a hostile text could make recursion as deep as it is long
        part = _trim(rest.pop(), old, new, pairs)
        cells = (part.b - part.a) * (part.d - part.c)
        if not cells:
            continue
        if cells <= limits.MAX_ALIGNED_PAIRS:
            pairs += _heaviest(part, old, new, worth)
            continue
        anchors = _anchors(part, old, new)
        pairs += anchors
        if anchors:
            begins = [Pair(part.a, part.c), *(Pair(i + 1, j + 1) for i, j in anchors)]
            ends = [*anchors, Pair(part.b, part.d)]
            rest += [Stretch(i, k, j, m) for (i, j), (k, m) in zip(begins, ends, strict=True)]
    return sorted(pairs)


def chain(pairs: Sequence[Pair], weights: Sequence[int]) -> list[Pair]:
    """Choose from pairs those that rise on both sides and weigh most together."""
    if not pairs:
        return []
    highest = _Highest(max(pair.new for pair in pairs) + 1)
    before: list[int | None] = [None] * len(pairs)
    # Of one old place the later new places come first, so that none can follow another.
    for number in sorted(range(len(pairs)), key=lambda number: (pairs[number].old, -pairs[number].new)):
        weight, before[number] = highest.below(pairs[number].new)
        highest.put(pairs[number].new, weight + weights[number], number)
    return _followed(pairs, before, highest.below(highest.size)[1])


def _followed(pairs: Sequence[Pair], before: Sequence[int | None], last: int | None) -> list[Pair]:
    """Return a series of pairs from its last one, `before` saying which comes before each."""
    series = []
    while last is not None:
        series.append(pairs[last])
        last = before[last]
    return series[::-1]


class _Highest:
    """The highest weight put below a place, and who put it: a Fenwick tree, so that both take few steps."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._tree: list[tuple[int, int | None]] = [(0, None)] * (size + 1)

    def put(self, place: int, weight: int, who: int) -> None:
        place += 1
        while place <= self.size:
            if weight > self._tree[place][0]:
                self._tree[place] = (weight, who)
            place += place & -place

    def below(self, place: int) -> tuple[int, int | None]:
        best: tuple[int, int | None] = (0, None)
        while place > 0:
            if self._tree[place][0] > best[0]:
                best = self._tree[place]
            place -= place & -place
        return best


def _trim(part: Stretch, old: Sequence[Hashable], new: Sequence[Hashable], pairs: list[Pair]) -> Stretch:
    """Add pairs of what is the same at both ends, and return what is left between."""
    a, b, c, d, _ = part
    while a < b and c < d and old[a] == new[c]:
        pairs.append(Pair(a, c))
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
        pairs.append(Pair(b, d))
    return Stretch(a, b, c, d)


def _anchors(part: Stretch, old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Pair]:
    """Pair the things that are there once on either side, the longest series of them that keeps its order."""
    a, b, c, d, _ = part
    once_old, once_new = Counter(old[a:b]), Counter(new[c:d])
    where = {new[j]: j for j in range(c, d) if once_new[new[j]] == 1}
    common = [Pair(i, where[old[i]]) for i in range(a, b) if once_old[old[i]] == 1 and old[i] in where]
    lasts: list[int] = []  # the least new place at which a series of each length ends
    ends: list[int] = []
    before: list[int | None] = []
    for number, pair in enumerate(common):
        length = bisect_left(lasts, pair.new)
        before.append(ends[length - 1] if length else None)
        lasts[length : length + 1] = [pair.new]
        ends[length : length + 1] = [number]
    return _followed(common, before, ends[-1] if ends else None)


def _heaviest(part: Stretch, old: Sequence[Hashable], new: Sequence[Hashable], worth: Sequence[int]) -> list[Pair]:
    """Find the pairs that weigh most together; a pair that goes on from the one before weighs half as much again.

    So, of two ways to pair as many words, the one in longer runs is taken, which is the one that reads better.
    """
    a, b, c, d, _ = part
    theirs = new[c:d]
    if set(old[a:b]).isdisjoint(theirs):
        return []
    best = [[0] * (d - c + 1)]  # the highest weight of pairs among the first i and the first j things
    runs = [[0] * (d - c + 1)]  # the same where the last pair is (i, j), else 0
    for i in range(a, b):
        thing, weight = old[i], worth[i]
        above, above_run = best[-1], runs[-1]
        row, run, left = [0], [0], 0
        for j, other in enumerate(theirs):
            here = 0
            if thing == other:
                here = weight + max(above[j], above_run[j] + weight // 2 if above_run[j] else 0)
            left = max(left, above[j + 1], here)
            row.append(left)
            run.append(here)
        best.append(row)
        runs.append(run)
    return _trace(part, best, runs, worth)


def _trace(part: Stretch, best: list[list[int]], runs: list[list[int]], worth: Sequence[int]) -> list[Pair]:
    """Go back through the table of weights along the pairs that made the highest."""
    i, j = part.b - part.a, part.d - part.c
    pairs: list[Pair] = []
    running = False
    while i and j:
        if not running and best[i][j] == best[i - 1][j]:
            i -= 1
        elif not running and best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            weight = worth[part.a + i - 1]
            pairs.append(Pair(part.a + i - 1, part.c + j - 1))
            before = runs[i - 1][j - 1]
            running = bool(before) and runs[i][j] == weight + before + weight // 2
            i, j = i - 1, j - 1
    return pairs
