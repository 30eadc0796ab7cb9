"""Step 4: a filter from each base model keeps or drops what was found; the union of what is kept is what is added.

A filter is a reader of bare pairs. For every question there are sentences kept, and sentences that are surely wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from smallprint.models.logistic import sigmoid
from smallprint.models.reader import Read, Reader
from smallprint.models.towers import Base
from smallprint.train import reader
from smallprint.train.era import benchmark, material, retrievers
from smallprint.train.era.bases import base_model
from smallprint.train.era.bench import DEFAULT_K, Bench, StepResult, Variant
from smallprint.train.era.benchmark import MISSED, Cut, Scores
from smallprint.train.era.retrievers import Rows
from smallprint.train.fitting import Plan

PLAN = Plan(epochs=1, rate=1e-4, average=0.995)
SCORES, PAIRS = "bears.npy", "pairs.tsv"
# Questions between two reports of progress.
OFTEN = 100

Pair = tuple[int, int]


class Scored(NamedTuple):
    """What is looked at of what a retriever found, a line a question and -1 for nothing; a filter's scores and cut."""

    rows: Rows
    scores: Scores
    cut: Cut
    step: StepResult


@dataclass(frozen=True, slots=True)
class Added:
    """Pairs of a question and a sentence's row: those kept, with how likely each bears, and those surely wrong."""

    kept: dict[Pair, float]
    dropped: frozenset[Pair]


def step(bench: Bench, name: str) -> StepResult:
    """Train the filter of a base model, and choose on the tuning policies from where it keeps."""
    begun, plan = base_model(bench, name), replace(PLAN, seed=bench.seed)

    def make(folder: Path) -> dict[str, Any]:
        luck = random.Random(bench.seed)  # noqa: S311 - not for secrets
        drawn = material.load_labelled(bench).examples(luck, bare=True)
        chosen = luck.sample(drawn, min(bench.sizes.filter_pairs, len(drawn)))
        torch.manual_seed(plan.seed)
        network = reader.blank(begun.layers)
        reader.learn(network, lambda _: chosen, plan, bench.say, folder / "filter.checkpoint")
        reader.save(network, folder)
        items = benchmark.load(bench, benchmark.TUNING)
        scores = benchmark.read_by(Reader(Base(), folder), items, bare=True)
        cut = benchmark.cut(items, scores)
        figures = benchmark.figures(benchmark.outcomes(items, scores, cut.best)).round(4).tolist()
        measured = dict(zip(benchmark.MEASURES[:-1], figures, strict=False))
        return {"pairs": len(chosen), "cut": cut._asdict(), "on the tuning policies": measured}

    options = {"plan": asdict(plan), "pairs": bench.sizes.filter_pairs, "missed": MISSED}
    stands_on = (material.labelled_step(bench), benchmark.step(bench), *begun.steps)
    return bench.step(f"filters/{name}-{bench.seed}", options, stands_on, make)


def scored(bench: Bench, retriever: str, variant: Variant) -> Scored:
    """Return what a variant looks at of what a retriever found; without a filter all of it is as sure as can be."""
    search, by = retrievers.search_step(bench, retriever), variant.common or retriever
    with np.load(search.folder / retrievers.FOUND) as arrays:
        rows = candidates(arrays["rows"], variant.k, bench.seed)
    if not variant.filtered:
        return Scored(rows, np.full(rows.shape, np.inf, dtype=np.float32), Cut(0.0, 0.0), search)
    filter_ = step(bench, by)
    cut = Cut(**filter_.counts["cut"])

    def make(folder: Path) -> dict[str, Any]:
        asked, texts = material.wordings(bench), material.load_sentences(bench)
        scores = bears(Reader(Base(), filter_.folder), asked, rows, texts, bench.say)
        np.save(folder / SCORES, scores)
        return {"pairs": int((rows >= 0).sum()), "kept": int((scores >= cut.best).sum())}

    name = f"scores/{retriever}-by-{by}-{bench.seed}-{variant.k}"
    stands_on = (material.sentences_step(bench), material.labelled_step(bench), search, filter_)
    result = bench.step(name, {"of the first": variant.k, "seed": bench.seed}, stands_on, make)
    return Scored(rows, np.load(result.folder / SCORES), cut, result)


