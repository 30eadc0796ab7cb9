"""Train the reader: whether a sentence answers a question, and which of its words do, in one tower."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from smallprint.models.reader import NAME
from smallprint.train import pairs
from smallprint.train.export import save_tower
from smallprint.train.fitting import Batch, Plan, batched, fit, loaded, trained
from smallprint.train.frame import write_card
from smallprint.train.network import MINILM, Network, Tower, pretrained
from smallprint.train.pairs import Example, Labelled, labelled

SEED = 1
PLAN = Plan(epochs=2, rate=1e-4, average=0.995, seed=SEED)
# PolicyQA's passages are long and alike: an epoch sees some of them.
SPAN_SHARE = 0.75
HEAD = "pair"
STATE = Path(f"{NAME}.work", f"{NAME}.pt")

save = partial(save_tower, NAME)
spans = pairs.spans


def train(
    data: Path,
    where: Path,
    say: Callable[[str], None],
    plan: Plan = PLAN,
    known: Labelled | None = None,
    most: int | None = None,
) -> dict[str, Any]:
    """Train on smallprint_qa and PolicyQA; write weights and card.

    `known` are the labelled questions, if somebody has them. `most` is for trying things out: only so many of an
    epoch's examples are learnt from.
    """
    known, marked = known or labelled(data), spans(data)

    def draw(luck: random.Random) -> list[Example]:
        return known.examples(luck) + luck.sample(marked, int(SPAN_SHARE * len(marked)))

    counts = {"questions": len(known.questions), "policies": len(known.policies), "spans": len(marked)}
    counts["in all"] = len(draw(random.Random(SEED)))  # noqa: S311 - not for secrets
    say(
        "{questions:,} questions on {policies} policies, {spans:,} spans; {in all:,} examples an epoch".format(**counts)
    )

    def fit_drawn(network: Network, checkpoint: Path) -> None:
        learn(network, lambda luck: draw(luck)[-(most or 0) :], plan, say, checkpoint)

    save(trained(where / STATE, plan.seed, blank, fit_drawn), where)
    facts = {
        "from": MINILM,
        "data": "smallprint_qa without the policies of datasets/splits/ask_test.tsv and ask_tuning.tsv; PolicyQA's "
        "training questions",
        "seed": plan.seed,
        "epochs": plan.epochs,
        "examples an epoch": counts,
    }
    return write_card(NAME, where, facts)


def blank(layers: Path | None = None) -> Network:
    """Make the network that training begins from."""
    return pretrained(Tower({HEAD: 4}, each_token=True), layers)


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
    """Add up how far relevance and spans are off; each example has the one or the other."""
    total = logits.new_zeros(())
    told = [row for row, example in enumerate(batch) if example.relevance is not None]
    if told:
        aims = torch.tensor([batch[row].relevance for row in told])
        known = (~aims.isnan()).float()
        aims = aims.nan_to_num(0.0)
        total = total + binary_cross_entropy_with_logits(logits[told, 0, :2], aims, known, reduction="sum") / 2
    for row, example in enumerate(batch):
        if example.span is not None:
            own = logits[row, example.first : len(example.ids) - 1, 2:]
            total = total + cross_entropy(own.T, torch.tensor(example.span)) / 2
    return total / len(batch)
