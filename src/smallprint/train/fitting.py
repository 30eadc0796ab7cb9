"""The loop that trains a network: seeded, in batches of like length; a stopped run goes on from its checkpoint.

Where the processor multiplies in half precision, what goes through the weights is halved, and they stay whole: on two
cores with AVX-512 BF16 a network learns half again as fast.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from smallprint.models.finder import WINDOW
from smallprint.models.reader import CLS, SEP
from smallprint.train.network import HIDDEN, Network

# Texts in tokens, and whatever the loss is to be told of them.
Batch = tuple[list[list[int]], Any]
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


class _Run:
    """Where a run stands: optimizer, learning rate, the average of trained weights; written to a file, if told so."""

    def __init__(self, network: nn.Module, plan: Plan, steps: int, path: Path | None) -> None:
        trained = {name: weights for name, weights in network.named_parameters() if weights.requires_grad}
        heads = [weights for name, weights in trained.items() if ".heads." in name]
        layers = [weights for name, weights in trained.items() if ".heads." not in name]
        groups = [{"params": layers, "lr": plan.rate}, {"params": heads, "lr": plan.head_rate}]
        optimizer = torch.optim.AdamW(groups, weight_decay=plan.decay, fused=True)
        warm = max(1, int(plan.warm_up * steps))
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min((step + 1) / warm, max(0.02, (steps - step) / max(1, steps - warm)))
        )
        self._parts: dict[str, Any] = {"network": network, "optimizer": optimizer, "schedule": schedule}
        self._trained = list(trained.values()) if plan.average else []
        self._means = [weights.detach().clone() for weights in self._trained]
        self._share, self._steps, self._path = plan.average, 0, path

    def step(self, loss: Tensor) -> None:
        """Learn from a batch's loss; in the average the first weights soon fall away."""
        network, optimizer, schedule = self._parts.values()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        self._steps += 1
        share = min(self._share, self._steps / (self._steps + 9))
        with torch.no_grad():
            for mean, weights in zip(self._means, self._trained, strict=True):
                mean.lerp_(weights, 1 - share)

    @torch.no_grad()
    def settle(self) -> None:
        """Put the average into the network."""
        for mean, weights in zip(self._means, self._trained, strict=True):
            weights.copy_(mean)

    def save(self, epoch: int, batch: int) -> None:
        """Write down that so many epochs are done, and so many batches of the next."""
        if self._path is None:
            return
        state = {name: part.state_dict() for name, part in self._parts.items()}
        state |= {"epoch": epoch, "batch": batch, "luck": torch.get_rng_state()}
        state |= {"average": self._means, "steps": self._steps}
        new = self._path.with_suffix(".new")
        torch.save(state, new)
        new.replace(self._path)

    def resume(self, say: Callable[[str], None]) -> tuple[int, int]:
        """Take up what a stopped run left; return how many epochs, and batches of the next, are done."""
        if self._path is None or not self._path.is_file():
            return 0, 0
        state = torch.load(self._path, weights_only=True)
        for name, part in self._parts.items():
            part.load_state_dict(state[name])
        torch.set_rng_state(state["luck"])
        self._means, self._steps = state["average"], state["steps"]
        epoch, batch = int(state["epoch"]), int(state.get("batch", 0))
        say(f"going on after epoch {epoch}{f' and {batch} batches' if batch else ''}, from {self._path}")
        return epoch, batch


