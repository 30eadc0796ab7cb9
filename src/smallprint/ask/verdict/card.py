"""The card of a policy: on each question its verdict, how sure that is, and the sentences that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.model_set import Kit
from smallprint.ask.verdict.features import stance_features
from smallprint.card import CODES, STANCES, VERDICTS
from smallprint.models.verdicts import VerdictRule
from smallprint.records import Sentence

# A sentence is shown for a verdict if it is so likely to speak for it, and the likeliest one always; so many at most.
SHOWN_FROM, MOST_SHOWN = 0.25, 8
_SPEAKS = {"yes": STANCES.index("+"), "no": STANCES.index("-"), "depends": STANCES.index("~")}


class Verdict(StrEnum):
    """What a policy says on a yes-no question, or that nobody can be sure of it."""

    YES = "yes"
    NO = "no"
    DEPENDS = "depends"
    BOTH = "both"
    SILENT = "silent"
    NOT_SURE = "not sure"


@dataclass(frozen=True, slots=True)
class CardVerdict:
    """The verdict on a question of the card, the places of the sentences that it rests on, the best first.

    `leaning` is the likeliest verdict, which is also the verdict where one can be sure; `confidence` is how likely that
    is right.
    """

    code: str
    verdict: Verdict
    leaning: Verdict
    confidence: float
    places: tuple[int, ...]


def read_card(sentences: Sequence[Sentence], kit: Kit) -> tuple[CardVerdict, ...]:
    """Read a policy's sentences for all questions of the card."""
    vectors = kit.finder.vectors([sentence.under_heading for sentence in sentences])
    return card_of(stances_of(kit.card_reader.read(vectors)), kit.verdicts)


def card_of(probabilities: NDArray[np.float32], rule: VerdictRule) -> tuple[CardVerdict, ...]:
    """Return a policy's card from the probabilities of stances by sentence, question and stance."""
    told = rule.probabilities(stance_features(probabilities))
    return tuple(_verdict(code, told[place], probabilities[:, place]) for place, code in enumerate(CODES))


def stances_of(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn logits of stances into probabilities."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True), dtype=np.float32)


def _verdict(code: str, told: NDArray[np.float32], stances: NDArray[np.float32]) -> CardVerdict:
    best = int(told.argmax())
    leaning = Verdict(VERDICTS[best])
    return CardVerdict(code, leaning, leaning, float(told[best]), _places(leaning, stances))


def _places(verdict: Verdict, stances: NDArray[np.float32]) -> tuple[int, ...]:
    if verdict is Verdict.SILENT or not len(stances):
        return ()
    speaks = stances[:, _SPEAKS[verdict]] if verdict in _SPEAKS else 1 - stances[:, 0]
    order = np.argsort(-speaks, kind="stable")[:MOST_SHOWN].tolist()
    return tuple(place for rank, place in enumerate(order) if not rank or speaks[place] >= SHOWN_FROM)
