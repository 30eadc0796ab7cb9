"""The questions that readers are measured on, what is read for each, and the figures of what a reader says.

PrivacyQA's development questions are read with all of their policy's sentences; those of smallprint_qa, whose policies
are long, with the sentences nearest by the shipped finder. What is not read is ranked last and never chosen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from smallprint.datasets import privacyqa, smallprint_qa
from smallprint.datasets.questions import Question, Sheet, only
from smallprint.evaluate.measures import RANKED, Floats, best_first, ranking
from smallprint.models import finder, store
from smallprint.models.finder import Finder
from smallprint.models.reader import Read, Reader
from smallprint.records import Sentence
from smallprint.train.era.bench import Bench, StepResult, collection

FILE = "items.json"
PRIVACYQA, HELD, TUNING = SETS = ("privacyqa", "held", "tuning")
# What is measured: of what is chosen, over all pairs; of rankings, over the questions that have an answer.
MEASURES = ("selection_precision", "selection_recall", "selection_F1", "F@5", "MRR", "MAP")
_RANKED = [RANKED.index(name) for name in MEASURES[3:]]
# Of what a reader surely drops so few are relevant.
MISSED = 0.05
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Item:
    """A question, the sentences of its policy, and the places of those that are read."""

    asked: Question
    sentences: tuple[Sentence, ...]
    read: tuple[int, ...]

    @property
    def relevant(self) -> list[int]:
        """The places of the relevant sentences."""
        return sorted(self.asked.relevant or ())

    @property
    def truth(self) -> NDArray[np.bool_]:
        """Which of the sentences that are read are relevant."""
        return np.isin(self.read, self.relevant)


class Cut(NamedTuple):
    """From which score a reader chooses, and below which it surely drops."""

    best: float
    drop: float


def step(bench: Bench) -> StepResult:
    """Find the sentences that are read for each question."""

    def make(folder: Path) -> dict[str, Any]:
        items = {name: list(_items(bench, name, Finder())) for name in SETS}
        places = {name: {item.asked.id: item.read for item in own} for name, own in items.items()}
        (folder / FILE).write_text(json.dumps(places), encoding="utf-8")
        return {name: _counts(own) for name, own in items.items()}

    options = {"nearest": bench.sizes.nearest, "measured": bench.sizes.measured, "labels": bench.labels()}
    return bench.step("measured", {**options, "finder": store.version(finder.NAME)}, (), make)


def load(bench: Bench, name: str) -> list[Item]:
    """Return a set's questions."""
    places = json.loads((step(bench).folder / FILE).read_text(encoding="utf-8"))[name]
    sheets = _sheets(bench, name)
    return [Item(asked, sheet.sentences, tuple(places[asked.id])) for sheet in sheets for asked in sheet.questions]


def read_by(reader: Reader, items: Sequence[Item], *, bare: bool = False) -> list[Scores]:
    """Let a reader say of each sentence that is read how much it bears on its question; bare ones stand alone."""

    def as_read(item: Item, place: int) -> Read:
        own = item.sentences[place]
        if bare:
            return Read(own.text)
        return Read(own.text, own.headings[-1] if own.headings else "", item.sentences[place - 1].text if place else "")

    readings = [reader.read(item.asked.text, [as_read(item, place) for place in item.read]) for item in items]
    return [np.array([reading.bears for reading in own], dtype=np.float32) for own in readings]


def outcomes(items: Sequence[Item], scores: Sequence[Scores], threshold: float) -> Floats:
    """Return a row a question: sentences rightly chosen, chosen and relevant; then F@5, MRR and MAP of its ranking."""
    rows = []
    for item, own in zip(items, scores, strict=True):
        chosen = own >= threshold
        order = [item.read[place] for place in best_first(own).tolist()]
        is_relevant = np.isin(list(dict.fromkeys((*order, *item.asked.candidates))), item.relevant)
        counts = (chosen & item.truth).sum(), chosen.sum(), len(item.relevant)
        rows.append((*counts, *ranking(is_relevant)[_RANKED]))
    return np.array(rows, dtype=np.float64)


def figures(rows: Floats) -> Floats:
    """Return the measures of outcomes, those of rankings NaN if no question has an answer."""
    hits, chosen, relevant = rows[:, :3].sum(axis=0)
    rankings = rows[rows[:, 2] > 0, 3:]
    selection = hits / max(1, chosen), hits / max(1, relevant), 2 * hits / max(1, chosen + relevant)
    return np.array([*selection, *(rankings.mean(axis=0) if len(rankings) else [np.nan] * len(_RANKED))])


def cut(items: Sequence[Item], scores: Sequence[Scores], missed: float = MISSED) -> Cut:
    """Return the threshold with the best F1 of what is chosen; relevant sentences that are not read count as missed.

    Below the other no larger share than `missed` is relevant; it is the least score if there is none.
    """
    if not items:
        return Cut(0.0, 0.0)
    every, truth = np.concatenate(list(scores)), np.concatenate([item.truth for item in items])
    falling, rising = np.argsort(-every, kind="stable"), np.argsort(every, kind="stable")
    counts, relevant = np.arange(len(every)) + 1, sum(len(item.relevant) for item in items)
    f1 = 2 * np.cumsum(truth[falling]) / (counts + relevant)
    safe = np.flatnonzero(np.cumsum(truth[rising]) / counts <= missed)
    return Cut(float(every[falling[f1.argmax()]]), float(every[rising[safe[-1] if len(safe) else 0]]))


def _sheets(bench: Bench, name: str) -> list[Sheet]:
    if name == PRIVACYQA:
        sheets = privacyqa.load(bench.data / privacyqa.DEVELOPMENT)
    else:
        every = collection(bench.data).policies.values()
        sheets = only(every, smallprint_qa.held() if name == HELD else smallprint_qa.tuning())
    ids = [question.id for sheet in sheets for question in sheet.questions]
    return only(sheets, frozenset(ids[: bench.sizes.measured]))


def _items(bench: Bench, name: str, shipped: Finder) -> Iterator[Item]:
    for sheet in _sheets(bench, name):
        if name == PRIVACYQA:
            yield from (Item(asked, sheet.sentences, asked.candidates) for asked in sheet.questions)
            continue
        sentences = shipped.vectors([sentence.under_heading for sentence in sheet.sentences])
        questions = shipped.vectors([asked.text for asked in sheet.questions])
        for asked, vector in zip(sheet.questions, questions, strict=True):
            read = best_first(sentences @ vector)[: bench.sizes.nearest].tolist()
            yield Item(asked, sheet.sentences, tuple(read))


def _counts(items: Sequence[Item]) -> dict[str, Any]:
    relevant, read = [len(item.relevant) for item in items], sum(int(item.truth.sum()) for item in items)
    return {
        "questions": len(items),
        "answerable": sum(map(bool, relevant)),
        "pairs read": sum(len(item.read) for item in items),
        "share of the relevant that is read": round(read / max(1, sum(relevant)), 4),
    }
