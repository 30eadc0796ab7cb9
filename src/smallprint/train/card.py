"""Train the card reader: what a sentence says on each of the card's questions, from the finder's vector of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from smallprint.ask.verdict.card import stances_of
from smallprint.card import CODES, STANCES
from smallprint.models import store
from smallprint.models.card import HIDDEN, NAME, SCALE
from smallprint.models.finder import NAME as FINDER
from smallprint.models.finder import WIDTH, Finder
from smallprint.train.card_material import DATA, UNKNOWN, Unit, invented, learnt_from, units
from smallprint.train.frame import split, write_model

SEED, FOLDS = 1, 3
EPOCHS, BATCH, RATE, DECAY = 25, 256, 3e-3, 1e-2
DROPPED, DROPPED_INSIDE = 0.1, 0.3
# Readers named a few sentences of each policy: one that is not named may speak all the same where the policy does. It
# counts less, and not at all where a first reader, which had not seen the policy, took it for one that speaks.
UNNAMED, DOUBTED = 0.6, 0.15
OUT_OF_FOLD = "out-of-fold.npy"


def train(data: Path, where: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Train on all policies, and out of fold for the rule that makes verdicts; write weights and card."""
    labels = learnt_from(data)
    seen, twins = units(labels), invented(labels.contrast)
    say(f"{len(seen):,} sentences of {len(labels.policies)} policies, {len(twins):,} twins")
    finder = Finder(where=where)
    vectors, of_twins = (finder.vectors([unit.sentence.under_heading for unit in own]) for own in (seen, twins))
    network, rows = learn(Material(vectors, seen, of_twins, twins), say)
    work = where / f"{NAME}.work"
    work.mkdir(parents=True, exist_ok=True)
    np.save(work / OUT_OF_FOLD, rows)
    facts = {
        "data": DATA,
        "vectors": f"{FINDER} {store.version(FINDER, where)}",
        "seed": SEED,
        "sentences": len(seen),
        "policies": len(labels.policies),
        "twins": len(twins),
    }
    return write_model(NAME, where, packed(network), facts)


def learn(material: Material, say: Callable[[str], None]) -> tuple[Head, NDArray[np.float32]]:
    """Fit a head to all sentences; also return the logits of each by heads that have not seen its policy."""
    seen, vectors = material.seen, material.vectors.numpy()
    folds = split([unit.policy for unit in seen], FOLDS, SEED)

    def out_of_fold(doubts: NDArray[np.float32] | None) -> NDArray[np.float32]:
        rows = np.zeros((len(seen), len(CODES) * len(STANCES)), dtype=np.float32)
        for known, unseen in folds:
            rows[unseen] = told(material.fitted(known, doubts), vectors[unseen])
        return rows

    first = out_of_fold(None)
    say("read out of fold once")
    doubts = 1 - stances_of(first.reshape(len(seen), len(CODES), len(STANCES)))[:, :, 0]
    rows = out_of_fold(doubts)
    say("read out of fold again")
    return material.fitted(np.arange(len(seen)), doubts), rows


class Head(nn.Module):
    """One hidden layer over a vector."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.out = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, len(CODES) * len(STANCES))
        self.drop, self.drop_inside = nn.Dropout(DROPPED), nn.Dropout(DROPPED_INSIDE)

    def forward(self, vectors: Tensor) -> Tensor:
        """Return the logits of stances."""
        logits: Tensor = self.out(self.drop_inside(torch.relu(self.hidden(self.drop(vectors * SCALE)))))
        return logits


class Material:
    """Vectors and stances of sentences and of twins, from some of which a head is fitted."""

    def __init__(
        self, vectors: NDArray[np.float32], seen: Sequence[Unit], of_twins: NDArray[np.float32], twins: Sequence[Unit]
    ) -> None:
        self.seen, self.vectors = seen, torch.from_numpy(vectors)
        self._of_twins = torch.from_numpy(of_twins)
        self._stances, self._of_twins_stances = (_stacked([unit.stances for unit in own]) for own in (seen, twins))
        self._unnamed = (self._stances == 0) & ~_stacked([unit.is_silent for unit in seen])

    def fitted(self, rows: NDArray[np.intp], doubts: NDArray[np.float32] | None) -> Head:
        """Fit a head to some sentences and all twins."""
        known = torch.from_numpy(rows)
        weights = torch.where(self._unnamed[known], UNNAMED, 1.0)
        if doubts is not None:
            weights[self._unnamed[known] & torch.from_numpy(doubts[rows] > DOUBTED)] = 0.0
        vectors = torch.cat([self.vectors[known], self._of_twins])
        aims = torch.cat([self._stances[known], self._of_twins_stances])
        return fit(vectors, aims, torch.cat([weights, torch.ones(self._of_twins_stances.shape)]))


def fit(vectors: Tensor, aims: Tensor, weights: Tensor) -> Head:
    """Fit a head to vectors, to their stances by question, and to how much each of these counts."""
    torch.manual_seed(SEED)
    head = Head()
    optimizer = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=DECAY)
    steps = EPOCHS * -(-len(vectors) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for _ in range(EPOCHS):
        for rows in torch.split(torch.randperm(len(vectors)), BATCH):
            logits = head(vectors[rows]).view(-1, len(STANCES))
            each = cross_entropy(logits, aims[rows].view(-1), ignore_index=UNKNOWN, reduction="none")
            loss = (each * weights[rows].view(-1)).sum() / len(rows)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    return head.eval()


@torch.no_grad()
def told(head: Head, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the logits of stances for vectors."""
    return np.asarray(head(torch.from_numpy(vectors)).numpy(), dtype=np.float32)


def packed(head: Head) -> dict[str, NDArray[Any]]:
    """Keep weights in half precision."""
    packed: dict[str, NDArray[Any]] = {}
    for name, layer in (("hidden", head.hidden), ("out", head.out)):
        packed[name] = layer.weight.detach().numpy().T.astype(np.float16)
        packed[f"{name}_bias"] = layer.bias.detach().numpy().astype(np.float32)
    return packed


def _stacked(rows: Sequence[NDArray[Any]]) -> Tensor:
    return torch.from_numpy(np.stack(rows) if rows else np.zeros((0, len(CODES)), dtype=np.int64))
