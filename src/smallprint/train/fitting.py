"""The loop that trains a network: seeded, in batches of like length; a stopped run goes on from its checkpoint."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from smallprint.models.finder import WINDOW
from smallprint.models.reader import CLS, SEP
from smallprint.train.halves import halved, whole
from smallprint.train.network import HIDDEN, Network

Loss = Callable[[Any, list[int]], Tensor]
Batches = Callable[[Sequence[int], int, random.Random], list[list[int]]]
# Batches are cut from runs of so many batches sorted by length: little padding, and still in random order.
RUN = 16
AT_ONCE = 64
# Batches between two checkpoints: some minutes of the larger models.
OFTEN = 500


@dataclass(frozen=True, slots=True)
class Plan:
    """How long and how strongly to train. `rate` is the learning rate of the layers, `head_rate` that of the heads.

    With `average`, the weights kept are a moving average of those along the way, each step's share falling off by it.
    """

    epochs: int
    batch: int = 16
    rate: float = 1.5e-4
    head_rate: float = 1e-3
    warm_up: float = 0.1
    decay: float = 0.01
    average: float = 0.0
    seed: int = 1


class _Average:
    """The moving average of a network's trained weights."""

    def __init__(self, network: nn.Module, share: float) -> None:
        self._trained = [one for one in network.parameters() if one.requires_grad] if share else []
        self.weights = [one.detach().clone() for one in self._trained]
        self._share, self.steps = share, 0

    @torch.no_grad()
    def follow(self) -> None:
        """Take in the weights of one more step; the first ones soon fall away."""
        self.steps += 1
        share = min(self._share, self.steps / (self.steps + 9))
        for mean, now in zip(self.weights, self._trained, strict=True):
            mean.lerp_(now, 1 - share)

    @torch.no_grad()
    def settle(self) -> None:
        """Put the average into the network."""
        for mean, now in zip(self.weights, self._trained, strict=True):
            now.copy_(mean)


class _Saved:
    """Where a run stands, in a file: a stopped one goes on with the very next batch."""

    def __init__(
        self,
        path: Path | None,
        network: nn.Module,
        optimizer: torch.optim.Optimizer,
        schedule: torch.optim.lr_scheduler.LRScheduler,
        average: _Average,
    ) -> None:
        self._path, self._average = path, average
        self._parts: dict[str, Any] = {"network": network, "optimizer": optimizer, "schedule": schedule}

    def save(self, epoch: int, batch: int) -> None:
        """Write down that so many epochs are done, and so many batches of the next."""
        if self._path is None:
            return
        state = {name: part.state_dict() for name, part in self._parts.items()}
        state |= {"epoch": epoch, "batch": batch, "luck": torch.get_rng_state()}
        state |= {"average": self._average.weights, "steps": self._average.steps}
        new = self._path.with_suffix(".new")
        torch.save(state, new)
        new.replace(self._path)

    def resume(self, say: Callable[[str], None]) -> tuple[int, int]:
        """Take up what a stopped run left, and say how many epochs, and batches of the next, are done."""
        if self._path is None or not self._path.is_file():
            return 0, 0
        state = torch.load(self._path, weights_only=True)
        for name, part in self._parts.items():
            part.load_state_dict(state[name])
        torch.set_rng_state(state["luck"])
        self._average.weights, self._average.steps = state["average"], state["steps"]
        epoch, batch = int(state["epoch"]), int(state.get("batch", 0))
        say(f"going on after epoch {epoch}{f' and {batch} batches' if batch else ''}, from {self._path}")
        return epoch, batch


