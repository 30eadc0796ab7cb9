"""Train the finder: questions of a policy near the sentences of it that answer them, and far from its others.

A batch is some questions on one policy and some of its sentences: every pair of the two is labelled, so that each
sentence is an example for all of the questions.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from smallprint.datasets.smallprint_qa import Asked
from smallprint.models.finder import NAME
from smallprint.train import asked
from smallprint.train.export import save_tower
from smallprint.train.fitting import Batch, Plan, fit, framed, trained
from smallprint.train.frame import write_card
from smallprint.train.network import HIDDEN, MINILM, Network, Tower, pretrained, save_layers
from smallprint.train.pairs import Labelled, Nearness

SEED = 1
PLAN = Plan(epochs=2, rate=5e-5, average=0.99, seed=SEED)
HEAD = "vector"
# The layers that others begin from.
LAYERS = Path(f"{NAME}.work", "layers.pt")
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

save = partial(save_tower, NAME)


def train(data: Path, where: Path, say: Callable[[str], None], plan: Plan = PLAN) -> dict[str, Any]:
    """Train on questions asked of policies, narrow ones among them; write weights and card."""
    known = asked.labelled(data, bearing=True)
    say(f"{len(known.questions):,} questions on {len(known.policies)} policies")

    def loss(vectors: Tensor, worth: Tensor) -> Tensor:
        questions, sentences = vectors[: len(worth)], vectors[len(worth) :]
        return contrast(questions @ sentences.T / TEMPERATURE, worth)

    def learn(network: Network, checkpoint: Path) -> None:
        fit(network, partial(deal, known), loss, plan, say, checkpoint, forward=projected(network))

    network = trained(where / f"{NAME}.work" / "finder.pt", plan.seed, blank, learn)
    save_layers(network.tower, where / LAYERS)
    save(network, where)
    facts = {
        "from": MINILM,
        "data": asked.DATA,
        "seed": plan.seed,
        "epochs": plan.epochs,
        "questions": len(known.questions),
    }
    return write_card(NAME, where, facts)


def blank(layers: Path | None = None) -> Network:
    """Make the network that training begins from: its head gives the mean state as it is."""
    network = pretrained(Tower({HEAD: HIDDEN}, each_token=False), layers)
    with torch.no_grad():
        nn.init.eye_(network.tower.head(HEAD).weight)
        nn.init.zeros_(network.tower.head(HEAD).bias)
    return network


def projected(network: Network) -> Callable[[Tensor, Tensor], Tensor]:
    """Return what turns texts into vectors of length 1; those of like length go together, so that little is padding."""

    def forward(tokens: Tensor, mask: Tensor) -> Tensor:
        lengths = mask.sum(1).long()
        order = torch.argsort(lengths)
        parts = []
        for rows in torch.split(order, TOGETHER):
            longest = int(lengths[rows].max())
            parts.append(network(tokens[rows, :longest], mask[rows, :longest])[HEAD])
        return nn.functional.normalize(torch.cat(parts)[torch.argsort(order)], dim=1)

    return forward


def contrast(nearness: Tensor, worth: Tensor) -> Tensor:
    """Return how far a batch is from having each question nearest to what answers it."""
    told = worth.sum(1) > 0
    aims = worth[told] / worth[told].sum(1, keepdim=True)
    return -(torch.log_softmax(nearness[told], dim=1) * aims).sum(1).mean()


def deal(known: Labelled, luck: random.Random) -> list[Batch]:
    """Deal out the questions of each policy, and choose sentences for each hand; with what each pair is worth."""
    by_policy: dict[str, list[Asked]] = {name: [] for name in known.policies}
    for question in known.questions:
        by_policy[question.policy].append(question)
    hands = []
    for own in by_policy.values():
        luck.shuffle(own)
        hands += [own[start : start + QUESTIONS] for start in range(0, len(own), QUESTIONS)]
    luck.shuffle(hands)
    batches: list[Batch] = []
    for hand in hands:
        policy = known.policies[hand[0].policy]
        chosen = _chosen(hand, len(policy.own), known.nearness, luck)
        with_heading = luck.random() < WITH_HEADING
        texts = [known.asked[question.id] for question in hand]
        for place in chosen:
            heading = policy.headings[place][:HEADING] if with_heading else []
            lead_in = policy.lead_ins[place]
            texts.append([*heading, *([FULL_STOP] if heading else []), *lead_in, *policy.own[place]])
        worth = [[worth_of(question, place) for place in chosen] for question in hand]
        batches.append(([framed(text) for text in texts], torch.tensor(worth, dtype=torch.float32)))
    return batches


def _chosen(hand: list[Asked], sentences: int, nearness: Nearness, luck: random.Random) -> list[int]:
    chosen: set[int] = set()
    for question in hand:
        related = [place for place in question.related if place not in question.answers]
        nearest = np.argsort(-nearness[question.id], kind="stable")[:NEAREST].tolist()
        for places, most in ((question.answers, ANSWERS), (related, RELATED), (nearest, HARD)):
            chosen |= set(luck.sample(places, min(most, len(places))))
    rest = [place for place in range(sentences) if place not in chosen]
    return sorted(chosen | set(luck.sample(rest, min(len(rest), max(HARD, SENTENCES - len(chosen))))))


def worth_of(asked: Asked, place: int) -> float:
    """Return how much of an answer a sentence of the policy is."""
    return 1.0 if place in asked.answers else RELATED_WEIGHT if place in asked.related else 0.0
