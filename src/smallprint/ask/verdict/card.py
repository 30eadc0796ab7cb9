"""The card of a policy: on each question its verdict, how sure that is, and the sentences that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.model_set import Kit
from smallprint.ask.ranking.evidence import as_read
from smallprint.ask.verdict.features import card_features
from smallprint.ask.verdict.guards import HEARD, Witness, Witnesses, guarded
from smallprint.card import CODES, QUESTIONS, STANCES, VERDICTS, Verdict
from smallprint.models.logistic import softmax
from smallprint.models.verdicts import VerdictRule
from smallprint.records import Sentence

# A sentence is shown for a verdict if it is so likely to speak for it, and the likeliest one always; so many at most.
SHOWN_FROM, MOST_SHOWN = 0.25, 8
_SPEAKS = {"yes": STANCES.index("+"), "no": STANCES.index("-"), "depends": STANCES.index("~")}


@dataclass(frozen=True, slots=True)
class CardVerdict:
    """The verdict on a question of the card, the places of the sentences that it rests on, the best first.

    `leaning` is what the models say by themselves, from which a rule of `guards` may have led away; `confidence` is how
    likely the verdict is right.
    """

    code: str
    verdict: Verdict
    leaning: Verdict
    confidence: float
    places: tuple[int, ...]


def read_card(sentences: Sequence[Sentence], kit: Kit) -> tuple[CardVerdict, ...]:
    """Read a policy's sentences for all questions of the card."""
    vectors = kit.finder.vectors([sentence.under_heading for sentence in sentences])
    return card_of(sentences, card_stances(sentences, vectors, kit), kit.verdicts)


def read_card_fast(sentences: Sequence[Sentence], kit: Kit) -> tuple[CardVerdict, ...]:
    """Read a policy's sentences for all questions of the card in fast quality, from their words alone."""
    student = kit.card_student
    return card_of(sentences, stances_of(student.read(sentences))[None], student.rule)


def card_stances(sentences: Sequence[Sentence], vectors: NDArray[np.float32], kit: Kit) -> NDArray[np.float32]:
    """Return the probabilities of stances by reader, sentence, question and stance: of vectors, and of words."""
    reads = [as_read(sentences, place) for place in range(len(sentences))]
    return np.stack([stances_of(kit.card_reader.read(vectors)), stances_of(kit.card_tower.read(reads))])


def card_of(sentences: Sequence[Sentence], stances: NDArray[np.float32], rule: VerdictRule) -> tuple[CardVerdict, ...]:
    """Return a policy's card from the probabilities of stances by reader, sentence, question and stance."""
    told, together = rule.probabilities(card_features(stances)), stances.mean(axis=0)
    return tuple(_verdict(code, told[place], together[:, place], sentences) for place, code in enumerate(CODES))


def stances_of(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn logits of stances into probabilities."""
    return softmax(logits)


def _verdict(
    code: str, told: NDArray[np.float32], stances: NDArray[np.float32], sentences: Sequence[Sentence]
) -> CardVerdict:
    best = int(told.argmax())
    leaning = Verdict(VERDICTS[best])
    verdict = guarded(code, QUESTIONS[code], leaning, witnesses(sentences, stances)).verdict
    # What a rule leads to was not the likeliest; of what nobody is sure of, the likeliest is spoken of.
    confidence = told[VERDICTS.index(verdict)] if verdict in VERDICTS else told[best]
    return CardVerdict(code, verdict, leaning, float(confidence), _places(verdict, leaning, stances))


def witnesses(sentences: Sequence[Sentence], stances: NDArray[np.float32]) -> Witnesses:
    """Return the strongest sentences for yes, for no and for limits."""

    def strongest(stance: str) -> tuple[Witness, ...]:
        own = stances[:, STANCES.index(stance)]
        best = np.argsort(-own, kind="stable")[:MOST_SHOWN].tolist()
        return tuple(Witness(sentences[place].spoken, float(own[place])) for place in best if own[place] >= HEARD)

    return Witnesses(*map(strongest, "+-~"))


def _places(verdict: Verdict, leaning: Verdict, stances: NDArray[np.float32]) -> tuple[int, ...]:
    """Return the sentences that earn a verdict: where a rule led to it, those that it led away from count as well."""
    if verdict is Verdict.SILENT or not len(stances):
        return ()
    sides = [_SPEAKS[own] for own in (verdict, leaning) if own in _SPEAKS]
    speaks = stances[:, sides].max(axis=1) if sides and leaning is not Verdict.BOTH else 1 - stances[:, 0]
    order = np.argsort(-speaks, kind="stable")[:MOST_SHOWN].tolist()
    return tuple(place for rank, place in enumerate(order) if not rank or speaks[place] >= SHOWN_FROM)
