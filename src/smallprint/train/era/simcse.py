"""Unsupervised SimCSE: a sentence read twice, each time with other parts dropped, is nearest to itself (Gao 2021)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from smallprint.train.fitting import Plan, fit, in_batches
from smallprint.train.network import Network

PLAN = Plan(epochs=1, batch=32, rate=3e-5)
TEMPERATURE = 0.05


def twice(lengths: Sequence[int], size: int, luck: random.Random) -> list[list[int]]:
    """Put each text into its batch twice, all of them once and then all again."""
    return [batch + batch for batch in in_batches(lengths, size, luck) if len(batch) > 1]


def apart(vectors: Tensor) -> Tensor:
    """Say how far the texts of the first half are from being nearest to themselves in the second."""
    one, other = vectors.chunk(2)
    return cross_entropy(one @ other.T / TEMPERATURE, torch.arange(len(one)))


def contrast(
    network: Network, texts: Sequence[list[int]], plan: Plan, say: Callable[[str], None], checkpoint: Path
) -> None:
    """Train a network on texts, given as tokens with those that open and close them."""
    every = list(texts)
    fit(
        network,
        lambda luck: every,
        lambda vectors, batch: apart(vectors),
        plan,
        say,
        checkpoint,
        batches=twice,
        forward=network.vectors,
    )
