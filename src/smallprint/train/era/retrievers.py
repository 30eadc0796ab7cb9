"""Step 3: a retriever from each base model: questions near what answers them, far from what answers others.

The negatives of a question are the other sentences of its batch, whatever policy they are of; the epoch that is kept is
the one with the least mean rank of the first right sentence among all of the tuning policies'.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from smallprint.evaluate.smallprint_qa import Asked
from smallprint.models import store
from smallprint.models.finder import NAME as FINDER
from smallprint.models.finder import Finder
from smallprint.train import finder, pairs
from smallprint.train.era import bench as benches
from smallprint.train.era import material
from smallprint.train.era.bases import base
from smallprint.train.era.bench import Bench
from smallprint.train.era.steps import Made
from smallprint.train.export import tower_graph
from smallprint.train.fitting import AT_ONCE, Plan, fit, framed, padded
from smallprint.train.labelled import Labelled
from smallprint.train.network import Network, pieces
from smallprint.train.sentences import key_of

PLAN = Plan(epochs=2, batch=32, rate=5e-5)
RANKS, BEST = "ranks.json", "best.checkpoint"


class Pair(NamedTuple):
    """A labelled question and the place of a sentence that answers it."""

    asked: Asked
    place: int


def step(bench: Bench, name: str) -> Made:
    """Train the retriever of a base model and export it as a finder is."""
    known, begun = material.step(bench), base(bench, name)
    plan = replace(PLAN, seed=bench.seed, epochs=bench.sizes.epochs)

    def make(folder: Path) -> dict[str, Any]:
        labelled = material.load(bench, known)
        every = answers(labelled)
        network = finder.blank(begun.layers)
        ranks = _trained(network, labelled, every, plan, _tuning(bench), folder, bench.say)
        store.save(FINDER, {finder.HEAD: tower_graph(network.tower, finder.HEAD)}, folder)
        return {"pairs": len(every), "steps": plan.epochs * -(-len(every) // plan.batch), "mean rank": ranks}

    options = {"plan": asdict(plan), "measured": bench.sizes.measured}
    return bench.work.step(f"retrievers/{name}-{bench.seed}", options, (known, *begun.steps), make)


def load(made: Made) -> Finder:
    """Give a retriever, as it finds sentences."""
    return Finder(benches.base(), made.folder)


def answers(labelled: Labelled) -> list[Pair]:
    """Give every question with each sentence that answers it, or where none does, with those that bear on it."""
    return [Pair(one, place) for one in labelled.questions for place in one.answers or one.related]


def worth(batch: Sequence[Pair], labelled: Labelled) -> NDArray[np.float32]:
    """Say of each question and sentence of a batch whether the one answers the other, as far as is known.

    Besides its own, a question has the sentences of the same wording, and those of its policy that were marked for it.
    """
    wordings = [key_of(one.asked.text) for one in batch]
    texts = [tuple(labelled.policies[one.asked.policy].own[one.place]) for one in batch]
    found = np.eye(len(batch), dtype=np.float32)
    for row, one in enumerate(batch):
        for column, other in enumerate(batch):
            if wordings[row] == wordings[column] or texts[row] == texts[column]:
                found[row, column] = 1.0
            elif one.asked.policy == other.asked.policy:
                found[row, column] = max(found[row, column], finder.worth_of(one.asked, other.place))
    return found


def mean_rank(questions: NDArray[np.float32], sentences: NDArray[np.float32], right: Sequence[Sequence[int]]) -> float:
    """Give the mean rank, from 1, of each question's first right sentence; ties count against it."""
    nearness = questions @ sentences.T
    ranks = [int((row >= row[list(places)].max()).sum()) for row, places in zip(nearness, right, strict=True)]
    return float(np.mean(ranks))


def _trained(
    network: Network,
    labelled: Labelled,
    every: list[Pair],
    plan: Plan,
    tuning: _Tuning,
    folder: Path,
    say: Callable[[str], None],
) -> dict[str, float]:
    torch.manual_seed(plan.seed)
    hands: dict[int, list[Pair]] = {}

    def items(luck: random.Random) -> list[list[int]]:
        drawn = luck.sample(every, len(every))
        hands.clear()
        texts: list[list[int]] = []
        for start in range(0, len(drawn), plan.batch):
            hand = drawn[start : start + plan.batch]
            hands[len(texts)] = hand
            texts += [framed(labelled.asked[one.asked.id]) for one in hand]
            texts += [framed(labelled.policies[one.asked.policy].own[one.place]) for one in hand]
        return texts

    def batches(lengths: Sequence[int], size: int, luck: random.Random) -> list[list[int]]:
        return [list(range(first, first + 2 * len(hand))) for first, hand in hands.items()]

    def loss(vectors: Tensor, batch: list[int]) -> Tensor:
        asked, said = vectors.chunk(2)
        near = asked @ said.T / finder.TEMPERATURE
        return finder.contrast(near, torch.from_numpy(worth(hands[batch[0]], labelled)))

    ranks: dict[str, float] = {}
    if (folder / RANKS).is_file():
        ranks = json.loads((folder / RANKS).read_text(encoding="utf-8"))

    def measure(epoch: int) -> None:
        if str(epoch) in ranks:
            return
        network.eval()
        rank = mean_rank(encoded(network, tuning.questions), encoded(network, tuning.sentences), tuning.right)
        say(f"epoch {epoch}: mean rank {rank:.1f} of {len(tuning.sentences):,}")
        if rank < min(ranks.values(), default=float("inf")):
            torch.save(network.state_dict(), folder / BEST)
        ranks[str(epoch)] = round(rank, 3)
        (folder / RANKS).write_text(json.dumps(ranks), encoding="utf-8")

    fit(
        network,
        items,
        loss,
        plan,
        say,
        folder / "retriever.checkpoint",
        measure,
        batches,
        finder.projected(network),
    )
    network.load_state_dict(torch.load(folder / BEST, weights_only=True))
    network.eval()
    return ranks


@torch.no_grad()
def encoded(network: Network, texts: Sequence[list[int]]) -> NDArray[np.float32]:
    """Give the vectors of texts, given as tokens without those that open and close them."""
    forward = finder.projected(network)
    parts = [
        forward(*padded([framed(text) for text in texts[start : start + AT_ONCE]])).numpy()
        for start in range(0, len(texts), AT_ONCE)
    ]
    return np.concatenate(parts)


class _Tuning(NamedTuple):
    """Questions and all sentences of the tuning policies, and the places of those that answer each question."""

    questions: list[list[int]]
    sentences: list[list[int]]
    right: list[list[int]]


def _tuning(bench: Bench) -> _Tuning:
    every = benches.collection(bench.data)
    asked = [one for one in every.questions if one.policy in pairs.tuning() and one.relevant]
    asked = asked[: bench.sizes.measured]
    first: dict[str, int] = {}
    sentences: list[list[int]] = []
    for name in sorted({one.policy for one in asked}):
        first[name] = len(sentences)
        sentences += [pieces(one.text) for one in every.policies[name].sentences]
    right = [[first[one.policy] + place for place in one.answers or one.related] for one in asked]
    return _Tuning([pieces(one.text) for one in asked], sentences, right)
