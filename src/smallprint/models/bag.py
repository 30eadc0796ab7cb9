"""The student: a passage as the mean of the vectors of its words and pairs of words, then one hidden layer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.logistic import sigmoid
from smallprint.models.vocabulary import LEAST_KNOWN, Vocabulary
from smallprint.text import ngrams, word_hashes

BITS = 16
# A passage is read to here; what it is about has been said by then.
LONGEST = 20_000
_MIX = np.uint64(0xD6E8FEB86659FD93)


def places(hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Give the places of a passage's words and pairs of words in the table of vectors."""
    grams = np.concatenate([hashes, ngrams(hashes, 2)]) if len(hashes) > 1 else hashes
    return ((grams * _MIX) >> np.uint64(64 - BITS)).astype(np.int64)


class Bag:
    """The student's weights."""

    def __init__(self, name: str, where: Path | None = None) -> None:
        found = store.load(name, where)
        self.name, self.version = found.name, found.version
        arrays = found.arrays
        self._vectors, self._step = arrays["vectors"], arrays["step"].astype(np.float32)
        self._hidden, self._hidden_bias = arrays["hidden"].astype(np.float32), arrays["hidden_bias"].astype(np.float32)
        self._out, self._out_bias = arrays["out"].astype(np.float32), arrays["out_bias"].astype(np.float32)
        self._vocabulary = Vocabulary(arrays["vocabulary"])

    def labels(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the probability of every label for each text; nothing but zeros where its words are unknown."""
        every = [word_hashes(text[:LONGEST]) for text in texts]
        said = np.zeros((len(texts), len(self._out_bias)), dtype=np.float32)
        readable = [row for row, hashes in enumerate(every) if self._vocabulary.share(hashes) >= LEAST_KNOWN]
        if readable:
            means = np.stack([self._vectors[places(every[row])].mean(axis=0, dtype=np.float32) for row in readable])
            hidden = np.maximum(means * self._step @ self._hidden + self._hidden_bias, 0)
            said[readable] = sigmoid(hidden @ self._out + self._out_bias)
        return said
