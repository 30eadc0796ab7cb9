"""Which question of the card a question means, however it is worded; which answer it hopes for; of one policy or many.

A question is seen in four ways, each of length 1: the finder's vector, which knows what answers it; the mean of its
tokens' embeddings and of its words' vectors, which know slang and misspelt words; and its words and pairs of words.
Learnt from 672 wordings and asked of 2,100 others, the first alone is right for 78 %, all four for 84 %.

Each question of the card is scored twice: by what has seen wordings alone, which says which one is nearest, and by
what has seen questions that mean none as well, which says whether it is meant. Of wordings on one policy in a style not
seen 89 % are right so, and 86 % if one score does both.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from smallprint.card import CODES
from smallprint.models import store
from smallprint.models.finder import LONGEST, Finder
from smallprint.models.logistic import sigmoid
from smallprint.models.vectors import Vectors, shipped
from smallprint.text import ngrams, word_hashes, words

NAME = "card-mapper"
# What stands for the name of a service where a wording leaves it open.
NAMELESS, SERVICE = "{name}", "the service"
Scope = Literal["one", "many"]
Polarity = Literal["+", "-", "0"]
POLARITIES: tuple[Polarity, ...] = ("+", "-", "0")
# The columns of the weights: scores for which question of the card is nearest, for which of them or whether none is
# meant, for being on many policies, for turning the card's question round, and for each polarity if on many policies.
NEAREST, MEANT = slice(0, len(CODES)), slice(len(CODES), 2 * len(CODES))
NONE = MEANT.stop
MANY, TURNED, OF_MANY = NONE + 1, NONE + 2, slice(NONE + 3, NONE + 3 + len(POLARITIES))
COLUMNS = OF_MANY.stop
# Words and pairs of words are counted in so many places, each in two of them, for or against: an implicit projection.
SKETCH, TIMES = 1024, 2
# How much each view counts.
OF_VECTOR, OF_WORDS, OF_TOKENS, OF_SKETCH = 1.0, 0.6, 0.6, 0.7
# In so many sentences a word is taken to stand that no policy uses.
UNMET = 30
_MIX, _MIX_AGAIN = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_FOR_OR_AGAINST = np.uint64(60)


@dataclass(frozen=True, slots=True)
class CardMatch:
    """The question of the card that comes nearest, and how likely it is what was meant.

    Of one policy, "-" is where yes to the question is no to the card's. Of many, "+" asks for those that say yes, "-"
    for those that deny it, "0" for those that do not say.
    """

    code: str
    polarity: Polarity
    scope: Scope
    probability: float
    polarity_probability: float
    is_sure: bool


class Views:
    """Turn questions into rows of features."""

    def __init__(self, finder: Finder, word_vectors: Vectors, centre: NDArray[np.float32]) -> None:
        self._finder, self._vectors, self._centre = finder, word_vectors, centre

    def row(self, question: str, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the features of a question, of which the finder's vector is known."""
        question = question[:LONGEST]
        tokens = _of_length_one(self._finder.embedding(question) - self._centre)
        parts = (OF_VECTOR * vector, OF_WORDS * self._mean(words(question)), OF_TOKENS * tokens)
        return np.concatenate([*parts, OF_SKETCH * sketch(question), np.ones(1)], dtype=np.float32, casting="same_kind")

    def _mean(self, own: list[str]) -> NDArray[np.float32]:
        total = np.zeros(self._vectors.width, dtype=np.float32)
        for word in own:
            rank = self._vectors.rank(word)
            count = UNMET if rank is None else int(self._vectors.counts[rank - 1])
            rarity = np.float32(np.log(self._vectors.sentences / (1 + count)))
            total += rarity * _of_length_one(self._vectors.vector(word))
        return _of_length_one(total)


def sketch(question: str) -> NDArray[np.float32]:
    """Return a question's words and pairs of words, counted into a few places; questions that share some are near."""
    hashes = word_hashes(question)
    distinct = np.unique(np.concatenate([hashes, ngrams(hashes, 2)])) if len(hashes) > 1 else hashes
    places = np.zeros(SKETCH, dtype=np.float32)
    for time in range(TIMES):
        mixed = (distinct + np.uint64(time * 7919 + 1)) * _MIX
        mixed = (mixed ^ (mixed >> np.uint64(31))) * _MIX_AGAIN
        signs = np.where((mixed >> _FOR_OR_AGAINST) & np.uint64(1), 1.0, -1.0)
        np.add.at(places, ((mixed >> np.uint64(20)) % np.uint64(SKETCH)).astype(np.intp), signs)
    return _of_length_one(places)


def evidence(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what tells, a row a question, whether the nearest question of the card is meant at all."""
    nearest, meant = scores[:, NEAREST], scores[:, MEANT]
    best, likely = np.sort(nearest, axis=1)[:, ::-1], np.sort(meant, axis=1)[:, ::-1]
    own = meant[np.arange(len(scores)), nearest.argmax(axis=1)]
    columns = (best[:, 0], best[:, 0] - best[:, 1], own, likely[:, 0] - likely[:, 1], scores[:, NONE], scores[:, MANY])
    return np.stack(columns, axis=1)


class CardMapper:
    """Linear weights of a question's features, and how sure one can be of what they say."""

    def __init__(
        self, finder: Finder | None = None, where: Path | None = None, word_vectors: Vectors | None = None
    ) -> None:
        arrays = store.load(NAME, where)
        self._weights = arrays["weights"].astype(np.float32)
        self._certainty, self._polarity = arrays["certainty"], arrays["polarity"]
        self._sure_from = float(arrays["sure_from"])
        self._finder = finder or Finder()
        self._views = Views(self._finder, word_vectors or shipped(), arrays["centre"].astype(np.float32))

    def match(self, question: str, vector: NDArray[np.float32] | None = None) -> CardMatch:
        """Return the question of the card that comes nearest; `vector` is the finder's of the question, if at hand."""
        question = question.replace(NAMELESS, SERVICE)
        if vector is None:
            vector = self._finder.vectors([question])[0]
        scores = self._views.row(question, vector) @ self._weights
        probability = float(sigmoid(np.append(evidence(scores[None])[0], 1.0) @ self._certainty))
        is_of_many = bool(scores[MANY] > 0)
        polarity, sureness = self._polarity_of_many(scores) if is_of_many else self._polarity_of_one(scores)
        return CardMatch(
            CODES[int(scores[NEAREST].argmax())],
            polarity,
            "many" if is_of_many else "one",
            probability,
            sureness,
            probability >= self._sure_from,
        )

    def _polarity_of_one(self, scores: NDArray[np.float32]) -> tuple[Polarity, float]:
        turned = float(sigmoid(self._polarity[0] * scores[TURNED]))
        return ("-", turned) if turned > 0.5 else ("+", 1 - turned)

    def _polarity_of_many(self, scores: NDArray[np.float32]) -> tuple[Polarity, float]:
        weighed = np.exp(self._polarity[1] * scores[OF_MANY])
        best = int(weighed.argmax())
        return POLARITIES[best], float(weighed[best] / weighed.sum())


def _of_length_one(row: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(row / max(1e-9, float(np.linalg.norm(row))), dtype=np.float32)
