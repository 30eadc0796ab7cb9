"""A linear model of each word in its neighbourhood, over hashed features: quick enough for a whole corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.logistic import sigmoid
from smallprint.text import hashed

BITS = 17
# Which neighbours are read together, by their distance from the word.
TEMPLATES = (
    (0,),
    (-1,),
    (1,),
    (-1, 0),
    (0, 1),
    (-1, 0, 1),
    (-2,),
    (2,),
    (-2, -1, 0),
    (0, 1, 2),
    (-1, 1),
    (-2, -1, 0, 1),
)
REACH = 2
SUFFIXES = (2, 3)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_EDGE = np.uint64(0x1234567)


def features(words: Sequence[str]) -> NDArray[np.int64]:
    """Give the places of each word's features: a row a word, a column a feature."""
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
    for length in SUFFIXES:
        ends = hashed([word[-length:] for word in folded])
        columns.append((ends ^ np.uint64(length)) * _MIX)
    return (np.stack(columns, axis=1) >> np.uint64(64 - BITS)).astype(np.int64)


class Windows:
    """The linear marker of vague words."""

    def __init__(self, name: str, where: Path | None = None) -> None:
        found = store.load(name, where)
        self.name, self.version = found.name, found.version
        self.threshold = float(found.arrays["threshold"])
        self._weights = found.arrays["weights"].astype(np.float32) * float(found.arrays["scale"])
        self._bias = float(found.arrays["bias"])

    def mark(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Give each word's probability."""
        scores = self._weights[features(words)].sum(axis=1) + self._bias
        return sigmoid(scores)
