"""The reader that is shipped: trained on all labelled pairs, PolicyQA's spans and what a row adds; and its figures."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from smallprint.models import store
from smallprint.models.reader import NAME as READER
from smallprint.train import reader
from smallprint.train.era import material, measured, search, sentences, sets, table, training
from smallprint.train.era.bases import base
from smallprint.train.era.bench import Bench
from smallprint.train.era.finals import SHARE, Corpus, added_examples
from smallprint.train.era.measured import HELD, PRIVACYQA, SETS
from smallprint.train.era.rows import NONE, Row, slug
from smallprint.train.era.steps import Made
from smallprint.train.pairs import Example


def step(bench: Bench, row: Row, seed: int) -> Made:
    """Train a reader by a row, with nothing left out; its counts are its card."""
    known, begun = material.step(bench), base(bench, row.base)
    read = [sentences.step(bench)] if row.models else []
    texts = sentences.load(read[0]) if read else []
    if row.models:
        sets.step(bench, row)
    made, _, behind = sets.added(bench, row, texts)
    plan = replace(reader.PLAN, seed=seed, epochs=bench.sizes.final_epochs)

    def make(folder: Path) -> dict[str, Any]:
        labelled = material.load(bench, known)
        asked = search.asked_of(bench, known, row.questions) if row.models else []
        count = len(labelled.examples(random.Random(seed)))  # noqa: S311 - not for secrets
        most = int(count * SHARE / (1 - SHARE))

        def more(luck: random.Random) -> list[Example]:
            return added_examples(row, labelled, made, Corpus(asked, texts), most, luck)

        added = len(more(random.Random(seed)))  # noqa: S311 - not for secrets
        card = reader.train(bench.data, folder, bench.say, plan, begun.layers, more, labelled, bench.sizes.final_pairs)
        if row.models:
            card["data"] += "; sentences of unlabelled policies found for the questions"
        return card | {
            "begun from": row.base,
            "added an epoch": {"row": row.name, "pairs": added, "right ones to choose from": len(made.kept)},
        }

    options = {"row": asdict(row), "plan": asdict(plan), "share": SHARE, "pairs": bench.sizes.final_pairs}
    name = f"final/{slug(row.name)}-{bench.seed}-{seed}"
    return bench.work.step(name, options, (known, *begun.steps, *read, *behind), make)


def install(made: Made, where: Path) -> dict[str, Any]:
    """Put a reader and its card where models are."""
    store.save(READER, store.load(READER, made.folder).arrays, where)
    (where / f"{READER}.json").write_text(json.dumps(made.counts, indent=2) + "\n", encoding="utf-8")
    return made.counts


def read(bench: Bench, row: Row, seed: int) -> Made:
    """Let such a reader read all that is measured."""
    final, looked = step(bench, row, seed), measured.step(bench)

    def make(folder: Path) -> dict[str, Any]:
        said = {name: training.read(bench, looked, final.folder, folder, name) for name in SETS}
        tuning = measured.load(bench, looked, measured.TUNING)
        return {"threshold": measured.best_threshold(tuning, said[measured.TUNING])}

    return bench.work.step(f"read/{slug(row.name)}-{bench.seed}-{seed}", {}, (final, looked), make)


def compared(bench: Bench, rows: Sequence[Row], seeds: Sequence[int]) -> dict[str, Any]:
    """Measure such readers, and the one without augmentation, with the distance between the two."""
    looked = measured.step(bench)
    every = {row.name: {seed: read(bench, row, seed) for seed in seeds} for row in (NONE, *rows)}
    found: dict[str, Any] = {}
    for which in (PRIVACYQA, HELD):
        items = measured.load(bench, looked, which)
        said = {
            name: {seed: table.Said(training.load(one, which), one.counts["threshold"]) for seed, one in runs.items()}
            for name, runs in every.items()
        }
        found[which] = {name: table.row_figures(items, runs, said[NONE.name]) for name, runs in said.items()}
    return found
