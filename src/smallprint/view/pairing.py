"""Which stretches of two texts belong together: sentence by sentence, with what was only cut differently told apart."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, takewhile

from smallprint import limits
from smallprint.records import Span
from smallprint.text import sentences
from smallprint.view.alignment import Pair, Stretch, align, chain

# A word with what joins its parts ("don't", "opt-out", "and/or", "example.com"), or a mark, once or repeated. A
# sentence's full stop stands apart, so that "year." and "year;" have a word in common.
TOKEN = re.compile(r"\w+(?:['’.\-‐‑/&@]\w+)*|([^\w\s])\1*")
# Shapes of one mark, which change with the editor and not with the policy.
_SHAPES = str.maketrans("‘’‛“”„‟‐‑‒–—―−", '\'\'\'""""-------')
# A word is worth its letters, up to this many, and a mark or a figure one: what two sentences have in common is to be
# "retention" rather than "of the", and with another date or number a sentence is still the same one.
MOST_LETTERS = 10


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text: what each is compared by, where it begins, and which of them begin a sentence."""

    text: str
    keys: list[str]
    starts: list[int]
    firsts: list[int]
    worth: list[int]
    # Words, and what they are worth, from the start of the text up to each token.
    word_sums: list[int]
    weight_sums: list[int]

    def span(self, first: int, last: int) -> Span:
        """Return where a stretch of tokens is, up to where the next token begins."""
        return Span(self.starts[first], self.starts[last])

    def words(self, first: int, last: int) -> int:
        """Count the words of a stretch; marks are none."""
        return self.word_sums[last] - self.word_sums[first]

    def weight(self, first: int, last: int) -> int:
        """Return what the words of a stretch are worth together; marks are worth nothing here."""
        return self.weight_sums[last] - self.weight_sums[first]


def tokens(text: str, cuts: Sequence[Span] | None = None) -> Tokens:
    """Cut a text; `cuts` are its sentences where they are known, rising and apart."""
    places = [match.span() for match in TOKEN.finditer(text)]
    keys = [text[start:end].translate(_SHAPES) for start, end in places]
    begins = {cut.start for cut in (_sentences(text) if cuts is None else cuts)}
    firsts = [number for number, (start, _) in enumerate(places) if not number or start in begins]
    worth = [1 if key[0].isdigit() else min(len(key), MOST_LETTERS) for key in keys]
    word = [is_word(key) for key in keys]
    return Tokens(
        text,
        keys,
        # One place more, where the text ends, so that a stretch can reach to it.
        [*(start for start, _ in places), len(text)],
        [*firsts, len(keys)],
        worth,
        list(accumulate(word, initial=0)),
        list(accumulate((flag * value for flag, value in zip(word, worth, strict=True)), initial=0)),
    )


def is_word(token: str) -> bool:
    """Return whether a token is a word, and not a mark."""
    return token[0].isalnum() or token[0] == "_"


def _sentences(text: str) -> list[Span]:
    spans: list[Span] = []
    start = 0
    for line in text.splitlines(keepends=True):
        spans += sentences(text, start, start + len(line))
        start += len(line)
    return spans


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


_Sentence = tuple[int, int]
_Bag = Counter[str]
_Pairing = Callable[[Tokens, Tokens, list[_Sentence], list[_Sentence]], Iterator[Stretch]]


def paired(old: Tokens, new: Tokens) -> Iterator[Stretch]:
    """Go through both texts, stretch by stretch: the same, changed, only in the old, only in the new."""
    yield from _between(old, new, list(pairwise(old.firsts)), list(pairwise(new.firsts)), _aligned)


def _between(
    old: Tokens, new: Tokens, ours: list[_Sentence], theirs: list[_Sentence], inner: _Pairing
) -> Iterator[Stretch]:
    """Yield what is the same at both ends, however it is cut into sentences, and leave to `inner` what is between."""
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
        a, b, c, d, _ = _with_what_was_split_off(bags, pair, Pair(i, j), until)
        yield from _apart(ours[i:a], theirs[j:c])
        yield Stretch(ours[a][0], ours[b - 1][1], theirs[c][0], theirs[d - 1][1])
        i, j = b, d
    yield from _apart(ours[i:], theirs[j:])


def _apart(ours: Sequence[_Sentence], theirs: Sequence[_Sentence]) -> Iterator[Stretch]:
    """Yield sentences without a partner: what is gone, then what came."""
    yield from (Stretch(a, b, 0, 0) for a, b in ours)
    yield from (Stretch(0, 0, c, d) for c, d in theirs)


def _common(
    old: Tokens, new: Tokens, ours: list[_Sentence], theirs: list[_Sentence], *, backwards: bool = False
) -> list[int]:
    """Return how far both sides are the same from their start, or end, in tokens: every place where a sentence is cut.

    A paragraph that was broken in two, or a list that was run together, has other sentences but the same words.
    """
    a, b, c, d = ours[0][0], ours[-1][1], theirs[0][0], theirs[-1][1]
    step = -1 if backwards else 1
    pairs = zip(old.keys[a:b][::step], new.keys[c:d][::step], strict=False)
    length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    if backwards:
        cuts = {b - start for start, _ in ours} | {d - start for start, _ in theirs}
    else:
        cuts = {end - a for _, end in ours} | {end - c for _, end in theirs}
    return [0, *sorted(cut for cut in cuts if cut <= length)]


def _after(sentences: list[_Sentence], place: int) -> list[_Sentence]:
    return [(max(start, place), end) for start, end in sentences if end > place]


def _before(sentences: list[_Sentence], place: int) -> list[_Sentence]:
    return [(start, min(end, place)) for start, end in sentences if start < place]


def _bag(text: Tokens, start: int, end: int) -> _Bag:
    """Return the words of a sentence with what they are worth."""
    bag: _Bag = Counter()
    for key, worth in zip(text.keys[start:end], text.worth[start:end], strict=True):
        if is_word(key):
            bag[key.lower()] += worth
    return bag


def _shared(ours: _Bag, theirs: _Bag) -> int:
    small, large = (ours, theirs) if len(ours) <= len(theirs) else (theirs, ours)
    return sum(min(count, large[word]) for word, count in small.items() if word in large)


def _alike(ours: list[_Bag], theirs: list[_Bag]) -> list[Pair]:
    """Pair the sentences that are alike and keep their order, those with the most words in common."""
    are_few = len(ours) * len(theirs) <= limits.MAX_SENTENCE_PAIRS
    pairs = [] if are_few else _chained(ours, theirs, _with_something_rare(ours, theirs))
    between = []
    i = j = 0
    for pair in [*pairs, Pair(len(ours), len(theirs))]:
        if (pair.old - i) * (pair.new - j) <= limits.MAX_SENTENCE_PAIRS:
            some = (Pair(k, m) for k in range(i, pair.old) for m in range(j, pair.new))
            between += _chained(ours, theirs, some)
        i, j = pair.old + 1, pair.new + 1
    return sorted(pairs + between)


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
    """Yield the pairs of sentences that have the most rare words in common."""
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    there = _where(theirs)
    for word, numbers in _where(ours).items():
        for i in numbers:
            votes[i].update(there.get(word, ()))
    for i, counts in votes.items():
        yield from (Pair(i, j) for j, _ in counts.most_common(MOST_CANDIDATES))


def _where(bags: list[_Bag]) -> dict[str, list[int]]:
    """Return in which sentences each rare word stands."""
    places: dict[str, list[int]] = defaultdict(list)
    for number, bag in enumerate(bags):
        for word in bag:
            places[word].append(number)
    return {word: numbers for word, numbers in places.items() if len(numbers) <= RARE}


def _with_what_was_split_off(bags: list[list[_Bag]], pair: Pair, after: Pair, until: Pair) -> Stretch:
    """Widen a pair by the sentences before and behind it, on one side each, that were split off from it."""
    ours, theirs = bags
    (a, c), b, d = pair, pair.old + 1, pair.new + 1
    a -= _joining(ours[after.old : a][::-1], ours[a], theirs[c])
    if a == pair.old:
        c -= _joining(theirs[after.new : c][::-1], theirs[c], ours[a])
    own, other = sum(ours[a:b], _Bag()), sum(theirs[c:d], _Bag())
    b += _joining(ours[b : until.old], own, other)
    if b == pair.old + 1:
        d += _joining(theirs[d : until.new], other, own)
    return Stretch(a, b, c, d)


def _joining(more: Sequence[_Bag], own: _Bag, other: _Bag) -> int:
    """Return how many of the next sentences have most of their words in what the other side has and its own has not."""
    left = other - own
    for number, bag in enumerate(more):
        letters = bag.total()
        if letters < SPLIT_LETTERS or _shared(bag, left) < SPLIT * letters:
            return number
        left -= bag
    return len(more)
