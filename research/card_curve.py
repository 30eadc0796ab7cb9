"""What more labels would bring the card: trained on a quarter, half and all of the policies, and without twins.

`python -m research.card_curve [DATA]` learns from the finder's vectors alone, which takes a minute a row, and measures
on the policies that nothing learns from. Parts of the policies are drawn with three seeds; figures are means.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.verdict.card import card_of, stances_of
from smallprint.card import CODES, STANCES
from smallprint.datasets import verdicts
from smallprint.datasets.verdicts import Labels
from smallprint.evaluate.verdict_measures import Said, Truth, verdict_measures
from smallprint.models.finder import WIDTH, Finder
from smallprint.models.verdicts import VerdictRule
from smallprint.settings import load
from smallprint.train import card as reader
from smallprint.train import verdicts as rule
from smallprint.train.card_material import Unit, invented, learnt_from, units

ROWS = {"a quarter": 0.25, "half": 0.5, "all": 1.0, "all, without twins": 1.0}
SEEDS = (1, 2, 3)
MEASURES = ("accuracy", "opposed", "macro_F1", "cited")


def main(arguments: Sequence[str]) -> None:
    """Print a row for each part of the policies."""
    data = Path(arguments[0]) if arguments else load().data_dir
    labels, kept_out = learnt_from(data), verdicts.kept_out(data)
    vectors = _Vectors()
    for name, share in ROWS.items():
        known = replace(labels, contrast=()) if "without" in name else labels
        figures = [
            _measured(_drawn(known, share, seed), kept_out, vectors) for seed in (SEEDS if share < 1 else SEEDS[:1])
        ]
        means = {measure: round(fmean(own[measure] for own in figures), 3) for measure in MEASURES}
        print(json.dumps({"row": name, "policies": round(share * len(labels.policies)), **means}), flush=True)


class _Vectors:
    """The finder's vectors of sentences, each made once."""

    def __init__(self) -> None:
        self._finder, self._rows = Finder(), {}  # type: ignore[var-annotated]

    def of(self, seen: Sequence[Unit]) -> NDArray[np.float32]:
        texts = [unit.sentence.under_heading for unit in seen]
        missing = [text for text in dict.fromkeys(texts) if text not in self._rows]
        self._rows |= dict(zip(missing, self._finder.vectors(missing), strict=True))
        return np.stack([self._rows[text] for text in texts])


def _drawn(labels: Labels, share: float, seed: int) -> Labels:
    names = sorted(labels.policies)
    return labels.only(random.Random(seed).sample(names, round(share * len(names))))  # noqa: S311 - not for secrets


def _measured(labels: Labels, kept_out: Labels, vectors: _Vectors) -> dict[str, float]:
    seen, twins = units(labels), invented(labels.contrast)
    of_twins = vectors.of(twins) if twins else np.zeros((0, WIDTH), np.float32)
    material = reader.Material(vectors.of(seen), seen, of_twins, twins)
    head, rows = reader.learn(material, lambda _: None)
    arrays, _ = rule.fit(labels, stances_of(rows.reshape(1, -1, len(CODES), len(STANCES))), lambda _: None)
    verdict_rule = VerdictRule(arrays=arrays)
    tested = units(kept_out)
    logits = reader.told(head, vectors.of(tested)).reshape(1, -1, len(CODES), len(STANCES))
    cards, start = {}, 0
    for name, own in kept_out.policies.items():
        cards[name] = {
            line.code: line for line in card_of(own, stances_of(logits[:, start : start + len(own)]), verdict_rule)
        }
        start += len(own)
    pairs = []
    for item in kept_out.card:
        line = cards[item.policy][item.card]
        truth = Truth(tuple(dict.fromkeys((item.verdict, *item.accept))), frozenset(item.earns) | frozenset(item.also))
        pairs.append((Said(line.leaning, line.confidence, line.places, line.leaning), truth))
    return {name: float(value or 0.0) for name, value in verdict_measures(pairs).items()}


if __name__ == "__main__":
    main(sys.argv[1:])
