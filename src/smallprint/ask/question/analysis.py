"""A question with all that is made of it before any policy is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.model_set import Kit
from smallprint.ask.question.expansion import Paraphrase, expand
from smallprint.ask.question.normalising import Question, normalise
from smallprint.ask.ranking.stems import stemmed

# CMU expand each word by so many of its nearest; a neighbour counts by its likeness, halved.
NEIGHBOURS = 10
NEIGHBOUR_WEIGHT = 0.5
# Paraphrases whose vectors are compared as well: the first ones, which apply all rules at once, are the best.
COMPARED = 4


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is asked of a policy.

    `vectors` has the question's row first and then those of its paraphrases; `labels` are the probabilities of
    practices, `foreign` that it is no privacy question; `known` is the share of its words that policies use.
    """

    question: Question
    paraphrases: tuple[Paraphrase, ...]
    vectors: NDArray[np.float32] = field(repr=False)
    labels: NDArray[np.float32] = field(repr=False)
    foreign: float
    known: float

    @property
    def stems(self) -> dict[str, float]:
        """The question's own stems."""
        return dict.fromkeys(stemmed(self.question.words), 1.0)


def ask(text: str, kit: Kit) -> Asked:
    """Make all of a question that answering takes."""
    question = normalise(text)
    paraphrases = expand(question)
    vectors = kit.finder.vectors([question.text, *(paraphrase.text for paraphrase in paraphrases[:COMPARED])])
    labels, foreign = kit.mapper.map_vector(vectors[0], question.text)
    known = sum(word in kit.words for word in question.words) / max(1, len(question.words))
    return Asked(question, paraphrases, vectors, labels, foreign, known)


def expanded(asked: Asked, kit: Kit) -> dict[str, float]:
    """Return the question's stems, and with less weight those of the words nearest to each of its words (CMU)."""
    weights = asked.stems
    for word in asked.question.words:
        for near in kit.words.nearest(word, NEIGHBOURS) if stemmed([word]) else ():
            for stem in stemmed([near.word]):
                weights[stem] = max(weights.get(stem, 0.0), NEIGHBOUR_WEIGHT * near.likeness)
    return weights
