"""The questions that readers are measured on, what is read for each, and the figures of what was said.

PrivacyQA's development questions are read with all of their policy's sentences; those of smallprint_qa, whose policies
are long, with the sentences nearest by the shipped finder. What is not read is ranked last and never chosen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.sentences import Sentence
from smallprint.evaluate import privacyqa, smallprint_qa
from smallprint.evaluate.answering import Question, Sheet, only
from smallprint.evaluate.ranked import Figures, best_first, ranked, selected
from smallprint.models import store
from smallprint.models.finder import NAME as FINDER
from smallprint.models.finder import Finder
from smallprint.models.reader import Read, Reader
from smallprint.train import pairs
from smallprint.train.era.bench import Bench, collection
from smallprint.train.era.questions import flagged_kinds, mapped_kinds
from smallprint.train.era.steps import Made

NAME, FILE = "measured", "items.json"
PRIVACYQA, HELD, TUNING = SETS = ("privacyqa", "held", "tuning")
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Item:
    """A question, the sentences of its policy, the places that count, those that are read, the relevant ones."""

    id: str
    text: str
    sentences: tuple[Sentence, ...]
    candidates: tuple[int, ...]
    read: tuple[int, ...]
    relevant: frozenset[int]
    kinds: tuple[str, ...] = ()
    policy: str = ""

    @property
    def truth(self) -> NDArray[np.bool_]:
        """Tell of what is read which is relevant."""
        return np.isin(self.read, list(self.relevant))


def step(bench: Bench) -> Made:
    """Find the sentences that are read for each question, and what each question is about."""

    def make(folder: Path) -> dict[str, Any]:
        finder = Finder()
        found: dict[str, dict[str, Any]] = {}
        counts: dict[str, Any] = {}
        for name in SETS:
            read = dict(_read(name, _sheets(bench, name), finder, bench.sizes.nearest))
            asked = [one for sheet in _sheets(bench, name) for one in sheet.questions]
            kinds = _kinds(bench.data, name, asked)
            found[name] = {key: {"read": places, "kinds": kinds[key]} for key, places in read.items()}
            relevant = sum(len(one.relevant or ()) for one in asked)
            among = sum(len((one.relevant or frozenset()) & set(read[one.id])) for one in asked)
            counts[name] = {
                "questions": len(asked),
                "answerable": sum(bool(one.relevant) for one in asked),
                "pairs read": sum(map(len, read.values())),
                "share of the relevant that is read": round(among / max(1, relevant), 4),
            }
        (folder / FILE).write_text(json.dumps(found), encoding="utf-8")
        return counts

    options: dict[str, Any] = {
        "nearest": bench.sizes.nearest,
        "measured": bench.sizes.measured,
        "labels": bench.labels(),
    }
    options["finder"] = store.version(FINDER)
    return bench.work.step(NAME, options, (), make)


def load(bench: Bench, made: Made, name: str) -> list[Item]:
    """Give a set's questions."""
    known = json.loads((made.folder / FILE).read_text(encoding="utf-8"))[name]
    return [
        Item(
            one.id,
            one.text,
            sheet.sentences,
            one.candidates,
            tuple(known[one.id]["read"]),
            one.relevant or frozenset(),
            tuple(known[one.id]["kinds"]),
            sheet.policy,
        )
        for sheet in _sheets(bench, name)
        for one in sheet.questions
    ]


def read_by(reader: Reader, items: Sequence[Item], *, bare: bool = False) -> list[Scores]:
    """Let a reader say of each sentence that is read how much it bears on its question; bare ones stand alone."""
    found = []
    for one in items:
        said = reader.read(one.text, [_as_read(one.sentences, place, bare=bare) for place in one.read])
        found.append(np.array([reading.bears for reading in said], dtype=np.float32))
    return found


def ranking(item: Item, scores: Scores) -> NDArray[np.bool_]:
    """Tell which are relevant, the best first; what was not read comes last, in the policy's order."""
    order = [item.read[place] for place in best_first(scores).tolist()]
    known = set(order)
    order += [place for place in item.candidates if place not in known]
    return np.isin(order, list(item.relevant))


def chosen(item: Item, scores: Scores, threshold: float) -> NDArray[np.bool_]:
    """Tell of the candidates which are chosen."""
    picked = [place for place, score in zip(item.read, scores.tolist(), strict=True) if score >= threshold]
    return np.isin(item.candidates, picked)


