"""Word vectors learnt from policies, in a byte a number; a word nobody met is made of its parts, as fastText does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store

NAME = "vectors"
# The commonest part of speech of each word, by number: nouns and verbs by their form, so that what replaces a word can
# stand in its place. Base forms of verbs are told from no other present form but "-s".
PARTS = ("", "NN", "NNS", "NNP", "VB", "VBZ", "VBG", "VBD", "VBN", "JJ", "RB", "IN", "MD", "PRP", "DT", "WH")
# A word in fewer sentences is nobody's neighbour: where it stands is a matter of luck.
LEAST_COUNT = 25
# So many rows are turned into floats at a time.
ROWS = 4096
REMEMBERED = 4096
# A longer word is read to here; no word is so long.
LONGEST = 40
_START, _PRIME, _MASK = 2166136261, 16777619, 0xFFFFFFFF


class Neighbour(NamedTuple):
    """A word near another, and the cosine of the angle between them."""

    word: str
    likeness: float


class Vectors:
    """The vectors of known words, the commonest first, and those of the parts of words."""

    def __init__(self, where: Path | None = None, name: str = NAME) -> None:
        self.version, arrays = store.version(name, where), store.load(name, where)
        self.words: tuple[str, ...] = tuple(arrays["words"].tobytes().decode().split("\n"))
        self._rows, self._steps = arrays["vectors"], arrays["steps"]
        self._parts = arrays["parts"]
        # In how many sentences each word stands, and how many there are: what is common is weighed by it.
        self.counts: NDArray[np.uint32] = arrays["counts"]
        self.sentences = int(arrays["total"])
        self._buckets, self._bucket_steps = arrays["buckets"], arrays["bucket_steps"]
        self._shortest, self._longest = (int(length) for length in arrays["lengths"])
        self.width = self._rows.shape[1]
        self._remembered = lru_cache(REMEMBERED)(self._find)

    def __contains__(self, word: str) -> bool:
        return self._place(word) is not None

    def rank(self, word: str) -> int | None:
        """Return a word's place among the known ones, the commonest being 1; None for a word nobody met."""
        place = self._place(word)
        return None if place is None else place + 1

    def part(self, word: str) -> str:
        """Return the part of speech a word mostly is (see PARTS); "" where nobody knows."""
        place = self._place(word)
        return "" if place is None else PARTS[self._parts[place]]

    def known(self, words: Sequence[str]) -> float:
        """Return the share of words that policies use; 0 where there are none."""
        return sum(word in self for word in words) / len(words) if words else 0.0

    def vector(self, word: str) -> NDArray[np.float32]:
        """Return a word's vector, from its parts if nobody met it; nothing but zeros where those are unknown too."""
        place = self._place(word)
        if place is not None:
            return np.asarray(self._rows[place] * np.float32(self._steps[place]), dtype=np.float32)
        buckets = parts(word[:LONGEST], self._shortest, self._longest, len(self._buckets)) if len(self._buckets) else []
        if not buckets:
            return np.zeros(self.width, dtype=np.float32)
        steps = self._bucket_steps[buckets].astype(np.float32)
        return np.asarray((self._buckets[buckets] * steps[:, None]).mean(axis=0), dtype=np.float32)

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return a row for each word."""
        return np.array([self.vector(word) for word in words], dtype=np.float32).reshape(-1, self.width)

    def nearest(self, word: str, count: int = 10, *, same_part: bool = True) -> tuple[Neighbour, ...]:
        """Return the known words nearest to a word, the nearest first, itself and rare words left out.

        With `same_part` only those of its part of speech and form; a word nobody met has none, and gets any.
        """
        return self._remembered(word, max(0, count), same_part)

    def _find(self, word: str, count: int, same_part: bool) -> tuple[Neighbour, ...]:
        sought = self.vector(word)
        length = float(np.linalg.norm(sought))
        if not length or not count:
            return ()
        likeness = np.concatenate([rows @ sought for rows in self._portions()]) / (self._lengths * length)
        place = self._place(word)
        if place is not None:
            likeness[place] = -np.inf
            if same_part and self._parts[place]:
                likeness[self._parts != self._parts[place]] = -np.inf
        likeness[self.counts < LEAST_COUNT] = -np.inf
        count = min(count, len(likeness))
        best = np.argpartition(-likeness, count - 1)[:count]
        ordered = sorted((-float(likeness[row]), int(row)) for row in best if likeness[row] > -np.inf)
        return tuple(Neighbour(self.words[row], -negative) for negative, row in ordered)

    def _place(self, word: str) -> int | None:
        """Find a word; "user's" is known as "user"."""
        place = self._places.get(word)
        return self._places.get(word.removesuffix("'s")) if place is None else place

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def _lengths(self) -> NDArray[np.float32]:
        """The length of each row as it is kept: a row's step changes its length, not its direction."""
        lengths = np.concatenate([np.linalg.norm(rows, axis=1) for rows in self._portions()])
        return np.asarray(np.maximum(lengths, 1e-9), dtype=np.float32)

    def _portions(self) -> Iterator[NDArray[np.float32]]:
        return (self._rows[start : start + ROWS].astype(np.float32) for start in range(0, len(self._rows), ROWS))


def parts(word: str, shortest: int, longest: int, buckets: int) -> list[int]:
    """Return the buckets of a word's parts: its runs of letters, with marks at both ends, hashed as fastText does."""
    marked = f"<{word}>"
    pieces = [
        marked[start:end]
        for start in range(len(marked))
        for end in range(start + shortest, min(start + longest, len(marked)) + 1)
    ]
    return [_hash(piece.encode("utf-8", "replace")) % buckets for piece in pieces if piece not in {"<", ">"}]


def _hash(piece: bytes) -> int:
    """Return FNV-1a in 32 bits, bytes taken as signed numbers: a slip of fastText's that all have kept."""
    value = _START
    for byte in piece:
        value = ((value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * _PRIME) & _MASK
    return value


@cache
def shipped() -> Vectors:
    """Return the vectors that are shipped, loaded once."""
    return Vectors()
