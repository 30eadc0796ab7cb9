"""Answer questions from given sentences, for evaluation: by the full pipeline or by a single ranker.

A policy is given as sentences, and all of its questions with the same tuple, so that an answerer can keep what it made
of them. Sentences are named by their place in that tuple; the data's own numbers stand in predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.answer.decision import Card, Decision, State, decide
from smallprint.ask.model_set import Kit
from smallprint.ask.question.analysis import ask
from smallprint.ask.ranking.evidence import Evidence, gather
from smallprint.ask.ranking.rankers import COMBINED, RANKERS, rank
from smallprint.ask.verdict.card import card_of, card_stances
from smallprint.datasets.questions import Question, Sheet, only
from smallprint.evaluate.measures import Figures, best_first, ranked, selected
from smallprint.evaluate.tasks import Order
from smallprint.models.reader import WINDOW, Read, Reader, Reading
from smallprint.records import Sentence

# Readings that are kept: those of a question and its paraphrases on one policy, and many more.
CACHED = 100_000
# Digits of a score in predictions: enough to tell two apart that a float32 does.
DIGITS = 8
STATES = tuple(State)


class CachingReader:
    """Cache readings, since rankers compared side by side read the same (question, sentence) pairs."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._cache: dict[tuple[str, Read], Reading] = {}

    def read(self, question: str, sentences: Sequence[Read], window: int = WINDOW) -> list[Reading]:
        """Return a reading per sentence, calling the model only for pairs not in the cache."""
        if len(self._cache) > CACHED:
            self._cache.clear()
        missing = [sentence for sentence in dict.fromkeys(sentences) if (question, sentence) not in self._cache]
        for sentence, reading in zip(missing, self._reader.read(question, missing, window), strict=True):
            self._cache[question, sentence] = reading
        return [self._cache[question, sentence] for sentence in sentences]


class Answerer:
    """Answers from sentences, the default path first among its systems; keeps the last question, policy and answer."""

    systems = tuple(RANKERS)

    def __init__(self, models: Kit | None = None) -> None:
        kit = self._kit = models or Kit()
        kit.reader = CachingReader(kit.reader)  # type: ignore[assignment]
        last = lru_cache(maxsize=1)
        self._ask = last(lambda question: ask(question, kit))
        self._gather = last(lambda sentences: gather(sentences, kit.labeller, kit.finder))
        # Answers by the default path.
        self.decide = last(lambda question, own: decide(self._ask(question), self._gather(own), kit))
        self.card: Callable[[tuple[Sentence, ...]], Card] = last(lambda own: cards_of(own, self._gather(own), kit))
        # The same where a question that means one of the card's gets the card's verdict.
        self.decide_by_card = last(
            lambda question, own: decide(self._ask(question), self._gather(own), kit, self.card(own))
        )

    def scores(self, system: str, question: str, sentences: tuple[Sentence, ...]) -> NDArray[np.float32]:
        """Return a score per sentence, higher is better."""
        if system == COMBINED:
            return self.decide(question, sentences).scores
        return rank(system, self._ask(question), self._gather(sentences), self._kit)


def cards_of(sentences: tuple[Sentence, ...], evidence: Evidence, kit: Kit) -> Card:
    """Return a policy's card by the codes of its questions."""
    lines = card_of(sentences, card_stances(sentences, evidence.vectors, kit), kit.verdicts)
    return {line.code: line for line in lines}


@dataclass(frozen=True, slots=True)
class Reply:
    """What every system says to a question; `decision` is None where the default path was not asked."""

    sheet: Sheet
    question: Question
    scores: dict[str, NDArray[np.float32]]
    decision: Decision | None

    @property
    def id(self) -> str:
        """The question's id."""
        return self.question.id

    def ranking(self, system: str, relevant: frozenset[int]) -> NDArray[np.bool_]:
        """Return which of the candidates are relevant, the best first."""
        candidates = np.array(self.question.candidates, dtype=np.intp)
        return np.isin(candidates[best_first(self.scores[system][candidates])], list(relevant))

    def marks(self, places: Iterable[int]) -> NDArray[np.bool_]:
        """Return which of the candidates, in the policy's order, are among some places."""
        return np.isin(self.question.candidates, list(places))

    def prediction(self) -> dict[str, Any]:
        """Return what is written of this reply, sentences by the data's own numbers."""
        numbers, decision, relevant = self.sheet.numbers, self.decision, self.question.relevant
        line: dict[str, Any] = {"id": self.question.id, "policy": self.sheet.policy}
        if decision is not None:
            line |= {
                "chosen": [numbers[place] for place in decision.chosen],
                "bearing": [numbers[place] for place in decision.bearing],
                "state": decision.state,
                "verdict": decision.verdict,
                "confidence": float(decision.confidence),
                "answerable": float(decision.answerable),
            }
        if relevant is not None:
            line["relevant"] = sorted(numbers[place] for place in relevant)
        line["scores"] = {
            system: {str(number): float(f"{score:.{DIGITS}g}") for number, score in zip(numbers, scores, strict=True)}
            for system, scores in self.scores.items()
        }
        return line


def ask_all(order: Order, sheets: Iterable[Sheet]) -> list[Reply]:
    """Ask every system of an order all its questions, policy by policy; only the default path decides."""
    answerer, replies = Answerer(), []
    systems = order.choose(answerer.systems)
    for sheet in only(sheets, order.ids):
        count = len(sheet.sentences)
        for question in sheet.questions:
            scores = {}
            for system in systems:
                own = np.asarray(answerer.scores(system, question.text, sheet.sentences), dtype=np.float32)
                if own.shape != (count,) or np.isnan(own).any():
                    raise ValueError(f"{system} gave scores of shape {own.shape} or NaN for {count} sentences")
                scores[system] = own
            decision = answerer.decide(question.text, sheet.sentences) if COMBINED in systems else None
            if decision is not None and decision.state not in STATES:
                raise ValueError(f"{decision.state!r} is no state; the states are {', '.join(STATES)}")
            replies.append(Reply(sheet, question, scores, decision))
    return replies


def measured(replies: Sequence[Reply], relevant: Sequence[frozenset[int]], prefix: str = "") -> dict[str, Figures]:
    """Measure rankings against one idea of what is relevant, and what the default path chose, where it was asked.

    What answers is held against what was chosen, whatever bears on the question against all that bears on it.
    """
    pairs = list(zip(replies, relevant, strict=True))
    figures = {system: ranked([reply.ranking(system, true) for reply, true in pairs]) for system in replies[0].scores}
    decisions = [(reply, reply.decision) for reply in replies if reply.decision is not None]
    chosen = [reply.marks(decision.chosen if prefix else decision.bearing) for reply, decision in decisions]
    if chosen:
        figures[COMBINED] |= selected([reply.marks(true) for reply, true in pairs], chosen)
    return {system: {f"{prefix}{name}": value for name, value in own.items()} for system, own in figures.items()}