def fit(
    network: nn.Module,
    epoch_items: Callable[[random.Random], list[list[int]]],
    loss: Loss,
    plan: Plan,
    say: Callable[[str], None],
    checkpoint: Path | None = None,
    after_epoch: Callable[[int], None] = lambda epoch: None,
    batches: Batches | None = None,
    forward: Callable[[Tensor, Tensor], Any] | None = None,
) -> None:
    """Train a network in place. `epoch_items` gives an epoch's token ids, whose places the loss is told.

    Batches are of texts of like length unless others are given; `forward` is the network's own, unless told.
    `after_epoch` is called again for the epoch after which a stopped run goes on, since it may have been stopped there.
    """
    batches, forward = batches or in_batches, forward or network
    torch.manual_seed(plan.seed)
    heads = [p for name, p in network.named_parameters() if ".heads." in name and p.requires_grad]
    layers = [p for name, p in network.named_parameters() if ".heads." not in name and p.requires_grad]
    groups = [{"params": layers, "lr": plan.rate}, {"params": heads, "lr": plan.head_rate}]
    optimizer = torch.optim.AdamW(groups, weight_decay=plan.decay, fused=True)
    luck = random.Random(plan.seed)  # noqa: S311 - not for secrets
    steps = plan.epochs * len(batches([len(tokens) for tokens in epoch_items(luck)], plan.batch, luck))
    warm = max(1, int(plan.warm_up * steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0.02, (steps - step) / max(1, steps - warm)))
    )
    average = _Average(network, plan.average)
    saved = _Saved(checkpoint, network, optimizer, schedule, average)
    first, skipped = saved.resume(say)
    if first and not skipped:
        after_epoch(first)
    for epoch in range(first, plan.epochs):
        luck = random.Random(plan.seed * 1000 + epoch)  # noqa: S311 - not for secrets
        items = epoch_items(luck)
        network.train()
        started, total, done = time.monotonic(), 0.0, 0
        every = batches([len(tokens) for tokens in items], plan.batch, luck)
        for number, chosen in enumerate(every[skipped:], skipped + 1):
            tokens, mask = padded([items[place] for place in chosen])
            with halved():
                told = forward(tokens, mask)
            value = loss(whole(told), chosen)
            optimizer.zero_grad()
            value.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            average.follow()
            total, done = total + float(value.detach()) * len(chosen), done + len(chosen)
            if number % OFTEN == 0 and number < len(every):
                saved.save(epoch, number)
                say(f"batch {number:,} of {len(every):,}, {_going(total, done, started)}")
        say(f"epoch {epoch + 1} of {plan.epochs}: {_going(total, done, started)}")
        saved.save(epoch + 1, 0)
        skipped = 0
        after_epoch(epoch + 1)
    average.settle()
    network.eval()


def _going(total: float, done: int, started: float) -> str:
    return f"loss {total / max(1, done):.3f}, {done / (time.monotonic() - started):.0f} texts a second"


@torch.no_grad()
def vectors(network: Network, texts: Sequence[list[int]]) -> NDArray[np.float32]:
    """Give the vector of each text, given as tokens without those that open and close it."""
    network.eval()
    found = np.zeros((len(texts), HIDDEN), dtype=np.float32)
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    for start in range(0, len(order), AT_ONCE):
        batch = order[start : start + AT_ONCE]
        found[batch] = network.vectors(*padded([framed(texts[place]) for place in batch])).numpy()
    return found


def framed(text: list[int]) -> list[int]:
    """Open and close a text, cut to what the finder reads."""
    return [CLS, *text[: WINDOW - 2], SEP]


def in_batches(lengths: Sequence[int], size: int, luck: random.Random) -> list[list[int]]:
    """Put the places of texts into batches of like length, in random order."""
    places = list(range(len(lengths)))
    luck.shuffle(places)
    batches = []
    for start in range(0, len(places), size * RUN):
        run = sorted(places[start : start + size * RUN], key=lengths.__getitem__)
        batches += [run[at : at + size] for at in range(0, len(run), size)]
    luck.shuffle(batches)
    return batches


def padded(texts: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Make one matrix of texts of several lengths, and the mask that tells what is text."""
    longest = max(len(text) for text in texts)
    tokens, mask = torch.zeros(len(texts), longest, dtype=torch.long), torch.zeros(len(texts), longest)
    for row, text in enumerate(texts):
        tokens[row, : len(text)] = torch.tensor(text)
        mask[row, : len(text)] = 1.0
    return tokens, mask
