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

from smallprint.datasets import smallprint_qa
from smallprint.models.finder import Finder
from smallprint.models.towers import Base
from smallprint.train import finder
from smallprint.train.era import material
from smallprint.train.era.bases import base_model
from smallprint.train.era.bench import Bench, StepResult, collection
from smallprint.train.fitting import AT_ONCE, Batch, Plan, fit, framed, padded
from smallprint.train.network import Network, pieces
from smallprint.train.pairs import Labelled
from smallprint.train.sentences import key_of

PLAN = Plan(epochs=2, batch=32, rate=5e-5)
RANKS, BEST = "ranks.json", "best.checkpoint"
VECTORS, DONE, FOUND = "vectors.npy", "done.txt", "found.npz"
# As many sentences are kept for each question as the largest k asks for.
DEPTH = 100
# Sentences encoded between two marks of how far it went, and sentences compared at once.
CHUNK, BLOCK = 2_000, 8_192

Rows = NDArray[np.int64]
Vectors = NDArray[np.float32]


class Pair(NamedTuple):
    """A labelled question and the place of a sentence that answers it, both also in tokens."""

    asked: smallprint_qa.Asked
    place: int
    question: list[int]
    sentence: list[int]


def pairs_of(labelled: Labelled) -> list[Pair]:
    """Return every question with each sentence that answers it, or where none does, with those that bear on it."""
    return [
        Pair(asked, place, labelled.asked[asked.id], labelled.policies[asked.policy].own[place])
        for asked in labelled.questions
        for place in asked.answers or asked.related
    ]


