"""Step 4: a filter from each base model: a reader of bare pairs that keeps or drops what was found for a question."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.reader import NAME as READER
from smallprint.models.reader import Read, Reader
from smallprint.train import reader
from smallprint.train.era import bench as benches
from smallprint.train.era import material, measured, readers, search, sentences
from smallprint.train.era.bases import base
from smallprint.train.era.bench import Bench
from smallprint.train.era.candidates import Found, candidates
from smallprint.train.era.questions import Wording
from smallprint.train.era.rows import Row
from smallprint.train.era.steps import Made
from smallprint.train.export import tower_graph
from smallprint.train.fitting import Plan

PLAN = Plan(epochs=1, rate=1e-4, average=0.995)
# What is kept where one wants to be sure is right in so many cases on the tuning policies, and of what is surely wrong
# so few are right.
SURE, MISSED = 0.8, 0.05
FILE = "bears.npy"
SHOWN = ("selection_precision", "selection_recall", "selection_F1", "F@5", "MRR")
# Questions between two marks of how far filtering went.
OFTEN = 100


@dataclass(frozen=True, slots=True)
class Cut:
    """From which logit a filter keeps, from which it keeps if it is to be sure, and below which it surely drops."""

    best: float
    sure: float
    drop: float


def step(bench: Bench, name: str) -> Made:
    """Give the filter of a base model; "reader" is the grown one, which learnt from all labelled pairs."""
    return _grown(bench) if name == READER else _trained(bench, name)


def _trained(bench: Bench, name: str) -> Made:
    known, begun = material.step(bench), base(bench, name)
    plan = replace(PLAN, seed=bench.seed)

    def weigh(folder: Path) -> int:
        luck = random.Random(bench.seed)  # noqa: S311 - not for secrets
        drawn = material.load(bench, known).examples(luck, bare=True)
        chosen = luck.sample(drawn, min(bench.sizes.filter_pairs, len(drawn)))
        torch.manual_seed(plan.seed)
        network = reader.blank(begun.layers)
        reader.taught(network, lambda _: chosen, plan, bench.say, folder / "filter.checkpoint")
        store.save(READER, {reader.HEAD: tower_graph(network.tower, reader.HEAD)}, folder)
        return len(chosen)

    options = {"plan": asdict(plan), "pairs": bench.sizes.filter_pairs}
    return _settled(bench, name, options, (known, measured.step(bench), *begun.steps), weigh)


def _grown(bench: Bench) -> Made:
    grown = readers.grown(bench)

    def weigh(folder: Path) -> int:
        store.save(READER, store.load(READER, grown.folder).arrays, folder)
        return int(grown.counts["examples an epoch"]["in all"])

    return _settled(bench, READER, {}, (measured.step(bench), grown), weigh)


def _settled(
    bench: Bench, name: str, options: dict[str, Any], behind: Sequence[Made], weigh: Callable[[Path], int]
) -> Made:
    """Choose on the tuning policies from where a filter keeps; `weigh` writes its weights, and says how many pairs."""

    def make(folder: Path) -> dict[str, Any]:
        count = weigh(folder)
        items = measured.load(bench, measured.step(bench), measured.TUNING)
        said = measured.read_by(Reader(benches.base(), folder), items, bare=True)
        cut = Cut(
            measured.best_threshold(items, said),
            measured.sure_threshold(items, said, SURE),
            measured.drop_threshold(items, said, MISSED),
        )
        figures = measured.figures(items, said, cut.best)
        told = {name: round(float(figures[name]), 4) for name in SHOWN}  # type: ignore[arg-type]  # no interval
        return {"pairs": count, "cut": asdict(cut), "on the tuning policies": told}

    every = {**options, "sure": SURE, "missed": MISSED}
    return bench.work.step(f"filters/{name}-{bench.seed}", every, behind, make)


def cut_of(made: Made) -> Cut:
    """Give from where a filter keeps."""
    return Cut(**made.counts["cut"])


def scored(bench: Bench, retriever: str, by: str, row: Row) -> tuple[Found, NDArray[np.float32], Made]:
    """Give what a row looks at of all that a retriever found, a line a question, and what a filter says of it."""
    read, known = sentences.step(bench), material.step(bench)
    found, filter_ = search.step(bench, retriever, row.questions), step(bench, by)
    texts = sentences.load(read)
    rows = candidates(search.load(found).rows, row.k, bench.seed)

    def make(folder: Path) -> dict[str, Any]:
        asked = search.asked_of(bench, known, row.questions)
        said = bears(Reader(benches.base(), filter_.folder), asked, rows, texts, folder / "bears.part", bench.say)
        np.save(folder / FILE, said)
        kept = int((said >= cut_of(filter_).best).sum())
        return {"pairs": int((rows >= 0).sum()), "kept": kept}

    name = f"scores/{retriever}-by-{by}-{bench.seed}-{row.questions}-{row.k}"
    options = {"of the first": row.k, "seed": bench.seed}
    made = bench.work.step(name, options, (read, known, found, filter_), make)
    return rows, np.load(made.folder / FILE), made


def bears(
    model: Reader,
    asked: Sequence[Wording],
    rows: NDArray[np.int64],
    texts: Sequence[str],
    part: Path,
    say: Callable[[str], None],
) -> NDArray[np.float32]:
    """Let a filter read each question with what was found for it; what is done is kept in `part` as it goes.

    Where nothing was found stands minus infinity.
    """
    said = np.full(rows.shape, -np.inf, dtype=np.float32)
    done = 0
    if part.is_file():
        with part.open("rb") as file:
            before = np.load(file)
        said[: len(before)], done = before, len(before)
    for number in range(done, len(asked)):
        there = np.flatnonzero(rows[number] >= 0)
        read = model.read(asked[number].text, [Read(texts[rows[number, place]]) for place in there.tolist()])
        said[number, there] = [one.bears for one in read]
        if (number + 1) % OFTEN == 0:
            new = part.with_suffix(".new")
            with new.open("wb") as file:
                np.save(file, said[: number + 1])
            new.replace(part)
            say(f"{number + 1:,} of {len(asked):,} questions filtered")
    part.unlink(missing_ok=True)
    return said
