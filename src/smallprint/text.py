"""Words, sentences and shingles of a text; whatever names a place in it keeps character offsets."""

from __future__ import annotations

import re
import zlib
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from smallprint.records import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

WORD = re.compile(r"\w+(?:['’]\w+)*")
# A text in which no end of sentence is followed by anything is one sentence; most list items and headings are.
INNER_END = re.compile(r"[.!?][\"'”’)\]]*\s+\S")
SHINGLE_WORDS = 5
_MIX = np.uint64(0x9E3779B97F4A7C15)


def words(text: str) -> list[str]:
    """Give the words of a text in lower case; "don't" is one."""
    return WORD.findall(text.lower())


def sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Split a stretch of text into sentences, given as places in the whole text, without the blanks between them."""
    end = len(text) if end is None else end
    stretch = text[start:end]
    if INNER_END.search(stretch) is None:
        return _trimmed(text, [(start, end)])
    return _trimmed(text, [(start + a, start + b) for a, b in _splitter()(stretch)])


def hashed(tokens: list[str]) -> NDArray[np.uint64]:
    """Give a hash for every word of a text in order, the same on every machine."""
    distinct = {token: place for place, token in enumerate(dict.fromkeys(tokens))}
    hashes = np.fromiter(map(_hash, distinct), dtype=np.uint64, count=len(distinct))
    return hashes[np.fromiter(map(distinct.__getitem__, tokens), dtype=np.int64, count=len(tokens))]


def ngrams(hashes: NDArray[np.uint64], width: int) -> NDArray[np.uint64]:
    """Give a hash for every run of `width` words; one for the whole where there are fewer."""
    width = min(width, len(hashes))
    rolled = np.zeros(len(hashes) - width + 1 if width else 0, dtype=np.uint64)
    for offset in range(width):
        rolled = rolled * _MIX + hashes[offset : offset + len(rolled)]
        rolled ^= rolled >> np.uint64(29)
    return rolled


def shingles(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Give the distinct 5-word shingles of a text, sorted."""
    return np.unique(ngrams(hashes, SHINGLE_WORDS))


def jaccard(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> float:
    """Give the likeness of two sorted sets of shingles, 0 to 1; two empty sets are alike."""
    if not len(one) and not len(other):
        return 1.0
    common = len(np.intersect1d(one, other, assume_unique=True))
    return common / (len(one) + len(other) - common)


def _hash(token: str) -> int:
    raw = token.encode("utf-8", "surrogatepass")
    return zlib.crc32(raw) | (zlib.adler32(raw) << 32)


def _trimmed(text: str, spans: list[tuple[int, int]]) -> list[Span]:
    kept = []
    for start, end in spans:
        stretch = text[start:end]
        bare = stretch.strip()
        if bare:
            begin = start + len(stretch) - len(stretch.lstrip())
            kept.append(Span(begin, begin + len(bare)))
    return kept


@cache
def _splitter() -> Callable[[str], list[tuple[int, int]]]:
    from nupunkt import load_default_model, sent_spans  # a second to import and load

    load_default_model()
    found: Callable[[str], list[tuple[int, int]]] = sent_spans
    return found
