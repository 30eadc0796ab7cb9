"""Readers of the size that is shipped: all labelled pairs, PolicyQA's spans, and for each epoch what a row adds."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from smallprint.train import reader
from smallprint.train.era import material
from smallprint.train.era.bases import base
from smallprint.train.era.bench import SHARE, Bench
from smallprint.train.era.rows import NONE, Row, slug
from smallprint.train.era.steps import Made
from smallprint.train.labelled import Labelled
from smallprint.train.pairs import Example

# Draws at most so many pairs to be added for an epoch.
Draw = Callable[[Labelled, int, random.Random], list[Example]]


def plain(bench: Bench, seed: int) -> Made:
    """Train the reader without augmentation."""
    return step(bench, NONE, seed)


def step(
    bench: Bench,
    row: Row,
    seed: int,
    behind: Sequence[Made] = (),
    draw: Draw = lambda known, most, luck: [],
    could: int = 0,
) -> Made:
    """Train a reader by a row, with nothing left out; its counts are its card.

    `behind` are the steps that what is drawn stands on, and `could` is how many pairs were kept to draw from.
    """
    known, begun = material.step(bench), base(bench, row.base)
    plan = replace(reader.PLAN, seed=seed, epochs=bench.sizes.final_epochs)

    def make(folder: Path) -> dict[str, Any]:
        labelled = material.load(bench, known)
        count = len(labelled.examples(random.Random(seed)))  # noqa: S311 - not for secrets
        most = int(count * SHARE / (1 - SHARE))

        def more(luck: random.Random) -> list[Example]:
            return draw(labelled, most, luck)

        added = len(more(random.Random(seed)))  # noqa: S311 - not for secrets
        card = reader.train(bench.data, folder, bench.say, plan, begun.layers, more, labelled, bench.sizes.final_pairs)
        if row.models:
            card["data"] += "; sentences of unlabelled policies found for the questions"
        return card | {
            "begun from": row.base,
            "added an epoch": {"row": row.name, "pairs": added, "kept to choose from": could},
        }

    options = {"row": asdict(row), "plan": asdict(plan), "share": SHARE, "pairs": bench.sizes.final_pairs}
    name = f"final/{slug(row.name)}-{bench.seed}-{seed}"
    return bench.work.step(name, options, (known, *begun.steps, *behind), make)
