"""Run a benchmark by its name: each takes an order and returns an outcome; predictions are written here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from smallprint.errors import BadSetting
from smallprint.settings import Settings

# The module and function of each task.
TASKS = {
    "is-policy": "pages:is_policy",
    "documents": "documents:evaluate",
    "extraction": "pages:extraction",
    "practices": "labels:labelling",
    "polarity": "labels:labelling",
    "vagueness": "labels:vagueness",
    "sector": "annotations:sector",
    "mentions": "annotations:mentions",
    "ranking": "libraries:ranking",
    "privacyqa": "questions:evaluate_privacyqa",
    "smallprint-qa": "questions:evaluate_smallprint_qa",
    "policyqa": "questions:evaluate_policyqa",
    "verdicts": "verdicts:evaluate",
    "question-mapping": "labels:question_mapping",
    "heading-answers": "heading_answers:evaluate",
    "papers": "papers:evaluate",
    "word-vectors": "papers:word_vectors",
    "library-questions": "libraries:library_questions",
}


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be measured: a task, on which data, by which systems, over which items; all of them if not said."""

    task: str
    data: Path
    settings: Settings = field(default_factory=Settings)
    systems: tuple[str, ...] = ()
    ids: frozenset[str] | None = None

    def choose(self, known: Collection[str] = ("default",)) -> tuple[str, ...]:
        """Return the systems that were asked for, in the order of those that are known."""
        for system in self.systems:
            if system not in known:
                raise BadSetting(f"{system!r} is not a system of {self.task}; choose from: {', '.join(known)}")
        return tuple(system for system in known if not self.systems or system in self.systems)

    def wants(self, *names: str) -> bool:
        """Return whether an item is to be measured that goes by any of these ids."""
        return self.ids is None or bool(self.ids & set(names))


@dataclass(slots=True)
class Outcome:
    """What was measured: the title of the data, and the id and label of every item that has a label.

    `systems` are figures by system, `tables` whatever else is reported, `predictions` a line an item, made when they
    are read. `n` is the number of items with a label, unless said.
    """

    data: str
    truth: list[tuple[str, Any]]
    systems: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, Any] = field(default_factory=dict)
    predictions: Iterable[dict[str, Any]] = ()
    n: int | None = None

    def result(self, task: str) -> dict[str, Any]:
        """Return what `--json` prints."""
        n = len(self.truth) if self.n is None else self.n
        figures = {"systems": self.systems} if self.systems else {}
        return {"task": task, "data": self.data, "n": n, "hash": self.hash, **figures, **self.tables}

    @property
    def hash(self) -> str:
        """A hash of the ids and labels measured on, in whatever order."""
        lines = sorted(json.dumps(pair, sort_keys=True) for pair in self.truth)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def compare(
    data: str,
    items: Sequence[Any],
    outputs: Mapping[str, Sequence[Any]],
    label: Callable[[Any], Any],
    measure: Callable[[list[Any], list[Any]], Mapping[str, Any]],
    predict: Callable[[Any, dict[str, Any]], dict[str, Any]],
) -> Outcome:
    """Measure what systems put out, an output an item, on the items whose label is not None; predict for all."""
    # Items have an `id`. `measure` takes items and a system's outputs, `predict` an item and its outputs by system.
    labels = {place: truth for place, item in enumerate(items) if (truth := label(item)) is not None}
    known = [items[place] for place in labels]
    return Outcome(
        data,
        [(items[place].id, truth) for place, truth in labels.items()],
        {system: measure(known, [own[place] for place in labels]) for system, own in outputs.items() if known},
        predictions=(
            {"id": item.id, **predict(item, {system: own[place] for system, own in outputs.items()})}
            for place, item in enumerate(items)
        ),
    )


def run(order: Order, predictions: Path | None = None) -> dict[str, Any]:
    """Run a benchmark; the result is what `--json` prints."""
    outcome: Outcome = resolve_name(f"smallprint.evaluate.{TASKS[order.task]}")(order)
    if predictions is not None:
        with predictions.open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in outcome.predictions)
    return outcome.result(order.task)
