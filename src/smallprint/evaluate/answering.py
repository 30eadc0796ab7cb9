"""Question answering, measured: what answers questions is a protocol, so that any way of answering can be tried.

A policy is given as sentences, and all of its questions with the same tuple, so that an answerer can keep what it made
of them. Sentences are named by their place in that tuple; the data's own numbers stand in predictions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.sentences import Sentence
from smallprint.errors import BadSetting, NoModel
from smallprint.evaluate.ranked import Figures, best_first, ranked, selected

ANSWERED, SILENT, UNSURE, CONFLICTING, NOT_PRIVACY = STATES = (
    "answered", "silent", "unsure", "conflicting", "not a privacy question",
)  # fmt: skip
# Digits of a score in predictions: enough to tell two apart that a float32 does.
DIGITS = 8


@dataclass(frozen=True, slots=True)
class Decided:
    """What is shown for a question: the places of the sentences, the state, and two numbers.

    `confidence` is the probability, calibrated, that the policy answers and the answer is right; `answerable` orders
    questions from those on which the policy is silent to those it answers.
    """

    chosen: tuple[int, ...]
    state: str
    confidence: float
    answerable: float


class Answerer(Protocol):
    """Answers questions about a policy given as sentences."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The rankers that can be used alone, the default path first."""
        ...

    def scores(self, system: str, question: str, sentences: Sequence[Sentence]) -> NDArray[np.float32]:
        """Give a score a sentence, higher is better."""
        ...

    def decide(self, question: str, sentences: Sequence[Sentence]) -> Decided:
        """Answer by the default path."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """A question; `candidates` are the places that count, `relevant` those of the true ones, None where nobody said."""

    id: str
    text: str
    candidates: tuple[int, ...]
    relevant: frozenset[int] | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A policy with the questions on it; `numbers` is how the data number its sentences."""

    policy: str
    sentences: tuple[Sentence, ...]
    numbers: tuple[int, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """What every system says to a question; `decided` is None where the default path was not asked."""

    sheet: Sheet
    question: Question
    scores: dict[str, NDArray[np.float32]]
    decided: Decided | None

    def ranking(self, system: str, relevant: frozenset[int]) -> NDArray[np.bool_]:
        """Tell of the candidates, the best first, which are relevant."""
        candidates = np.array(self.question.candidates, dtype=np.intp)
        order = candidates[best_first(self.scores[system][candidates])]
        return np.isin(order, list(relevant))

    def marks(self, places: Iterable[int]) -> NDArray[np.bool_]:
        """Tell of the candidates in the policy's order which are among some places."""
        return np.isin(self.question.candidates, list(places))


def answerer() -> Answerer:
    """Make the answerer that is shipped."""
    made: Answerer = from_ask("answerer")()
    return made


def from_ask(name: str) -> Any:
    """Give what makes the thing that is measured, from `smallprint.ask`; nothing of it is imported before."""
    try:
        return getattr(import_module("smallprint.ask"), name)
    except AttributeError:
        raise NoModel(f"this installation has no smallprint.ask.{name}(), so there is nothing to measure") from None


def chosen_systems(task: str, systems: Sequence[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """Give the systems that were asked for, in the order of those that are known."""
    for system in systems or ():
        if system not in known:
            raise BadSetting(f"{system!r} is no system of {task}; choose from: {', '.join(known)}")
    return tuple(system for system in known if not systems or system in systems)


def sentences(rows: Iterable[tuple[str, str]]) -> tuple[Sentence, ...]:
    """Make sentences of headings and texts in order, as though each stood on a line of its own.

    Data sets do not say where paragraphs end: a passage is what stands under one heading.
    """
    found: list[Sentence] = []
    start = 0
    for heading, text in rows:
        headings = (heading,) if heading else ()
        passage = found[-1].passage + (headings != found[-1].headings) if found else 0
        found.append(Sentence(text, headings, passage, start, start + len(text)))
        start += len(text) + 1
    return tuple(found)


def ask(answerer: Answerer, sheets: Iterable[Sheet], systems: Sequence[str]) -> Iterator[Reply]:
    """Ask every system every question, policy by policy; only the default path decides."""
    for sheet in sheets:
        for question in sheet.questions:
            scores = {system: scored(answerer, system, question.text, sheet.sentences) for system in systems}
            decided = answerer.decide(question.text, sheet.sentences) if answerer.systems[0] in systems else None
            if decided is not None and decided.state not in STATES:
                raise ValueError(f"{decided.state!r} is no state; the states are {', '.join(STATES)}")
            yield Reply(sheet, question, scores, decided)


def scored(answerer: Answerer, system: str, question: str, sentences: tuple[Sentence, ...]) -> NDArray[np.float32]:
    """Score sentences by one system; scores that cannot be ranked are a mistake of the answerer."""
    found = np.asarray(answerer.scores(system, question, sentences), dtype=np.float32)
    if found.shape != (len(sentences),) or np.isnan(found).any():
        raise ValueError(f"{system} gave scores of shape {found.shape} or NaN for {len(sentences)} sentences")
    return found


def only(sheets: Iterable[Sheet], ids: frozenset[str] | None) -> list[Sheet]:
    """Keep the policies and questions of some ids; policies without questions go."""
    found = []
    for sheet in sheets:
        all_of_it = ids is None or sheet.policy in ids
        kept = tuple(one for one in sheet.questions if all_of_it or one.id in (ids or ()))
        if kept:
            found.append(Sheet(sheet.policy, sheet.sentences, sheet.numbers, kept))
    return found


def measured(
    replies: Sequence[Reply], systems: Sequence[str], relevant: Sequence[frozenset[int]], prefix: str = ""
) -> dict[str, Figures]:
    """Measure rankings against one idea of what is relevant, and what the default path chose, where it was asked."""
    both = list(zip(replies, relevant, strict=True))
    found = {system: ranked([one.ranking(system, true) for one, true in both]) for system in systems}
    chosen = [one.marks(one.decided.chosen) for one in replies if one.decided is not None]
    if chosen:  # then the default path is the first of the systems
        found[systems[0]] |= selected([one.marks(true) for one, true in both], chosen)
    return {system: {f"{prefix}{name}": value for name, value in figures.items()} for system, figures in found.items()}


def write(path: Path, replies: Iterable[Reply]) -> None:
    """Write predictions, a line a question, sentences by the data's own numbers."""
    with path.open("w", encoding="utf-8") as file:
        for reply in replies:
            file.write(json.dumps(_line(reply), ensure_ascii=False) + "\n")


def _line(reply: Reply) -> dict[str, Any]:
    numbers, decided, question = reply.sheet.numbers, reply.decided, reply.question
    line: dict[str, Any] = {"id": question.id, "policy": reply.sheet.policy}
    if decided is not None:
        line |= {
            "chosen": [numbers[place] for place in decided.chosen],
            "state": decided.state,
            "confidence": float(decided.confidence),
            "answerable": float(decided.answerable),
        }
    if question.relevant is not None:
        line["relevant"] = sorted(numbers[place] for place in question.relevant)
    line["scores"] = {
        system: {str(number): float(f"{score:.{DIGITS}g}") for number, score in zip(numbers, scores, strict=True)}
        for system, scores in reply.scores.items()
    }
    return line
