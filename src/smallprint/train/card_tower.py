"""Train the card's tower: what a sentence says on each of the card's questions, read with what stands above and before.

It begins from the finder's layers. What it says out of fold is kept for the rule that makes verdicts.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from smallprint.ask.verdict.card import stances_of
from smallprint.card import CODES, STANCES
from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.card import NAME as HEAD_NAME
from smallprint.models.card import TOWER as NAME
from smallprint.models.card import framed, own_tokens
from smallprint.models.finder import NAME as FINDER
from smallprint.train.card import DOUBTED, OUT_OF_FOLD, SEED, UNNAMED
from smallprint.train.card_material import DATA, UNKNOWN, Unit, invented, learnt_from, units
from smallprint.train.export import save_tower
from smallprint.train.finder import LAYERS
from smallprint.train.fitting import AT_ONCE, Batch, Plan, batched, by_length, fit, halved, padded, trained
from smallprint.train.frame import split, write_card
from smallprint.train.network import Network, Tower, pieces, pretrained

PLAN = Plan(epochs=3, batch=24, rate=8e-5, average=0.995, seed=SEED)
HEAD = "stances"
# Of the sentences that say nothing on any question an epoch sees some.
IDLE_SHARE = 0.35
# The finder's first layers stay as they are, which saves a fifth of the time.
FROZEN = 2
# Half of the policies teach what is said of the other half, for the rule: three folds would take as long again.
TOWER_FOLDS = 2
# A stance by question, how much each counts, and which tokens are the sentence's own.
Aim = tuple[NDArray[np.int64], NDArray[np.float32], slice]

save = partial(save_tower, NAME)


class Material:
    """Sentences in tokens with their aims, those of policies and then twins."""

    def __init__(self, seen: Sequence[Unit], twins: Sequence[Unit], doubts: NDArray[np.float32]) -> None:
        self.seen = len(seen)
        every = [*seen, *twins]
        cut = {text: pieces(text) for text in dict.fromkeys(part for unit in every for part in _parts(unit))}
        self.texts = [framed(*(cut[part] for part in _parts(unit))) for unit in every]
        self.stances = np.stack([unit.stances for unit in every])
        self.weights = np.ones(self.stances.shape, dtype=np.float32)
        of_policies = self.stances[: self.seen]
        unnamed = (of_policies == 0) & ~np.stack([unit.is_silent for unit in seen])
        self.weights[: self.seen][unnamed] = UNNAMED
        self.weights[: self.seen][unnamed & (doubts > DOUBTED)] = 0.0
        self._speaks = (self.stances != 0).any(axis=1)

    def batches(self, rows: NDArray[np.intp], luck: random.Random, size: int) -> list[Batch]:
        """Deal an epoch: all of the rows that say anything, some of the others, and all twins."""
        chosen = [row for row in rows.tolist() if self._speaks[row] or luck.random() < IDLE_SHARE]
        chosen += range(self.seen, len(self.texts))
        return batched([(self.texts[row][0], self._aim(row)) for row in chosen], size, luck)

    def _aim(self, row: int) -> Aim:
        return self.stances[row], self.weights[row], own_tokens(self.texts[row])


def _parts(unit: Unit) -> tuple[str, str, str]:
    headings = unit.sentence.headings
    return (headings[-1] if headings else "", unit.before, unit.sentence.text)


def train(
    data: Path, where: Path, say: Callable[[str], None], plan: Plan = PLAN, folds: int = TOWER_FOLDS
) -> dict[str, Any]:
    """Train out of fold and on all policies; write weights and card."""
    begun, out_of_fold = where / LAYERS, where / f"{HEAD_NAME}.work" / OUT_OF_FOLD
    for path, recipe in ((begun, FINDER), (out_of_fold, HEAD_NAME)):
        if not path.is_file():
            raise NoModel(f"{path} is not there; run 'smallprint train {recipe}' first, into the same folder")
    labels = learnt_from(data)
    seen, twins = units(labels), invented(labels.contrast)
    logits = np.load(out_of_fold).reshape(len(seen), len(CODES), len(STANCES))
    material = Material(seen, twins, 1 - stances_of(logits)[:, :, 0])
    say(f"{len(seen):,} sentences of {len(labels.policies)} policies, {len(twins):,} twins")
    work = where / f"{NAME}.work"

    def fitted(rows: NDArray[np.intp], name: str) -> Network:
        def learn(network: Network, checkpoint: Path) -> None:
            fit(network, lambda luck: material.batches(rows, luck, plan.batch), loss, plan, say, checkpoint)

        state = work / f"{name}.pt"
        if state.is_file():
            network = blank(begun)
            network.load_state_dict(torch.load(state, weights_only=True))
            return network.eval()
        return trained(state, plan.seed, lambda: blank(begun), learn)

    rows = np.zeros((len(seen), len(CODES) * len(STANCES)), dtype=np.float32)
    for number, (known, unseen) in enumerate(split([unit.policy for unit in seen], folds, SEED), 1):
        rows[unseen] = read(fitted(known, f"fold-{number}"), [material.texts[row] for row in unseen.tolist()])
        say(f"fold {number} of {folds} read")
    np.save(work / OUT_OF_FOLD, rows)
    save(fitted(np.arange(len(seen)), "whole"), where)
    facts = {
        "from": f"the layers of the finder {store.version(FINDER, where)}",
        "data": DATA,
        "seed": plan.seed,
        "epochs": plan.epochs,
        "sentences": len(seen),
        "policies": len(labels.policies),
        "twins": len(twins),
    }
    return write_card(NAME, where, facts)


def blank(layers: Path | None = None) -> Network:
    """Make the network that training begins from."""
    network = pretrained(Tower({HEAD: len(CODES) * len(STANCES)}, each_token=True), layers)
    for layer in network.tower.layers[:FROZEN]:
        layer.requires_grad_(requires_grad=False)
    return network


def loss(told: dict[str, Tensor], aims: Sequence[Aim]) -> Tensor:
    """Return how far stances are off; a sentence says what its own tokens say on average."""
    logits = torch.stack([row[own].mean(0) for row, (_, _, own) in zip(told[HEAD], aims, strict=True)])
    stances, weights = (torch.from_numpy(np.stack(column)) for column in list(zip(*aims, strict=True))[:2])
    each = cross_entropy(logits.view(-1, len(STANCES)), stances.view(-1), ignore_index=UNKNOWN, reduction="none")
    return (each * weights.view(-1)).sum() / len(aims)


@torch.no_grad()
def read(network: Network, texts: Sequence[tuple[list[int], int]]) -> NDArray[np.float32]:
    """Return the logits of stances of texts, given as tokens and where their own begin."""
    rows = np.zeros((len(texts), len(CODES) * len(STANCES)), dtype=np.float32)
    for batch in by_length([ids for ids, _ in texts], AT_ONCE):
        with halved():
            logits = network(*padded([texts[place][0] for place in batch]))[HEAD].float()
        for place, row in zip(batch, logits, strict=True):
            rows[place] = row[own_tokens(texts[place])].mean(0).numpy()
    return rows
