"""What a question is about: OPP-115's categories and values, from its vector and its words; and CMU's two mappings.

A row of probabilities has a place for each of LABELS and POLARITY, as for passages: a value's is given its category.
What affirms or denies is nothing that a question says, and stays 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.finder import Finder
from smallprint.models.logistic import folded, sigmoid, with_pairs
from smallprint.taxonomy import CATEGORIES, CATEGORY_LABELS, POLARITY, VALUE_LABELS, Label
from smallprint.text import word_hashes

NAME, BASELINES = "mapper", "mapper-baselines"
# A question is read to here.
LONGEST = 2_000
# "Location" is said in the same words whether it is collected, shared or kept: categories share the weights of values
# that have a name in common. With an untrained finder 41 % of the values of PolicyQA's wordings that were left out are
# right then, and 31 % otherwise.
KINDS = tuple(dict.fromkeys((label.attribute or "", (label.value or "").lower()) for label in VALUE_LABELS))
# What the weights speak of, in columns: categories, being no privacy question, and the kinds of values.
FOREIGN = len(CATEGORIES)
COLUMNS = FOREIGN + 1 + len(KINDS)


def kind(label: Label) -> int:
    """Return the column of the weights in which a value stands."""
    return FOREIGN + 1 + _KIND[label.attribute or "", (label.value or "").lower()]


_KIND = {name: place for place, name in enumerate(KINDS)}
_READ = np.array([*range(len(CATEGORIES)), *(kind(label) for label in VALUE_LABELS)])
_PARENT = np.array([CATEGORY_LABELS.index(Label(label.category)) for label in VALUE_LABELS])


def spread(columns: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return every label's probability from what the columns of the weights say, a row a question."""
    return np.pad(columns[:, _READ], ((0, 0), (0, len(POLARITY))))


def grams(question: str) -> NDArray[np.uint32]:
    """Return the hashes of a question's words and pairs of words, each once, sorted."""
    return np.unique(folded(with_pairs(word_hashes(question[:LONGEST]))))


class Words(NamedTuple):
    """The words and pairs of words that are known, as sorted hashes, and how rare each is."""

    known: NDArray[np.uint32]
    rarity: NDArray[np.float32]

    def weigh(self, question: str) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return the places of those that a question has, and their rarities, of length 1 together."""
        places = np.flatnonzero(np.isin(self.known, grams(question), assume_unique=True))
        weights = self.rarity[places]
        return places, weights / max(1e-9, float(np.linalg.norm(weights)))


class Mapper:
    """Linear weights of a question's vector and of its words and pairs of words, those weighed by their rarity."""

    def __init__(self, finder: Finder | None = None, where: Path | None = None) -> None:
        arrays = store.load(NAME, where)
        self._known = Words(arrays["grams"], arrays["rarity"].astype(np.float32))
        self._of_vector, self._of_words = arrays["of_vector"].astype(np.float32), arrays["of_words"]
        self._steps, self._bias = arrays["steps"], arrays["bias"]
        self._finder = finder

    def map(self, question: str) -> NDArray[np.float32]:
        """Return the probability of every label for a question."""
        self._finder = self._finder or Finder()
        return self.map_vector(self._finder.vectors([question])[0], question)[0]

    def map_vector(self, vector: NDArray[np.float32], question: str) -> tuple[NDArray[np.float32], float]:
        """Return the probability of every label, and of being none on privacy, from vector and words."""
        places, weights = self._known.weigh(question)
        scores = vector @ self._of_vector + weights @ self._of_words[places].astype(np.float32)
        probabilities = sigmoid(scores * self._steps + self._bias)
        return spread(probabilities[None])[0], float(probabilities[FOREIGN])


class Nearest:
    """CMU's mapping: the label whose spans in OPP-115 are nearest, by the cosine of words or of their clusters."""

    def __init__(self, counted: Literal["words", "clusters"], where: Path | None = None) -> None:
        names = tuple(f"{counted}_{part}" for part in ("hashes", "places", "labels"))
        arrays = store.load(BASELINES, where, only=names)
        self._hashes, self._places, labels = (arrays[name] for name in names)
        self._labels = labels.astype(np.float32)

    def map(self, question: str) -> NDArray[np.float32]:
        """Return a category's greatest cosine as its probability, and of each value the share it has of that."""
        own = self._counts(question)
        near = self._labels @ (own / max(1e-9, float(np.linalg.norm(own))))
        # A category without values has spans of its own; of another the values' spans are all it has.
        categories, values = near[:FOREIGN].copy(), near[FOREIGN:]
        np.maximum.at(categories, _PARENT, values)
        shares = values / np.maximum(categories[_PARENT], 1e-9)
        return np.concatenate([categories, shares, np.zeros(len(POLARITY), dtype=np.float32)])

    def _counts(self, question: str) -> NDArray[np.float32]:
        hashes = folded(word_hashes(question[:LONGEST]))
        counts = np.zeros(self._labels.shape[1], dtype=np.float32)
        at = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        np.add.at(counts, self._places[at[self._hashes[at] == hashes]], 1.0)
        return counts
