"""What a question is about: OPP-115's categories and values, from its vector and its words; and CMU's two mappings.

A row of probabilities has a place for each of LABELS and POLARITY, as for passages: a value's is given its category.
What affirms or denies is nothing that a question says, and stays 0.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.finder import Finder
from smallprint.models.logistic import sigmoid
from smallprint.taxonomy import CATEGORIES, CATEGORY_LABELS, LABELS, POLARITY, VALUE_LABELS, Label
from smallprint.text import ngrams, word_hashes

NAME, BASELINES = "mapper", "mapper-baselines"
WIDTH = len(LABELS) + len(POLARITY)
# A question is read to here.
LONGEST = 2_000
# "Location" is said in the same words whether it is collected, shared or kept: categories share the weights of values
# that have a name in common. On wordings of PolicyQA left out, 41 % of values are right then, and 31 % otherwise.
KINDS = tuple(dict.fromkeys((label.attribute or "", (label.value or "").lower()) for label in VALUE_LABELS))
# What the weights speak of, in columns: categories, being no privacy question, and the kinds of values.
FOREIGN = len(CATEGORIES)
COLUMNS = FOREIGN + 1 + len(KINDS)
_FOLD = np.uint64(0xFFFFFFFF)


def kind(label: Label) -> int:
    """Say in which column of the weights a value stands."""
    return FOREIGN + 1 + _KIND[label.attribute or "", (label.value or "").lower()]


_KIND = {name: place for place, name in enumerate(KINDS)}
_READ = np.array([*range(len(CATEGORIES)), *(kind(label) for label in VALUE_LABELS)])
_PARENT = np.array([CATEGORY_LABELS.index(Label(label.category)) for label in VALUE_LABELS])


class Reads(Protocol):
    """Turns texts into vectors."""

    def vectors(self, texts: list[str]) -> NDArray[np.float32]:
        """Give a row of length 1 for each text."""
        ...


def grams(question: str) -> NDArray[np.uint32]:
    """Give the hashes of a question's words and pairs of words, each once, sorted."""
    found = word_hashes(question[:LONGEST])
    every = np.concatenate([found, ngrams(found, 2)]) if len(found) > 1 else found
    return np.unique((every & _FOLD).astype(np.uint32))


class Mapper:
    """Linear weights of a question's vector and of its words and pairs of words, those weighed by their rarity."""

    def __init__(self, finder: Reads | None = None, where: Path | None = None) -> None:
        found = store.load(NAME, where)
        self.name, self.version = found.name, found.version
        arrays = found.arrays
        self._known, self._rarity = arrays["grams"], arrays["rarity"].astype(np.float32)
        self._of_words, self._of_vector = arrays["of_words"], arrays["of_vector"]
        self._steps, self._bias = arrays["steps"].astype(np.float32), arrays["bias"].astype(np.float32)
        self._finder = finder

    def map(self, question: str) -> NDArray[np.float32]:
        """Give the probability of every label for a question."""
        return self.map_vector(self._reads.vectors([question])[0], question)[0]

    def map_vector(self, vector: NDArray[np.float32], question: str) -> tuple[NDArray[np.float32], float]:
        """Give the probability of every label, and that the question is none on privacy, from its vector and words."""
        said = vector @ self._of_vector.astype(np.float32) + self._words(question)
        found = sigmoid(said * self._steps + self._bias)
        labels = np.zeros(WIDTH, dtype=np.float32)
        labels[: len(LABELS)] = found[_READ]
        return labels, float(found[FOREIGN])

    def _words(self, question: str) -> NDArray[np.float32]:
        own = grams(question)
        places = np.flatnonzero(np.isin(self._known, own, assume_unique=True))
        weights = self._rarity[places]
        weights = weights / max(1e-9, float(np.linalg.norm(weights)))
        return np.asarray(weights @ self._of_words[places].astype(np.float32), dtype=np.float32)

    @cached_property
    def _reads(self) -> Reads:
        return self._finder or Finder()


class Nearest:
    """CMU's mapping: the label whose annotated spans in OPP-115 are nearest to a question, by the cosine of words.

    Words are counted as they are, or by the cluster of word vectors that each is in.
    """

    def __init__(self, counted: Literal["words", "clusters"], where: Path | None = None) -> None:
        found = store.load(BASELINES, where, only=tuple(f"{counted}_{part}" for part in ("hashes", "places", "labels")))
        self.name, self.version = found.name, found.version
        self._hashes, self._places, profiles = (
            found.arrays[f"{counted}_{part}"] for part in ("hashes", "places", "labels")
        )
        lengths = np.linalg.norm(profiles.astype(np.float32), axis=1, keepdims=True)
        self._labels = profiles.astype(np.float32) / np.maximum(lengths, 1e-9)

    def map(self, question: str) -> NDArray[np.float32]:
        """Give a category's greatest cosine as its probability, and of each value the share it has of that."""
        own = self._counts(question)
        near = self._labels @ (own / max(1e-9, float(np.linalg.norm(own))))
        labels = np.zeros(WIDTH, dtype=np.float32)
        # A category without values has spans of its own; of another the values' spans are all it has.
        np.maximum.at(labels, _PARENT, near[len(CATEGORIES) :])
        own_spans = labels[: len(CATEGORIES)]
        own_spans[:] = np.maximum(own_spans, near[: len(CATEGORIES)])
        best = own_spans[_PARENT]
        values = near[len(CATEGORIES) :]
        labels[len(CATEGORIES) : len(LABELS)] = np.divide(values, best, out=np.zeros_like(values), where=best > 0)
        return labels

    def _counts(self, question: str) -> NDArray[np.float32]:
        hashes = (word_hashes(question[:LONGEST]) & _FOLD).astype(np.uint32)
        counts = np.zeros(self._labels.shape[1], dtype=np.float32)
        at = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        np.add.at(counts, self._places[at[self._hashes[at] == hashes]], 1.0)
        return counts
