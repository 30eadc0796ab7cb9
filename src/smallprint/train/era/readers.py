"""The grown reader, which learns from all labelled pairs and PolicyQA's spans, and what final readers begin from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from smallprint.models.reader import NAME as READER
from smallprint.train import reader
from smallprint.train.era import material
from smallprint.train.era.bases import base
from smallprint.train.era.bench import SHARE, Bench
from smallprint.train.era.rows import NONE, slug
from smallprint.train.era.steps import Made
from smallprint.train.network import Network


def grown(bench: Bench) -> Made:
    """Train the reader as `smallprint train reader` does; its counts are its card."""
    known = material.step(bench)
    plan = replace(reader.PLAN, seed=bench.seed, epochs=bench.sizes.final_epochs)

    def make(folder: Path) -> dict[str, Any]:
        labelled = material.load(bench, known)
        return reader.train(bench.data, folder, bench.say, plan, labelled, bench.sizes.final_pairs)

    options = {"row": asdict(NONE), "plan": asdict(plan), "share": SHARE, "pairs": bench.sizes.final_pairs}
    return bench.work.step(f"final/{slug(NONE.name)}-{bench.seed}-{bench.seed}", options, (known,), make)


def beginning(bench: Bench, name: str) -> tuple[Callable[[], Network], tuple[Made, ...]]:
    """Give what makes the network that a final reader begins as, and the steps behind it."""
    if name == READER:
        made = grown(bench)
        return lambda: reader.resumed(made.folder), (made,)
    begun = base(bench, name)
    return lambda: reader.blank(begun.layers), begun.steps
