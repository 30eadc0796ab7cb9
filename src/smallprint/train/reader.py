"""Train the reader: whether a sentence answers a question, what it says on it, and which of its words do; one tower."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.finder import NAME as FINDER
from smallprint.models.reader import NAME, RELEVANCE, SPAN, STANCE
from smallprint.train import asked, pairs
from smallprint.train.export import save_tower
from smallprint.train.finder import LAYERS as FINDER_LAYERS
from smallprint.train.fitting import Batch, Plan, batched, fit, loaded, trained
from smallprint.train.frame import write_card
from smallprint.train.network import Network, Tower, pretrained
from smallprint.train.pairs import Example

SEED = 1
PLAN = Plan(epochs=2, batch=48, rate=2e-4, average=0.99, seed=SEED)
# PolicyQA's passages are long and alike: an epoch sees some of them.
SPAN_SHARE = 0.75
HEAD = "pair"
STATE = Path(f"{NAME}.work", f"{NAME}.pt")
# What a sentence says counts so much of whether it answers and bears.
STANCE_WEIGHT = 0.7

save = partial(save_tower, NAME)
spans = pairs.spans


def train(data: Path, where: Path, say: Callable[[str], None], plan: Plan = PLAN) -> dict[str, Any]:
    """Train on questions asked of policies and on PolicyQA; write weights and card."""
    material, marked = asked.material(data), spans(data)

    def draw(luck: random.Random) -> list[Example]:
        return material.examples(luck) + luck.sample(marked, int(SPAN_SHARE * len(marked)))

    counts = material.counts() | {"spans": len(marked), "examples an epoch": len(draw(random.Random(SEED)))}  # noqa: S311 - not for secrets
    say(", ".join(f"{count:,} {what}" for what, count in counts.items()))

    def fit_drawn(network: Network, checkpoint: Path) -> None:
        learn(network, draw, plan, say, checkpoint)

    begun = where / FINDER_LAYERS
    if not begun.is_file():
        raise NoModel(f"{begun} is not there; run 'smallprint train finder' first, into the same folder")
    save(trained(where / STATE, plan.seed, partial(blank, begun), fit_drawn), where)
    facts = {
        "from": f"the layers of the finder {store.version(FINDER, where)}",
        "data": f"{asked.DATA}; contrast without contrast_test.tsv, twins and wordings of our own; PolicyQA's training "
        "questions",
        "seed": plan.seed,
        "epochs": plan.epochs,
        "learnt from": counts,
    }
    return write_card(NAME, where, facts)


def blank(layers: Path | None = None) -> Network:
    """Make the network that training begins from."""
    return pretrained(Tower({HEAD: STANCE.stop}, each_token=True), layers)


def resumed(where: Path) -> Network:
    """Return the network whose training ended in a folder of weights, for more of it."""
    return loaded(where / STATE, blank())


def learn(
    network: Network,
    draw: Callable[[random.Random], list[Example]],
    plan: Plan,
    say: Callable[[str], None],
    checkpoint: Path | None = None,
) -> None:
    """Train a network on the examples that are drawn for each epoch."""

    def epoch(luck: random.Random) -> list[Batch]:
        return batched([(example.ids, example) for example in draw(luck)], plan.batch, luck)

    fit(network, epoch, lambda told, examples: loss(told[HEAD], examples), plan, say, checkpoint)


def loss(logits: Tensor, batch: list[Example]) -> Tensor:
    """Add up how far relevance, stances and spans are off; each example has some of them."""
    total = logits.new_zeros(())
    told = [row for row, example in enumerate(batch) if example.relevance is not None]
    if told:
        aims = torch.tensor([batch[row].relevance for row in told])
        known = (~aims.isnan()).float()
        aims = aims.nan_to_num(0.0)
        total = total + binary_cross_entropy_with_logits(logits[told, 0, RELEVANCE], aims, known, reduction="sum") / 2
    stances = [(row, example.stance) for row, example in enumerate(batch) if example.stance is not None]
    if stances:
        rows, aimed = zip(*stances, strict=True)
        total = total + STANCE_WEIGHT * cross_entropy(
            logits[list(rows), 0, STANCE], torch.tensor(aimed), reduction="sum"
        )
    for row, example in enumerate(batch):
        if example.span is not None:
            own = logits[row, example.first : len(example.ids) - 1, SPAN]
            total = total + cross_entropy(own.T, torch.tensor(example.span)) / 2
    return total / len(batch)
