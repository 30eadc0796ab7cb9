"""The reader that is shipped: trained by a row, put where models are, and measured beside the one that adds nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from smallprint.models import store
from smallprint.models.reader import NAME as READER
from smallprint.train.era import material, measured, readers, search, sentences, sets, table, training
from smallprint.train.era.bench import Bench
from smallprint.train.era.finals import Corpus, added_examples
from smallprint.train.era.measured import HELD, PRIVACYQA, SETS
from smallprint.train.era.rows import NONE, Row, slug
from smallprint.train.era.steps import Made
from smallprint.train.labelled import Labelled
from smallprint.train.pairs import Example


def step(bench: Bench, row: Row, seed: int) -> Made:
    """Train a reader by a row, with nothing left out; its counts are its card."""
    if not row.models:
        return readers.step(bench, row, seed)
    read, written = sentences.step(bench), sets.step(bench, row)
    texts = sentences.load(read)
    made, _, behind = sets.added(bench, row, texts)
    asked = search.asked_of(bench, material.step(bench), row.questions)

    def draw(known: Labelled, most: int, luck: random.Random) -> list[Example]:
        return added_examples(row, known, made, Corpus(asked, texts), most, luck)

    return readers.step(bench, row, seed, (read, *behind), draw, written.counts["pairs"])


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
