"""What the linear models share: words as hashed features, and scores as probabilities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from smallprint.text import ngrams

# Beyond this a float32 is 0 or 1 anyhow, and its exponential overflows.
MOST = 60.0
# From so many on, counting into a table is faster than sorting.
MANY = 4000
_MIX = np.uint64(0xBF58476D1CE4E5B9)


class Vector(NamedTuple):
    """A sparse vector: distinct places, rising, and their values."""

    places: NDArray[np.int64]
    values: NDArray[np.float64]

    def of_length_one(self) -> Vector:
        """Return the vector scaled to length 1; one of zeros stays as it is."""
        return Vector(self.places, self.values / (np.linalg.norm(self.values) or 1.0))


def counted(hashes: NDArray[np.uint64], bits: int) -> Vector:
    """Count hashed words by their places among 2 ** bits: 1 + log of how often each occurs."""
    mixed = ((hashes * _MIX) >> np.uint64(64 - bits)).astype(np.int64)
    if len(mixed) > MANY:
        table = np.bincount(mixed, minlength=1 << bits)
        places = np.flatnonzero(table)
        counts = table[places]
    else:
        places, counts = np.unique(mixed, return_counts=True)
    return Vector(places, 1 + np.log(counts))


def sigmoid(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    """Turn scores into probabilities."""
    return np.asarray(1 / (1 + np.exp(-np.clip(scores, -MOST, MOST))), dtype=np.float32)


def softmax(logits: NDArray[np.floating]) -> NDArray[np.float32]:
    """Turn logits into probabilities that add up to 1, along the last axis."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True), dtype=np.float32)


def folded(hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Shorten the hashes of words to what is kept of them."""
    return (hashes & np.uint64(0xFFFFFFFF)).astype(np.uint32)


def with_pairs(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the hashes of words and, after them, of pairs of words."""
    return np.concatenate([hashes, ngrams(hashes, 2)]) if len(hashes) > 1 else hashes
