"""The grown reader, which learns from all labelled pairs and PolicyQA's spans, and what final readers begin from."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from smallprint.models import store
from smallprint.models.reader import NAME as READER
from smallprint.train import reader
from smallprint.train.era import material
from smallprint.train.era.bases import base
from smallprint.train.era.bench import Bench
from smallprint.train.era.rows import INSTALLED, NONE, slug
from smallprint.train.era.steps import Made
from smallprint.train.network import Network


def grown(bench: Bench) -> Made:
    """Train the reader as `smallprint train reader` does; its counts are its card."""
    known = material.step(bench)
    plan = replace(reader.PLAN, seed=bench.seed, epochs=bench.sizes.final_epochs)

    def make(folder: Path) -> dict[str, Any]:
        labelled = material.load(bench, known)
        return reader.train(bench.data, folder, bench.say, plan, labelled, bench.sizes.final_pairs)

    options = {"plan": asdict(plan), "pairs": bench.sizes.final_pairs}
    return bench.work.step(f"final/{slug(NONE.name)}-{bench.seed}-{bench.seed}", options, (known,), make)


def behind(bench: Bench, name: str) -> tuple[Made, ...]:
    """Give the steps behind what a final reader begins from; they are made if they are not there."""
    if name == INSTALLED:
        return ()
    return (grown(bench),) if name == READER else base(bench, name).steps


def network(bench: Bench, name: str) -> Network:
    """Give the network that a final reader begins as."""
    return reader.resumed(grown(bench).folder) if name == READER else reader.blank(base(bench, name).layers)


def weights(bench: Bench, name: str) -> Path:
    """Give the folder in which a reader lies that learns nothing more."""
    return grown(bench).folder if name == READER else store.folder()
