"""Words, sentences and shingles of a text; whatever names a place in it keeps character offsets."""

from __future__ import annotations

import re
import zlib
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from smallprint import limits
from smallprint.records import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

# Bytes of Latin-1 that are part of a word: letters, digits, "_" and "'". Curly quotes, dashes and bullets become "?".
_WORDS = bytes(c if chr(c).isalnum() or chr(c) in "_'" else 0x20 for c in range(256))
# A text with more characters beyond Latin-1 than one in so many is in another script, and is split by a pattern.
_FOREIGN = 10
_WORD = re.compile(r"\w+(?:'\w+)*")
# A text in which no end of sentence is followed by anything is one sentence; most list items and headings are.
INNER_END = re.compile(r"[.!?][\"'”’)\]]*\s+\S")
# Where a sentence may end within a run of characters without a blank. Of more than so many, only the last are kept.
_END_IN_RUN = re.compile(r"[.!?…](?=[!?)\]}({\[\";:*@'”’»])")
_RUN = re.compile(rf"\S{{{limits.MAX_RUN + 1},}}")
_ENDS_KEPT = 20
SHINGLE_WORDS = 5
_MIX = np.uint64(0x9E3779B97F4A7C15)


def words(text: str) -> list[str]:
    """Return the words of a text in lower case; "don't" is one, with either apostrophe."""
    folded, raw = _folded(text)
    return _WORD.findall(folded) if _is_foreign(raw) else [token.decode("latin-1") for token in _tokens(text)]


def word_hashes(text: str) -> NDArray[np.uint64]:
    """Return the hashes of a text's words: the same as hashed(words(text)), in a third of the time."""
    return _hashes(_tokens(text))


def sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Split a stretch of text into sentences, given as places in the whole text, without the blanks between them."""
    end = len(text) if end is None else end
    stretch = text[start:end]
    if INNER_END.search(stretch) is None:
        return _trimmed(text, [(start, end)])
    return _trimmed(text, [(start + a, start + b) for a, b in _splitter()(_RUN.sub(_without_ends, stretch))])


def hashed(tokens: list[str]) -> NDArray[np.uint64]:
    """Return a hash for every word in order, the same on every machine."""
    return _hashes([_encoded(token) for token in tokens])


def ngrams(hashes: NDArray[np.uint64], width: int) -> NDArray[np.uint64]:
    """Return a hash for every run of `width` words; one for the whole where there are fewer."""
    width = min(width, len(hashes))
    rolled = np.zeros(len(hashes) - width + 1 if width else 0, dtype=np.uint64)
    for offset in range(width):
        rolled = rolled * _MIX + hashes[offset : offset + len(rolled)]
        rolled ^= rolled >> np.uint64(29)
    return rolled


def shingles(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the distinct 5-word shingles of a text, sorted."""
    return np.unique(ngrams(hashes, SHINGLE_WORDS))


def jaccard(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> float:
    """Return the likeness of two sorted sets of shingles, 0 to 1; two empty sets are alike."""
    if not len(left) and not len(right):
        return 1.0
    common = len(np.intersect1d(left, right, assume_unique=True))
    return common / (len(left) + len(right) - common)


def _tokens(text: str) -> list[bytes]:
    """Split a text into words: in Latin-1, by a table, since a pattern takes five times as long."""
    folded, raw = _folded(text)
    if _is_foreign(raw):
        return [_encoded(token) for token in _WORD.findall(folded)]
    raw = raw.translate(_WORDS)
    if b"'" in raw:  # which stays within words only
        raw = b" %b " % raw
        while b"''" in raw:
            raw = raw.replace(b"''", b"' ")
        raw = raw.replace(b" '", b" ").replace(b"' ", b" ")
    return raw.split()


def _folded(text: str) -> tuple[str, bytes]:
    folded = text.lower().replace("’", "'")
    return folded, folded.encode("latin-1", "replace")


def _is_foreign(raw: bytes) -> bool:
    return raw.count(b"?") > len(raw) // _FOREIGN


def _encoded(token: str) -> bytes:
    try:
        return token.encode("latin-1")
    except UnicodeEncodeError:
        return token.encode("utf-8", "replace")


class _Table(dict[bytes, int]):
    """The hashes of the words met so far: a language has few, and policies share them."""

    def __missing__(self, token: bytes) -> int:
        if len(self) >= limits.MAX_KNOWN_WORDS:
            self.clear()
        value = self[token] = zlib.crc32(token) | (zlib.adler32(token) << 32)
        return value


_table = _Table()


def _hashes(tokens: list[bytes]) -> NDArray[np.uint64]:
    return np.fromiter(map(_table.__getitem__, tokens), dtype=np.uint64, count=len(tokens))


def _trimmed(text: str, spans: list[tuple[int, int]]) -> list[Span]:
    kept = []
    for start, end in spans:
        stretch = text[start:end]
        bare = stretch.strip()
        if bare:
            begin = start + len(stretch) - len(stretch.lstrip())
            kept.append(Span(begin, begin + len(bare)))
    return kept


def _without_ends(run: re.Match[str]) -> str:
    """Return a long run of characters without the sentence ends in it, as long as before.

    The splitter reads the whole run for each of them: 30,000 exclamation marks took 0.9 s, 490,000 took minutes.
    """
    characters = run[0]
    if len(_END_IN_RUN.findall(characters)) <= _ENDS_KEPT:
        return characters
    return _END_IN_RUN.sub("x", characters[:-_ENDS_KEPT]) + characters[-_ENDS_KEPT:]


@cache
def _splitter() -> Callable[[str], list[tuple[int, int]]]:
    from nupunkt import load_default_model, sent_spans  # a second to import and load

    load_default_model()
    splitter: Callable[[str], list[tuple[int, int]]] = sent_spans
    return splitter
