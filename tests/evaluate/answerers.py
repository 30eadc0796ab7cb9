"""Answerers written for tests: one goes by common words, and may be told to be wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from inspect import isfunction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from smallprint.evaluate import answering, labels, questions, tasks
from smallprint.records import Sentence
from smallprint.settings import Settings
from smallprint.text import words

SHOWN = 2


@dataclass(frozen=True)
class Decided:
    """What an answerer decides, as far as it is measured."""

    chosen: tuple[int, ...]
    state: str
    confidence: float
    answerable: float
    verdict: str = "told"

    @property
    def bearing(self) -> tuple[int, ...]:
        """What bears on the question: here just what answers it."""
        return self.chosen

    @property
    def first_right(self) -> float:
        """How likely what is shown at first answers: here the same as that the verdict is right."""
        return self.confidence


def standing_in(by: Any) -> AbstractContextManager[Any]:
    """Put an answerer, mappers by their names, or a function that finds spans in the place of what is measured."""
    if by is None:
        return nullcontext()
    if isinstance(by, dict):
        return mock.patch.dict(labels.MAPPERS, {name: lambda own=own: own for name, own in by.items()})
    if isfunction(by):
        return mock.patch.object(questions, "find_span", by)
    return mock.patch.object(answering, "Answerer", return_value=by)


def run(task, data, settings=None, *, systems=(), ids=None, predictions=None, by=None) -> dict[str, Any]:
    """Run a task on data."""
    order = tasks.Order(task, data, settings or Settings(), tuple(systems or ()), ids)
    with standing_in(by):
        return tasks.run(order, predictions)


def ask_all(by, sheets, systems) -> list[answering.Reply]:
    """Ask an answerer's systems all questions."""
    with standing_in(by):
        return answering.ask_all(tasks.Order("privacyqa", Path(), systems=systems), sheets)


def evaluator(task: str) -> Callable[..., dict[str, Any]]:
    """Return what runs a task on data; the hash of what was measured is checked for its form and left out."""

    def evaluate(data: Path, systems=None, ids=None, predictions=None, by=None) -> dict[str, Any]:
        result = run(task, data, systems=systems, ids=ids, predictions=predictions, by=by)
        assert re.fullmatch("[0-9a-f]{12}", result.pop("hash"))
        return result

    return evaluate


class Overlap:
    """Ranks by common words; shows two sentences where there are any, and keeps a note of who asked for what."""

    systems = ("combined", "backwards", "nothing")

    def __init__(self, shift: int = 0) -> None:
        self.shift = shift
        self.asked: list[tuple[str, int]] = []

    def scores(self, system: str, question: str, sentences: Sequence[Sentence]) -> NDArray[np.float32]:
        self.asked.append((system, id(sentences)))
        common = [len(set(words(question)) & set(words(one.text))) for one in sentences]
        sign = {"combined": 1, "backwards": -1, "nothing": 0}[system]
        return np.roll(np.array(common, dtype=np.float32), self.shift) * sign

    def decide(self, question: str, sentences: Sequence[Sentence]) -> Decided:
        scores = self.scores("combined", question, sentences)
        best = float(scores.max())
        if "weather" in question:
            return Decided((), "not a privacy question", 0.1, -1.0)
        if not best:
            return Decided((), "silent", 0.2, best)
        chosen = tuple(int(place) for place in np.argsort(-scores, kind="stable")[:SHOWN])
        return Decided(chosen, "unsure" if best == 1 else "answered", min(1.0, best / 4), best)
