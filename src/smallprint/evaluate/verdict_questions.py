"""Verdicts on questions that people ask, narrow ones among them: what is said, the sentences shown, and silence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from smallprint.ask.answer.decision import Decision
from smallprint.ask.model_set import kit
from smallprint.card import Verdict
from smallprint.datasets.smallprint_qa import ANSWERABLE
from smallprint.datasets.verdicts import TOLD, AskedItem
from smallprint.evaluate.answering import Answerer
from smallprint.evaluate.verdict_measures import (
    SILENT,
    Measures,
    Pair,
    Said,
    Truth,
    answer_measures,
    share,
    verdict_measures,
)
from smallprint.models.verdicts import majority_of
from smallprint.records import Sentence

OPEN, OFF_TOPIC = "open", "off-topic"
# What a commonest verdict is told of.
ASKED, NARROW = "asked", "narrow"


def measure_questions(
    items: Sequence[AskedItem], policies: Mapping[str, tuple[Sentence, ...]], kind: str, answerer: Answerer | None
) -> Measures:
    """Measure verdicts on all questions that have one, and what is shown; without an answerer, the commonest verdict.

    Open questions that people asked have no verdict beyond told or silent, and count for what is shown alone.
    """
    told = [item for item in items if item.kind != OFF_TOPIC]
    pairs: list[Pair] = []
    for item in told:
        if answerer is None:
            given = Said(*majority_of(kind))
        else:
            given = said(answerer.decide_by_card(item.question, policies[item.policy]))
        pairs.append((given, truth_of(item, kind)))
    counted = [pair for pair, item in zip(pairs, told, strict=True) if kind == NARROW or item.kind != OPEN]
    mapped = {"false_card": share(is_of_card(item.question) for item in told)} if kind == NARROW and answerer else {}
    return verdict_measures(counted) | answer_measures(pairs) | mapped


def is_of_card(question: str) -> bool:
    """Return whether a question is taken for one of the card's."""
    return kit().card_mapper.match(question).is_sure


def said(decision: Decision) -> Said:
    """Return what a decision says, with the sentences that are shown for it or come closest, the best first."""
    shown = decision.chosen or decision.closest
    leaning = decision.leaning if decision.leaning is not Verdict.FOREIGN else Verdict.SILENT
    return Said(decision.verdict, decision.confidence, shown, leaning)


def truth_of(item: AskedItem, kind: str) -> Truth:
    """Return what is true of a question; an open one that people asked is told or silent by its state."""
    verdicts = item.accept
    if not verdicts:
        verdicts = (TOLD if item.state in ANSWERABLE else SILENT,)
    first = tuple(dict.fromkeys((item.verdict, *verdicts))) if item.verdict else verdicts
    cites = frozenset(item.stances) if kind == ASKED else frozenset(item.answers) | frozenset(item.related)
    return Truth(first, cites, frozenset(item.answers))
