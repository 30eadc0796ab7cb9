"""Which kind of legal document each block of a page reads like: a linear model over its words and pairs of words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.logistic import Vector, counted, with_pairs
from smallprint.text import word_hashes

MODEL = "documents"
# Terms, refunds and copyright read alike beside talk of personal data; their titles tell them apart.
KINDS = ("privacy", "cookies", "other")
BITS = 16
# The rest of a long block says nothing else.
CHARACTERS = 2000


def features(text: str) -> Vector:
    """Return which words and pairs of words stand in a block, as a vector of length 1."""
    places, counts = counted(with_pairs(word_hashes(text[:CHARACTERS])), BITS)
    return Vector(places, np.ones_like(counts)).of_length_one()


def log_probabilities(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return a row a block: the logarithms of the probabilities of KINDS."""
    words, bias = _weights()
    vectors = [features(text) for text in texts]
    scores = np.array([vector.values @ words[vector.places] for vector in vectors]).reshape(-1, len(KINDS)) + bias
    most = scores.max(axis=1, keepdims=True)
    return np.asarray(scores - most - np.log(np.exp(scores - most).sum(axis=1, keepdims=True)))


@cache
def _weights() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    weights = store.load(MODEL)
    return weights["words"].astype(np.float64), weights["bias"].astype(np.float64)
