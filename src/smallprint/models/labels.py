"""The labels of OPP-115 as models give them, a row of probabilities for each text; and the student, the quick model.

The student reads a passage as the mean of the vectors of its words and pairs of words, then has one hidden layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.logistic import folded, sigmoid, with_pairs
from smallprint.taxonomy import CATEGORY_LABELS, LABELS, POLARITY, Label
from smallprint.text import word_hashes

COLUMNS = (*LABELS, *POLARITY)
PARENT = np.array([CATEGORY_LABELS.index(Label(label.category)) for label in COLUMNS])
_COLUMN = {label: place for place, label in enumerate(COLUMNS)}
# Probabilities are kept in a byte: 255 is 1. A label holds from one half on.
ONE, HALF = 255, 128
STUDENT = "practices-student"
BITS = 16
# A passage is read to here; what it is about has been said by then.
LONGEST = 20_000
# Of OPP-115's segments 99 % have at least seven in ten known words; German, French, Spanish, Dutch, Italian and
# Portuguese passages have at most a third, figures and keys none.
LEAST_KNOWN = 0.5
_MIX = np.uint64(0xD6E8FEB86659FD93)


class Labeller(Protocol):
    """Predicts the probability of every label for each of some texts."""

    def labels(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row a text, a column a label; nothing but zeros for a text that cannot be read."""


def holding(probabilities: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which labels hold for which segments: a value holds where its category does."""
    return np.asarray((probabilities >= HALF) & (probabilities[:, PARENT] >= HALF))


def column(label: Label) -> int:
    """Return the column in which a label stands."""
    return _COLUMN[label]


def joint(probabilities: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the probability of each label by itself: a value's is given its category, so the two are multiplied."""
    shares = probabilities.astype(np.float32) / ONE
    return np.where(np.arange(len(COLUMNS)) < len(CATEGORY_LABELS), shares, shares * shares[:, PARENT])


class Vocabulary:
    """The hashes of known words, sorted: a passage of other words is in another language, or in none."""

    def __init__(self, known: NDArray[np.uint32]) -> None:
        self._known = known

    def share(self, hashes: NDArray[np.uint64]) -> float:
        """Return the share of words that are known, 0 where there are none."""
        if not len(hashes) or not len(self._known):
            return 0.0
        own = folded(hashes)
        places = np.minimum(np.searchsorted(self._known, own), len(self._known) - 1)
        return float((self._known[places] == own).mean())

    def can_read(self, text: str) -> bool:
        """Return whether a text is made of words that policies use."""
        return self.share(word_hashes(text[:LONGEST])) >= LEAST_KNOWN


def places(hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the places of a passage's words and pairs of words in the table of vectors."""
    return ((with_pairs(hashes) * _MIX) >> np.uint64(64 - BITS)).astype(np.int64)


class Bag:
    """The student's weights."""

    def __init__(self, name: str, where: Path | None = None) -> None:
        arrays = store.load(name, where)
        self._vectors, self._vocabulary = arrays["vectors"], Vocabulary(arrays["vocabulary"])
        layers = [arrays[layer].astype(np.float32) for layer in ("step", "hidden", "hidden_bias", "out", "out_bias")]
        self._step, self._hidden, self._hidden_bias, self._out, self._out_bias = layers

    def labels(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the probability of every label for each text; nothing but zeros where its words are unknown."""
        hashes = [word_hashes(text[:LONGEST]) for text in texts]
        labels = np.zeros((len(texts), len(self._out_bias)), dtype=np.float32)
        readable = [row for row, own in enumerate(hashes) if self._vocabulary.share(own) >= LEAST_KNOWN]
        if readable:
            means = np.stack([self._vectors[places(hashes[row])].mean(axis=0, dtype=np.float32) for row in readable])
            hidden = np.maximum(means * self._step @ self._hidden + self._hidden_bias, 0)
            labels[readable] = sigmoid(hidden @ self._out + self._out_bias)
        return labels


@cache
def student() -> Labeller:
    """Return the quick labeller, loaded once a process: it can read single sentences while a reader waits."""
    return Bag(STUDENT)
