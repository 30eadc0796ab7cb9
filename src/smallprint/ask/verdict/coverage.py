"""How much of what a question names stands in a policy: a narrow thing that a policy never names, it is silent on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from smallprint.ask.model_set import Kit
from smallprint.ask.question.analysis import Asked
from smallprint.ask.ranking.stems import rarity, stemmed, stems
from smallprint.records import Sentence

# Of a word so many of its nearest may stand for it, if they are so near.
NEIGHBOURS, LIKENESS = 10, 0.6
# What every policy speaks of says nothing of whether this one speaks of what was asked.
_ANYWHERE = frozenset(stemmed(
    "data information info personal private privacy details policy company service services website site app apps use "
    "user users customer people person stuff things know tell say get give go want need make take keep like".split()
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of a question's words, weighed by how rare they are, that stand in a policy; 1 where nothing is rare.

    `exact` counts the words themselves, `near` those that are like them as well; `together` is the greatest share that
    stands in one sentence; `missing` and `missing_near` are how rare the rarest word is that does not stand there.
    """

    exact: float
    near: float
    together: float
    missing: float
    missing_near: float


def coverage(asked: Asked, sentences: Sequence[Sentence], kit: Kit) -> Coverage:
    """Return how much of what a question names stands in a policy's sentences and their headings."""
    idf = rarity()
    weights = {stem: idf[stem] for stem in asked.stems if stem not in _ANYWHERE}
    if not weights:
        return Coverage(1.0, 1.0, 1.0, 0.0, 0.0)
    likeness = _likeness(asked, kit)
    own = [frozenset(stems(" ".join((*sentence.headings[-1:], sentence.spoken)))) for sentence in sentences]
    policy = frozenset().union(*own)
    near = {
        stem: max((likeness[stem].get(other, 0.0) for other in policy & likeness[stem].keys()), default=0.0)
        for stem in weights
    }
    total = sum(weights.values())
    present = {stem: float(stem in policy) for stem in weights}
    near = {stem: max(present[stem], share) for stem, share in near.items()}
    return Coverage(
        sum(weights[stem] * present[stem] for stem in weights) / total,
        sum(weights[stem] * near[stem] for stem in weights) / total,
        max((sum(weights[stem] for stem in weights if stem in sentence) / total for sentence in own), default=0.0),
        max((weights[stem] * (1 - present[stem]) for stem in weights), default=0.0),
        max((weights[stem] * (1 - near[stem]) for stem in weights), default=0.0),
    )


def _likeness(asked: Asked, kit: Kit) -> dict[str, dict[str, float]]:
    """Return for each stem of a question the stems of the words that are like it, and how like they are."""
    others: dict[str, dict[str, float]] = {}
    for word in asked.question.words:
        for stem in stemmed([word]):
            like = others.setdefault(stem, {})
            for neighbour in kit.words.nearest(word, NEIGHBOURS):
                if neighbour.likeness >= LIKENESS:
                    like |= {other: neighbour.likeness for other in stemmed([neighbour.word]) if other != stem}
    return others


def numbers(own: Coverage) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Return coverage as features."""
    return np.array([own.exact, own.near, own.together, own.missing, own.missing_near], dtype=np.float32)
