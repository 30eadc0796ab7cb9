"""The labelled pairs that every training draws from; how near sentences are takes minutes, and is computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from smallprint.train.era.bench import Bench
from smallprint.train.era.steps import Made
from smallprint.train.labelled import Labelled, Nearness, labelled
from smallprint.train.pairs import Tokens

NAME, FILE = "labelled", "nearness.npz"


def step(bench: Bench) -> Made:
    """Compute how near every sentence is to every training question."""

    def make(folder: Path) -> dict[str, Any]:
        found = labelled(bench.data, most=bench.sizes.questions)
        np.savez(folder / FILE, **found.nearness)  # type: ignore[arg-type]  # numpy's stub wants the flag first
        marked = [len(one.relevant) for one in found.questions]
        return {
            "questions": len(found.questions),
            "policies": len(found.policies),
            "relevant": sum(marked),
            "answerable": sum(map(bool, marked)),
        }

    return bench.work.step(NAME, {"questions": bench.sizes.questions, "labels": bench.labels()}, (), make)


def load(bench: Bench, made: Made) -> Labelled:
    """Give the labelled questions in tokens."""
    return _loaded(bench.data, bench.sizes.questions, made.folder / FILE, made.version)


@cache
def _loaded(data: Path, most: int | None, path: Path, version: str) -> Labelled:
    def near(policies: Mapping[str, Tokens], questions: Sequence[Any], asked: Mapping[str, list[int]]) -> Nearness:
        with np.load(path) as found:
            return {one.id: found[one.id] for one in questions}

    return labelled(data, near, most)
