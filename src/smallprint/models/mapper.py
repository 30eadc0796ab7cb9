"""What a question is about: OPP-115's categories and values, from its vector and its words; and CMU's two mappings.

A row of probabilities has a place for each of LABELS and POLARITY, as for passages: a value's is given its category.
What affirms or denies is nothing that a question says, and stays 0.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

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
# that have a name in common. With an untrained finder 41 % of the values of PolicyQA's wordings that were left out are
# right then, and 31 % otherwise.
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


def spread(said: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give every label's probability from what the columns of the weights say, a row a question."""
    found = np.zeros((len(said), WIDTH), dtype=np.float32)
    found[:, : len(LABELS)] = said[:, _READ]
    return found


class Reads(Protocol):
    """Turns texts into vectors."""

    def vectors(self, texts: list[str]) -> NDArray[np.float32]:
        """Give a row of length 1 for each text."""
        ...


def folded(hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Shorten the hashes of words to what is kept of them."""
    return (hashes & _FOLD).astype(np.uint32)


def grams(question: str) -> NDArray[np.uint32]:
    """Give the hashes of a question's words and pairs of words, each once, sorted."""
    found = word_hashes(question[:LONGEST])
    return np.unique(folded(np.concatenate([found, ngrams(found, 2)]) if len(found) > 1 else found))


class Words(NamedTuple):
    """The words and pairs of words that are known, as sorted hashes, and how rare each is."""

    known: NDArray[np.uint32]
    rarity: NDArray[np.float32]

    def weigh(self, question: str) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Give the places of those that a question has, and their rarities, of length 1 together."""
        places = np.flatnonzero(np.isin(self.known, grams(question), assume_unique=True))
        weights = self.rarity[places]
        return places, weights / max(1e-9, float(np.linalg.norm(weights)))


class Mapper:
    """Linear weights of a question's vector and of its words and pairs of words, those weighed by their rarity."""

    def __init__(self, finder: Reads | None = None, where: Path | None = None) -> None:
        found = store.load(NAME, where)
        self.name, self.version = found.name, found.version
        arrays = found.arrays
        self._known = Words(arrays["grams"], arrays["rarity"].astype(np.float32))
        self._of_vector, self._of_words = arrays["of_vector"].astype(np.float32), arrays["of_words"]
        self._steps, self._bias = arrays["steps"], arrays["bias"]
        self._finder = finder

    def map(self, question: str) -> NDArray[np.float32]:
        """Give the probability of every label for a question."""
        return self.map_vector(self._reads.vectors([question])[0], question)[0]

    def map_vector(self, vector: NDArray[np.float32], question: str) -> tuple[NDArray[np.float32], float]:
        """Give the probability of every label, and that the question is none on privacy, from its vector and words."""
        places, weights = self._known.weigh(question)
        said = vector @ self._of_vector + weights @ self._of_words[places].astype(np.float32)
        found = sigmoid(said * self._steps + self._bias)
        return spread(found[None])[0], float(found[FOREIGN])

    @cached_property
    def _reads(self) -> Reads:
        return self._finder or Finder()


class Nearest:
    """CMU's mapping: the label whose annotated spans in OPP-115 are nearest to a question, by the cosine of words.

    Words are counted as they are, or by the cluster of word vectors that each is in.
    """

    def __init__(self, counted: Literal["words", "clusters"], where: Path | None = None) -> None:
        names = tuple(f"{counted}_{part}" for part in ("hashes", "places", "labels"))
        found = store.load(BASELINES, where, only=names)
        self.name, self.version = found.name, found.version
        self._hashes, self._places, labels = (found.arrays[name] for name in names)
        self._labels = labels.astype(np.float32)

    def map(self, question: str) -> NDArray[np.float32]:
        """Give a category's greatest cosine as its probability, and of each value the share it has of that."""
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