def step(bench: Bench, name: str) -> StepResult:
    """Train the retriever of a base model and export it as a finder is."""
    begun = base_model(bench, name)
    plan = replace(PLAN, seed=bench.seed, epochs=bench.sizes.epochs)

    def make(folder: Path) -> dict[str, Any]:
        pairs, network = pairs_of(material.load_labelled(bench)), finder.blank(begun.layers)
        ranks = _train(network, pairs, plan, bench, folder)
        finder.save(network, folder)
        return {"pairs": len(pairs), "steps": plan.epochs * -(-len(pairs) // plan.batch), "mean rank": ranks}

    options = {"plan": asdict(plan), "measured": bench.sizes.measured}
    return bench.step(f"retrievers/{name}-{bench.seed}", options, (material.labelled_step(bench), *begun.steps), make)


def worth(batch: Sequence[Pair]) -> Tensor:
    """Return of each question and sentence of a batch whether the one answers the other, as far as is known.

    Besides its own, a question has the sentences of the same wording, and those of its policy that were marked for it.
    """

    def value(pair: Pair, other: Pair) -> float:
        if key_of(pair.asked.text) == key_of(other.asked.text) or pair.sentence == other.sentence:
            return 1.0
        return finder.worth_of(pair.asked, other.place) if pair.asked.policy == other.asked.policy else 0.0

    return torch.tensor([[value(pair, other) for other in batch] for pair in batch])


def mean_rank(questions: Vectors, sentences: Vectors, right: Sequence[Sequence[int]]) -> float:
    """Return the mean rank, from 1, of each question's first right sentence; ties count against it."""
    nearness = questions @ sentences.T
    return float(np.mean([(row >= row[list(places)].max()).sum() for row, places in zip(nearness, right, strict=True)]))


def _train(network: Network, pairs: list[Pair], plan: Plan, bench: Bench, folder: Path) -> dict[str, float]:
    torch.manual_seed(plan.seed)
    forward = finder.projected(network)
    questions, sentences, right = _tuning(bench)
    path = folder / RANKS
    ranks: dict[str, float] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    def texts(hand: list[Pair]) -> list[list[int]]:
        return [framed(pair.question) for pair in hand] + [framed(pair.sentence) for pair in hand]

    def epoch(luck: random.Random) -> list[Batch]:
        drawn = luck.sample(pairs, len(pairs))
        hands = [drawn[start : start + plan.batch] for start in range(0, len(drawn), plan.batch)]
        return [(texts(hand), hand) for hand in hands]

    def loss(vectors: Tensor, hand: list[Pair]) -> Tensor:
        asked, answers = vectors.chunk(2)
        return finder.contrast(asked @ answers.T / finder.TEMPERATURE, worth(hand))

    @torch.no_grad()
    def encoded(texts: Sequence[str]) -> Vectors:
        tokens = [framed(pieces(text)) for text in texts]
        batches = [padded(tokens[start : start + AT_ONCE]) for start in range(0, len(tokens), AT_ONCE)]
        return np.concatenate([forward(*batch).numpy() for batch in batches])

    def measure(number: int) -> None:
        if str(number) in ranks:
            return
        network.eval()
        rank = mean_rank(encoded(questions), encoded(sentences), right)
        bench.say(f"epoch {number}: mean rank {rank:.1f} of {len(sentences):,}")
        if rank < min(ranks.values(), default=float("inf")):
            torch.save(network.state_dict(), folder / BEST)
        ranks[str(number)] = round(rank, 3)
        path.write_text(json.dumps(ranks), encoding="utf-8")

    fit(network, epoch, loss, plan, bench.say, folder / "retriever.checkpoint", measure, forward)
    network.load_state_dict(torch.load(folder / BEST, weights_only=True))
    network.eval()
    return ranks


def _tuning(bench: Bench) -> tuple[list[str], list[str], list[list[int]]]:
    """Return the questions and all sentences of the tuning policies, and the places that answer each question."""
    known, tuned = collection(bench.data), smallprint_qa.tuning()
    asked = [question for question in known.questions if question.policy in tuned and question.relevant]
    asked = asked[: bench.sizes.measured]
    first: dict[str, int] = {}
    sentences: list[str] = []
    for name in sorted({question.policy for question in asked}):
        first[name] = len(sentences)
        sentences += [sentence.text for sentence in known.policies[name].sentences]
    right = [[first[question.policy] + place for place in question.answers or question.related] for question in asked]
    return [question.text for question in asked], sentences, right


def vectors_step(bench: Bench, name: str) -> StepResult:
    """Encode all sentences by a retriever."""
    retriever = step(bench, name)

    def make(folder: Path) -> dict[str, Any]:
        texts = material.load_sentences(bench)
        width = encode(Finder(Base(), retriever.folder), texts, folder, bench.say)
        return {"sentences": len(texts), "width": width, "bytes": (folder / VECTORS).stat().st_size}

    return bench.step(f"vectors/{name}-{bench.seed}", {}, (material.sentences_step(bench), retriever), make)


def search_step(bench: Bench, name: str) -> StepResult:
    """Find the sentences nearest to every question by a retriever."""
    retriever, vectors = step(bench, name), vectors_step(bench, name)

    def make(folder: Path) -> dict[str, Any]:
        asked = material.wordings(bench)
        own = own_rows(asked, material.load_sentences(bench), bench)
        matrix = np.load(vectors.folder / VECTORS, mmap_mode="r")
        questions = Finder(Base(), retriever.folder).vectors([wording.text for wording in asked])
        rows, nearness = nearest(questions, matrix, DEPTH, own)
        np.savez(folder / FOUND, rows=rows, nearness=nearness)
        return {"questions": len(asked), "found": int((rows >= 0).sum()), "own left out": sum(map(len, own))}

    stands_on = (material.sentences_step(bench), material.labelled_step(bench), retriever, vectors)
    return bench.step(f"found/{name}-{bench.seed}", {"depth": DEPTH}, stands_on, make)


def own_rows(asked: Sequence[material.Wording], texts: Sequence[str], bench: Bench) -> list[frozenset[int]]:
    """Return for each question the rows of sentences that stand in its own policies: those are labelled already."""
    row_of = {key_of(text): row for row, text in enumerate(texts)}
    policies = collection(bench.data).policies
    names = {question.policy for wording in asked for question in wording.asked}
    own = {name: row_of.keys() & {key_of(sentence.text) for sentence in policies[name].sentences} for name in names}
    return [frozenset(row_of[key] for question in wording.asked for key in own[question.policy]) for wording in asked]


def encode(encoder: Finder, texts: Sequence[str], folder: Path, say: Callable[[str], None]) -> int:
    """Write a row a text in half precision, going on where a stopped run was; returns the width of a row."""
    width = encoder.vectors(texts[:1]).shape[1]
    path, mark = folder / VECTORS, folder / DONE
    done = int(mark.read_text(encoding="utf-8")) if mark.is_file() else 0
    mode = "r+" if done else "w+"
    matrix = np.lib.format.open_memmap(path, mode, np.float16, (len(texts), width))  # type: ignore[no-untyped-call]
    for start in range(done, len(texts), CHUNK):
        end = min(start + CHUNK, len(texts))
        matrix[start:end] = encoder.vectors(texts[start:end])
        matrix.flush()
        mark.write_text(str(end), encoding="utf-8")
        if start // CHUNK % 25 == 0:
            say(f"{end:,} of {len(texts):,} sentences encoded")
    mark.unlink(missing_ok=True)
    return int(width)


def nearest(
    questions: Vectors, matrix: NDArray[np.float16], depth: int, without: Sequence[frozenset[int]]
) -> tuple[Rows, Vectors]:
    """Return the rows of a matrix nearest to each question, the nearest first, and how near; -1 where there is none.

    Of equally near ones the first comes first; `without` names rows that are not to be found, by question.
    """
    rows = np.full((len(questions), depth), -1, dtype=np.int64)
    best = np.full((len(questions), depth), -np.inf, dtype=np.float32)
    for start in range(0, len(matrix), BLOCK):
        near = questions @ np.asarray(matrix[start : start + BLOCK], dtype=np.float32).T
        for number, own in enumerate(near):
            own[[row - start for row in without[number] if start <= row < start + len(own)]] = -np.inf
            places = np.flatnonzero(own > best[number, -1])
            scores = np.concatenate([best[number], own[places]])
            every = np.concatenate([rows[number], places + start])
            first = np.argsort(-scores, kind="stable")[:depth]
            best[number], rows[number] = scores[first], every[first]
    return rows, best
