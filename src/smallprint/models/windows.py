"""A linear model of each word in its neighbourhood, over hashed features: quick enough for a whole corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.logistic import sigmoid
from smallprint.text import hashed

# Words that people marked only because it was not plain whom or what they stood for, and phrases that are terms of the
# trade (Srinath et al., PrivaSeer, section 4): they do not count as vague.
COREFERENCE = frozenset("it this they them that these here there you us we following".split())
TERMS = ("personal information", "personally identifiable information", "third party", "third parties")
BITS = 17
# Which neighbours are read together, by their distance from the word.
TEMPLATES = tuple(
    tuple(map(int, distances.split()))
    for distances in "0 | -1 | 1 | -1 0 | 0 1 | -1 0 1 | -2 | 2 | -2 -1 0 | 0 1 2 | -1 1 | -2 -1 0 1".split("|")
)
REACH = 2
SUFFIXES = (2, 3)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_EDGE = np.uint64(0x1234567)


def features(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the places of each word's features: a row a word, a column a feature."""
    folded = [word.lower() for word in words]
    hashes = hashed(folded)
    padded = np.concatenate([np.full(REACH, _EDGE), hashes, np.full(REACH, _EDGE)])
    columns = []
    for salt, template in enumerate(TEMPLATES, 1):
        column = np.full(len(hashes), salt, dtype=np.uint64) * _MIX
        for distance in template:
            column = (column ^ padded[REACH + distance : REACH + distance + len(hashes)]) * _MIX
            column ^= column >> np.uint64(31)
        columns.append(column)
    columns += [(hashed([word[-length:] for word in folded]) ^ np.uint64(length)) * _MIX for length in SUFFIXES]
    return (np.stack(columns, axis=1) >> np.uint64(64 - BITS)).astype(np.int64)


class Windows:
    """The linear marker of vague words."""

    def __init__(self, name: str, where: Path | None = None) -> None:
        arrays = store.load(name, where)
        self.threshold, self._bias = float(arrays["threshold"]), float(arrays["bias"])
        self._weights = arrays["weights"].astype(np.float32) * float(arrays["scale"])

    def mark(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return each word's probability."""
        return sigmoid(self._weights[features(words)].sum(axis=1) + self._bias)
