"""Which stretches of two texts belong together: sentence by sentence, with what was only cut differently told apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from smallprint import limits
from smallprint.view.alignment import Pair, align, chain
from smallprint.view.tokens import Tokens, is_word

# Two sentences are taken for one that was changed if they share half of their words, weighed by letters, or if nearly
# all of one is within the other: what is less alike reads better as one sentence gone and another come.
ALIKE = 0.5
WITHIN, WITHIN_LETTERS = 0.9, 30
# A sentence joins its neighbours' pair if most of its words are what the other side has too many: it was split off.
SPLIT, SPLIT_LETTERS = 0.7, 12
# What stands in more sentences of a side than this is not rare.
RARE = 4
# Sentences compared with each, those with the most rare things in common.
MOST_CANDIDATES = 5


class Stretch(NamedTuple):
    """Tokens of the old text, from `a` to before `b`, and of the new one, from `c` to before `d`; one may be empty.

    `same` where they do not differ.
    """

    a: int
    b: int
    c: int
    d: int
    same: bool = False


_Sentence = tuple[int, int]
_Bag = Counter[str]
_Pairing = Callable[[Tokens, Tokens, list[_Sentence], list[_Sentence]], Iterator[Stretch]]


def paired(old: Tokens, new: Tokens) -> Iterator[Stretch]:
    """Go through both texts, stretch by stretch: the same, changed, only in the old, only in the new."""
    yield from _between(old, new, list(pairwise(old.firsts)), list(pairwise(new.firsts)), _aligned)


def _between(
    old: Tokens, new: Tokens, ours: list[_Sentence], theirs: list[_Sentence], inner: _Pairing
) -> Iterator[Stretch]:
    """Give what is the same at both ends, however it is cut into sentences, and leave to `inner` what is between."""
    if not ours or not theirs:
        yield from _apart(ours, theirs)
        return
    a, c = ours[0][0], theirs[0][0]
    head = _common(old, new, ours, theirs)
    yield from (Stretch(a + i, a + k, c + i, c + k, same=True) for i, k in pairwise(head))
    ours, theirs = _after(ours, a + head[-1]), _after(theirs, c + head[-1])
    if not ours or not theirs:
        yield from _apart(ours, theirs)
        return
    b, d = ours[-1][1], theirs[-1][1]
    tail = _common(old, new, ours, theirs, backwards=True)
    yield from inner(old, new, _before(ours, b - tail[-1]), _before(theirs, d - tail[-1]))
    yield from (Stretch(b - k, b - i, d - k, d - i, same=True) for i, k in reversed(list(pairwise(tail))))


def _aligned(old: Tokens, new: Tokens, ours: list[_Sentence], theirs: list[_Sentence]) -> Iterator[Stretch]:
    """Pair the sentences that are the same, and then those between them."""
    here, there = [tuple(old.keys[a:b]) for a, b in ours], [tuple(new.keys[a:b]) for a, b in theirs]
    i = j = 0
    for pair in align(here, there, [sum(old.worth[a:b]) for a, b in ours]):
        yield from _between(old, new, ours[i : pair.old], theirs[j : pair.new], _changed)
        yield Stretch(*ours[pair.old], *theirs[pair.new], same=True)
        i, j = pair.old + 1, pair.new + 1
    yield from _between(old, new, ours[i:], theirs[j:], _changed)


def _changed(old: Tokens, new: Tokens, ours: list[_Sentence], theirs: list[_Sentence]) -> Iterator[Stretch]:
    bags = [[_bag(text, *sentence) for sentence in side] for text, side in ((old, ours), (new, theirs))]
    pairs = _alike(*bags)
    i = j = 0
    for number, pair in enumerate(pairs):
        until = pairs[number + 1] if number + 1 < len(pairs) else Pair(len(ours), len(theirs))
        a, c = _reaching_back(bags, pair, i, j)
        b, d = _reaching_on(bags, pair, a, c, until)
        yield from _apart(ours[i:a], theirs[j:c])
        yield Stretch(ours[a][0], ours[b - 1][1], theirs[c][0], theirs[d - 1][1])
        i, j = b, d
    yield from _apart(ours[i:], theirs[j:])


def _apart(ours: Sequence[_Sentence], theirs: Sequence[_Sentence]) -> Iterator[Stretch]:
    """Give sentences without a partner: what is gone, then what came."""
    yield from (Stretch(a, b, 0, 0) for a, b in ours)
    yield from (Stretch(0, 0, c, d) for c, d in theirs)


def _common(
    old: Tokens, new: Tokens, ours: list[_Sentence], theirs: list[_Sentence], *, backwards: bool = False
) -> list[int]:
    """Say how far both sides are the same from their start, or end, in tokens: every place where a sentence is cut.

    A paragraph that was broken in two, or a list that was run together, has other sentences but the same words.
    """
    a, b, c, d = ours[0][0], ours[-1][1], theirs[0][0], theirs[-1][1]
    length = 0
    if backwards:
        while b - length > a and d - length > c and old.keys[b - length - 1] == new.keys[d - length - 1]:
            length += 1
        cuts = {b - start for start, _ in ours} | {d - start for start, _ in theirs}
    else:
        while a + length < b and c + length < d and old.keys[a + length] == new.keys[c + length]:
            length += 1
        cuts = {end - a for _, end in ours} | {end - c for _, end in theirs}
    return [0, *sorted(cut for cut in cuts if cut <= length)]


def _after(sentences: list[_Sentence], place: int) -> list[_Sentence]:
    return [(max(start, place), end) for start, end in sentences if end > place]


def _before(sentences: list[_Sentence], place: int) -> list[_Sentence]:
    return [(start, min(end, place)) for start, end in sentences if start < place]


def _bag(text: Tokens, start: int, end: int) -> _Bag:
    """Give the words of a sentence with what they are worth."""
    bag: _Bag = Counter()
    for key, worth in zip(text.keys[start:end], text.worth[start:end], strict=True):
        if is_word(key):
            bag[key.lower()] += worth
    return bag


def _shared(one: _Bag, other: _Bag) -> int:
    if len(one) > len(other):
        one, other = other, one
    return sum(min(count, other[word]) for word, count in one.items() if word in other)


def _alike(ours: list[_Bag], theirs: list[_Bag]) -> list[Pair]:
    """Pair the sentences that are alike and keep their order, those with the most words in common."""
    every = range(len(ours)), range(len(theirs))
    if len(ours) * len(theirs) <= limits.MAX_SENTENCE_PAIRS:
        return _chained(ours, theirs, (Pair(i, j) for i in every[0] for j in every[1]))
    found = _chained(ours, theirs, _with_something_rare(ours, theirs))
    between = []
    i = j = 0
    for pair in [*found, Pair(len(ours), len(theirs))]:
        if (pair.old - i) * (pair.new - j) <= limits.MAX_SENTENCE_PAIRS:
            some = (Pair(k, m) for k in range(i, pair.old) for m in range(j, pair.new))
            between += _chained(ours, theirs, some)
        i, j = pair.old + 1, pair.new + 1
    return sorted(found + between)


def _chained(ours: list[_Bag], theirs: list[_Bag], candidates: Iterable[Pair]) -> list[Pair]:
    pairs, weights = [], []
    for pair in candidates:
        one, other = ours[pair.old], theirs[pair.new]
        shared, least = _shared(one, other), min(one.total(), other.total())
        within = least >= WITHIN_LETTERS and shared >= WITHIN * least
        if shared and (within or 2 * shared >= ALIKE * (one.total() + other.total())):
            pairs.append(pair)
            weights.append(shared)
    return chain(pairs, weights)


def _with_something_rare(ours: list[_Bag], theirs: list[_Bag]) -> Iterator[Pair]:
    """Give the pairs of sentences that have the most rare words in common."""
    here, there = _where(ours), _where(theirs)
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    for word, numbers in here.items():
        for i in numbers:
            votes[i].update(there.get(word, ()))
    for i, counts in votes.items():
        yield from (Pair(i, j) for j, _ in counts.most_common(MOST_CANDIDATES))


def _where(bags: list[_Bag]) -> dict[str, list[int]]:
    """Say in which sentences each rare word stands."""
    found: dict[str, list[int]] = defaultdict(list)
    for number, bag in enumerate(bags):
        for word in bag:
            found[word].append(number)
    return {word: numbers for word, numbers in found.items() if len(numbers) <= RARE}


def _reaching_back(bags: list[list[_Bag]], pair: Pair, i: int, j: int) -> Pair:
    """Say where a pair begins when the sentences before it that were split off are counted in."""
    a, c = pair
    a -= _joining(bags[0][i:a][::-1], bags[0][pair.old], bags[1][pair.new])
    if a == pair.old:
        c -= _joining(bags[1][j:c][::-1], bags[1][pair.new], bags[0][pair.old])
    return Pair(a, c)


def _reaching_on(bags: list[list[_Bag]], pair: Pair, a: int, c: int, until: Pair) -> Pair:
    ours = sum(bags[0][a : pair.old + 1], _Bag())
    theirs = sum(bags[1][c : pair.new + 1], _Bag())
    on = _joining(bags[0][pair.old + 1 : until.old], ours, theirs)
    if on:
        return Pair(pair.old + 1 + on, pair.new + 1)
    return Pair(pair.old + 1, pair.new + 1 + _joining(bags[1][pair.new + 1 : until.new], theirs, ours))


def _joining(more: Sequence[_Bag], own: _Bag, other: _Bag) -> int:
    """Say how many of the next sentences have most of their words in what the other side has and its own has not."""
    left = other - own
    for number, bag in enumerate(more):
        letters = bag.total()
        if letters < SPLIT_LETTERS or _shared(bag, left) < SPLIT * letters:
            return number
        left -= bag
    return len(more)