def candidates(nearest: Rows, k: int, seed: int, most: int = DEFAULT_K) -> Rows:
    """Draw so many of each question's first k, in the order in which they were found; -1 is where none is left.

    A training has room for one or two a question: what filters kept of a hundred would nearly all be left out.
    """
    nearest = nearest[:, :k]
    if nearest.shape[1] <= most:
        return nearest
    luck = random.Random(seed)  # noqa: S311 - not for secrets
    drawn = np.full((len(nearest), most), -1, dtype=nearest.dtype)
    for question, rows in enumerate(nearest):
        there = np.flatnonzero(rows >= 0).tolist()
        chosen = sorted(luck.sample(there, min(most, len(there))))
        drawn[question, : len(chosen)] = rows[chosen]
    return drawn


def bears(
    model: Reader, asked: Sequence[material.Wording], rows: Rows, texts: Sequence[str], say: Callable[[str], None]
) -> Scores:
    """Let a filter read each question with what was found for it; minus infinity where nothing was."""
    scores = np.full(rows.shape, -np.inf, dtype=np.float32)
    for number, wording in enumerate(asked):
        there = np.flatnonzero(rows[number] >= 0)
        readings = model.read(wording.text, [Read(texts[row]) for row in rows[number, there].tolist()])
        scores[number, there] = [reading.bears for reading in readings]
        if (number + 1) % OFTEN == 0:
            say(f"{number + 1:,} of {len(asked):,} questions filtered")
    return scores


def added(bench: Bench, variant: Variant) -> tuple[Added, dict[str, Added], list[StepResult]]:
    """Return what a variant adds, what each of its models does, and the steps behind it."""
    looked_at = {name: scored(bench, name, variant) for name in variant.models}
    parts = {name: taken(own.rows, own.scores, own.cut) for name, own in looked_at.items()}
    return union(list(parts.values())), parts, [own.step for own in looked_at.values()]


def added_step(bench: Bench, variant: Variant) -> StepResult:
    """Write down what a variant adds: question, sentence's row, how likely it bears, and the models that kept it."""
    whole, parts, behind = added(bench, variant)

    def make(folder: Path) -> dict[str, Any]:
        asked = material.wordings(bench)
        lines = ["\t".join(("question", "ids", "sentence", "likely", "models"))]
        for (question, row), likely in sorted(whole.kept.items()):
            ids = " ".join(labelled.id for labelled in asked[question].asked)
            names = " ".join(name for name, part in parts.items() if (question, row) in part.kept)
            lines.append("\t".join((str(question), ids, str(row), f"{likely:.4f}", names)))
        (folder / PAIRS).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return {
            "questions": len({question for question, _ in whole.kept}),
            "pairs": len(whole.kept),
            "surely wrong": len(whole.dropped),
            "by model": {name: len(part.kept) for name, part in parts.items()},
        }

    stands_on = [material.labelled_step(bench), *behind]
    return bench.step(f"sets/{variant.slug}-{bench.seed}", {"variant": asdict(variant)}, stands_on, make)


def taken(rows: Rows, scores: Scores, cut: Cut) -> Added:
    """Return what a filter keeps of what a retriever found, and what it surely drops."""
    likely = sigmoid(scores.astype(np.float64))
    keeps, drops = (rows >= 0) & (scores >= cut.best), (rows >= 0) & (scores < min(cut))
    kept = {
        (question, int(rows[question, at])): float(likely[question, at]) for question, at in np.argwhere(keeps).tolist()
    }
    return Added(kept, frozenset((question, int(rows[question, at])) for question, at in np.argwhere(drops).tolist()))


def union(parts: Sequence[Added]) -> Added:
    """Put together what several models added; a pair is as likely as the surest says, and wrong if nobody keeps it."""
    kept: dict[Pair, float] = {}
    for part in parts:
        kept |= {pair: max(likely, kept.get(pair, 0.0)) for pair, likely in part.kept.items()}
    dropped = frozenset[Pair]().union(*(part.dropped for part in parts))
    return Added(kept, dropped - kept.keys())