def fit(
    network: nn.Module,
    epoch_batches: Callable[[random.Random], list[Batch]],
    loss: Callable[[Any, Any], Tensor],
    plan: Plan,
    say: Callable[[str], None],
    checkpoint: Path | None = None,
    after_epoch: Callable[[int], None] = lambda epoch: None,
    forward: Callable[[Tensor, Tensor], Any] | None = None,
) -> None:
    """Train a network in place. The loss is told what the network says, and what a batch has beside its texts.

    `forward` is the network's own, unless told. `after_epoch` is called again for the epoch after which a stopped run
    goes on, since it may have been stopped there.
    """
    forward = forward or network
    torch.manual_seed(plan.seed)
    steps = plan.epochs * len(epoch_batches(random.Random(plan.seed)))  # noqa: S311 - not for secrets
    run = _Run(network, plan, steps, checkpoint)
    first, skipped = run.resume(say)
    if first and not skipped:
        after_epoch(first)
    for epoch in range(first, plan.epochs):
        batches = epoch_batches(random.Random(plan.seed * 1000 + epoch))  # noqa: S311 - not for secrets
        network.train()
        started, total, done = time.monotonic(), 0.0, 0
        for number, (texts, facts) in enumerate(batches[skipped:], skipped + 1):
            tokens, mask = padded(texts)
            with halved():
                told = forward(tokens, mask)
            value = loss(whole(told), facts)
            run.step(value)
            total, done = total + float(value.detach()) * len(texts), done + len(texts)
            if number % OFTEN == 0 and number < len(batches):
                run.save(epoch, number)
                say(f"batch {number:,} of {len(batches):,}, {_progress(total, done, started)}")
        say(f"epoch {epoch + 1} of {plan.epochs}: {_progress(total, done, started)}")
        run.save(epoch + 1, 0)
        skipped = 0
        after_epoch(epoch + 1)
    run.settle()
    network.eval()


def _progress(total: float, done: int, started: float) -> str:
    return f"loss {total / max(1, done):.3f}, {done / (time.monotonic() - started):.0f} texts a second"


def halved() -> torch.autocast:
    """Return a context in which matrices are multiplied in half precision, if that is any quicker here."""
    return torch.autocast("cpu", torch.bfloat16, enabled=quick())


@cache
def quick() -> bool:
    """Return whether the processor multiplies in half precision; others only pretend to, and are slower for it."""
    return bool(torch.cpu.get_capabilities().get("avx512_bf16", False))


def whole(told: Any) -> Any:
    """Return what a network said in single precision: one tensor, or one a head."""
    return told.float() if isinstance(told, Tensor) else {name: logits.float() for name, logits in told.items()}


@torch.no_grad()
def vectors(network: Network, texts: Sequence[list[int]]) -> NDArray[np.float32]:
    """Return the vector of each text, given as tokens without those that open and close it."""
    network.eval()
    rows = np.zeros((len(texts), HIDDEN), dtype=np.float32)
    for batch in by_length(texts, AT_ONCE):
        rows[batch] = network.vectors(*padded([framed(texts[place]) for place in batch])).numpy()
    return rows


def framed(text: list[int]) -> list[int]:
    """Open and close a text, cut to what the finder reads."""
    return [CLS, *text[: WINDOW - 2], SEP]


def batched(items: Sequence[tuple[list[int], Any]], size: int, luck: random.Random) -> list[Batch]:
    """Put texts, each with what the loss is told of it, into batches of like length, in random order."""
    shuffled = list(items)
    luck.shuffle(shuffled)
    batches: list[Batch] = []
    for start in range(0, len(shuffled), size * RUN):
        texts, facts = zip(*shuffled[start : start + size * RUN], strict=True)
        batches += [([texts[at] for at in batch], [facts[at] for at in batch]) for batch in by_length(texts, size)]
    luck.shuffle(batches)
    return batches


def by_length(texts: Sequence[Sequence[int]], size: int) -> list[list[int]]:
    """Return the places of texts in batches of like length, the shortest first."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    return [order[start : start + size] for start in range(0, len(order), size)]


def padded(texts: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Make one matrix of texts of several lengths, and the mask that tells what is text."""
    tokens = pad_sequence([torch.tensor(text) for text in texts], batch_first=True)
    return tokens, pad_sequence([torch.ones(len(text)) for text in texts], batch_first=True)


def trained(path: Path, seed: int, blank: Callable[[], Network], learn: Callable[[Network, Path], None]) -> Network:
    """Train a network, with its checkpoint beside the file that keeps its state."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    network = blank()
    learn(network, path.with_suffix(".checkpoint"))
    torch.save(network.state_dict(), path)
    return network


def loaded(path: Path, network: Network) -> Network:
    """Return a network with the state that an earlier training kept."""
    network.load_state_dict(torch.load(path, weights_only=True))
    return network.eval()