def figures(items: Sequence[Item], scores: Sequence[Scores], threshold: float) -> Figures:
    """Give all measures of rankings over the answerable questions, and of what is chosen over all pairs."""
    both = list(zip(items, scores, strict=True))
    found = ranked([ranking(*one) for one in both])
    ranks = {
        name.replace("_answerable", ""): value
        for name, value in found.items()
        if name.removesuffix("_ci").endswith("_answerable")
    }
    truth = [np.isin(one.candidates, list(one.relevant)) for one in items]
    return selected(truth, [chosen(one, own, threshold) for one, own in both]) | ranks


def best_threshold(items: Sequence[Item], scores: Sequence[Scores]) -> float:
    """Give the threshold with the best F1 of what is chosen; relevant sentences that are not read count as missed."""
    said, truth = _pooled(items, scores)
    if not len(said):
        return 0.0
    order = np.argsort(-said, kind="stable")
    hits = np.cumsum(truth[order])
    relevant = sum(len(one.relevant) for one in items)
    f1 = 2 * hits / (np.arange(len(said)) + 1 + relevant)
    return float(said[order[int(f1.argmax())]])


def sure_threshold(items: Sequence[Item], scores: Sequence[Scores], precision: float) -> float:
    """Give the least threshold from which so large a share is relevant; the greatest score where there is none."""
    said, truth = _pooled(items, scores)
    if not len(said):
        return 0.0
    order = np.argsort(-said, kind="stable")
    share = np.cumsum(truth[order]) / (np.arange(len(said)) + 1)
    good = np.flatnonzero(share >= precision)
    return float(said[order[int(good[-1]) if len(good) else 0]])


def drop_threshold(items: Sequence[Item], scores: Sequence[Scores], missed: float) -> float:
    """Give the greatest threshold below which no larger share than this is relevant; the least score if none is."""
    said, truth = _pooled(items, scores)
    if not len(said):
        return 0.0
    order = np.argsort(said, kind="stable")
    share = np.cumsum(truth[order]) / (np.arange(len(said)) + 1)
    good = np.flatnonzero(share <= missed)
    return float(said[order[int(good[-1]) if len(good) else 0]])


def _pooled(items: Sequence[Item], scores: Sequence[Scores]) -> tuple[Scores, NDArray[np.bool_]]:
    if not items:
        return np.zeros(0, dtype=np.float32), np.zeros(0, dtype=bool)
    return np.concatenate(list(scores)), np.concatenate([one.truth for one in items])


def _sheets(bench: Bench, name: str) -> list[Sheet]:
    if name == PRIVACYQA:
        sheets = privacyqa.load(bench.data / "labelled" / "privacyqa" / "dev")
    else:
        every = smallprint_qa.sheets(collection(bench.data))
        sheets = only(every, smallprint_qa.held() if name == HELD else pairs.tuning())
    return only(sheets, frozenset(_first(sheets, bench.sizes.measured)))


def _first(sheets: Sequence[Sheet], most: int | None) -> list[str]:
    return [one.id for sheet in sheets for one in sheet.questions][:most]


def _read(name: str, sheets: Iterable[Sheet], finder: Finder, most: int) -> Iterable[tuple[str, list[int]]]:
    for sheet in sheets:
        if name == PRIVACYQA:
            yield from ((one.id, list(one.candidates)) for one in sheet.questions)
            continue
        vectors = finder.vectors([one.under_heading for one in sheet.sentences])
        asked = finder.vectors([one.text for one in sheet.questions])
        for one, own in zip(sheet.questions, asked, strict=True):
            yield one.id, best_first(vectors @ own)[:most].tolist()


def _kinds(data: Path, name: str, asked: Sequence[Question]) -> dict[str, tuple[str, ...]]:
    if name == PRIVACYQA:
        return flagged_kinds(data)
    kinds = mapped_kinds(one.text for one in asked)
    return {one.id: (kind,) for one, kind in zip(asked, kinds, strict=True)}


def _as_read(sentences: Sequence[Sentence], place: int, *, bare: bool) -> Read:
    own = sentences[place]
    if bare:
        return Read(own.text)
    return Read(own.text, own.headings[-1] if own.headings else "", sentences[place - 1].text if place else "")
