"""A row of the tables as a step: the final reader is trained, exported, and reads all that is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.reader import NAME as READER
from smallprint.models.reader import Reader
from smallprint.train import reader
from smallprint.train.era import bench as benches
from smallprint.train.era import material, measured, questions, readers, search, sentences, sets
from smallprint.train.era.bench import SHARE, Bench
from smallprint.train.era.finals import SPANS, Corpus, mixture
from smallprint.train.era.measured import SETS, Scores
from smallprint.train.era.rows import INSTALLED, Row, slug
from smallprint.train.era.steps import Made
from smallprint.train.export import tower_graph
from smallprint.train.fitting import Plan
from smallprint.train.pairs import Example

PLAN = Plan(epochs=1, rate=1e-4, average=0.995)
# The grown reader knows much already.
FURTHER = Plan(epochs=1, rate=5e-5, head_rate=1e-4, average=0.995)


def step(bench: Bench, row: Row, seed: int) -> Made:
    """Train and read one row with one seed."""
    known, looked = material.step(bench), measured.step(bench)
    before = readers.behind(bench, row.base)
    plan = replace(FURTHER if row.grown else PLAN, seed=seed)
    # Without models nothing of the corpus is needed.
    corpus = [sentences.step(bench)] if row.models else []
    texts = sentences.load(corpus[0]) if corpus else []
    made, parts, behind = sets.added(bench, row, texts)
    pairs = bench.sizes.pairs if row.learns else 0
    options = {"row": asdict(row), "plan": asdict(plan), "pairs": pairs, "share": SHARE}
    options |= {"spans": SPANS} if row.grown else {}
    options |= {"weights": store.version(READER)} if row.base == INSTALLED else {}

    def make(folder: Path) -> dict[str, Any]:
        labelled = material.load(bench, known)
        asked = search.asked_of(bench, known, row.questions) if row.models else []
        spans = reader.spans(bench.data) if row.grown else []
        drawn = mixture(row, labelled, spans, made, Corpus(asked, texts), pairs, seed)
        every = drawn.every
        if not (folder / store.MANIFEST).is_file():
            store.save(READER, _trained(bench, row, every, plan, folder / "row.checkpoint"), folder)
        kinds = questions.mapped_kinds(one.text for one in asked) if asked else []
        counts: dict[str, Any] = {
            "row": row.name,
            "seed": seed,
            "parts seed": bench.seed,
            "measured": looked.version,
            "pairs": len(every),
            "labelled": len(drawn.labelled),
            "spans": len(drawn.spans),
            "added": len(drawn.added),
            "added, right": drawn.kept,
            "could be added": len(made.kept),
            "surely wrong": len(made.dropped),
            "by model": {name: len(part.kept) for name, part in parts.items()},
            "by kind": sets.by_kind(made, kinds),
            "tokens": sum(len(one.ids) for one in every),
            "steps": -(-len(every) // plan.batch),
        }
        said = {name: read(bench, looked, folder, folder, name) for name in SETS}
        tuning = measured.load(bench, looked, measured.TUNING)
        return counts | {"threshold": measured.best_threshold(tuning, said[measured.TUNING])}

    name = f"rows/{slug(row.name)}-{bench.seed}-{seed}{bench.size}"
    return bench.work.step(name, options, (known, looked, *before, *corpus, *behind), make)


def _trained(bench: Bench, row: Row, every: list[Example], plan: Plan, checkpoint: Path) -> dict[str, NDArray[Any]]:
    if not row.learns:
        return store.load(READER, readers.weights(bench, row.base)).arrays
    torch.manual_seed(plan.seed)
    network = readers.network(bench, row.base)
    reader.taught(network, lambda _: every, plan, bench.say, checkpoint)
    return {reader.HEAD: tower_graph(network.tower, reader.HEAD)}


def load(made: Made, name: str) -> list[Scores]:
    """Give what a row's reader said of a set's sentences, question by question."""
    with np.load(made.folder / f"{name}.npz") as found:
        return np.split(found["scores"], np.cumsum(found["lengths"])[:-1])


def save(path: Path, said: Sequence[Scores]) -> None:
    """Write what a reader said; the file is there once it is whole."""
    new = path.with_suffix(".new.npz")
    np.savez(new, scores=np.concatenate(list(said)), lengths=np.array([len(one) for one in said]))
    new.replace(path)


def read(bench: Bench, looked: Made, weights: Path, folder: Path, name: str) -> list[Scores]:
    """Let the reader in a folder of weights read a set, unless what it said is there."""
    path = folder / f"{name}.npz"
    if not path.is_file():
        items = measured.load(bench, looked, name)
        save(path, measured.read_by(Reader(benches.base(), weights), items))
        bench.say(f"read {name}")
    return load(Made(folder, "", {}), name)
