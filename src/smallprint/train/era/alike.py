"""Sentences that say in other words what a labelled one says: found by that sentence, and not by its question.

What a question finds sounds like the question; half of it bears on it. What lies near a sentence that answers has the
same label in four cases of five. So what answers gives sentences that are right, and what is near a question without
bearing on it gives such as are wrong. Near is what MiniLM finds so as it is, since nothing of ours has taught it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.finder import NAME as FINDER
from smallprint.text import words
from smallprint.train import finder
from smallprint.train.era import material, retrievers, search, sentences
from smallprint.train.era.bench import Bench, collection
from smallprint.train.era.questions import OWN, Wording
from smallprint.train.era.rows import ALIKE
from smallprint.train.era.search import VECTORS, Found
from smallprint.train.era.steps import Made
from smallprint.train.export import tower_graph
from smallprint.train.labelled import Labelled
from smallprint.train.pairs import NEAREST

# From here on a sentence says what a labelled one says. The step counts how often that is so: of what is so near to an
# answer in another training policy, 0.80 bears on the same question there; near to what does not bear on it, 0.04.
NEAR = 0.75
# With a larger share of all their words two sentences are the same, and not in other words.
SAME = 0.8
# So many are kept for each labelled sentence.
DEPTH = 5
Pair = tuple[int, int]


def step(bench: Bench) -> Made:
    """Find what is nearest to every sentence of the labelled policies, among some of the corpus."""
    read, known = sentences.step(bench), material.step(bench)
    encoder, vectors, chosen = _encoder(bench), _vectors(bench), _chosen(bench)

    def make(folder: Path) -> dict[str, Any]:
        labelled, texts = material.load(bench, known), sentences.load(read)
        own = [
            one.text for name in sorted(labelled.policies) for one in collection(bench.data).policies[name].sentences
        ]
        matrix = np.load(vectors.folder / VECTORS, mmap_mode="r")
        places = retrievers.load(encoder).vectors(own)
        found = search.nearest(places, matrix, DEPTH)
        rows = np.where(found.rows >= 0, chosen[found.rows], -1)
        for number, (text, some) in enumerate(zip(own, rows, strict=True)):
            same = [place for place, row in enumerate(some) if row >= 0 and _same(text, texts[row])]
            rows[number, same] = -1
        rows[found.nearness < NEAR] = -1
        np.savez(folder / search.FOUND, rows=rows, nearness=found.nearness)
        there = rows >= 0
        counts = {"sentences": len(own), "found": int(there.sum()), "with any": int(there.any(axis=1).sum())}
        return counts | {"bears in another policy": agreement(places, search.asked_of(bench, known, OWN), labelled)}

    options = {"near": NEAR, "same": SAME, "depth": DEPTH}
    return bench.work.step(f"found/{ALIKE}-{bench.seed}", options, (read, known, encoder, vectors), make)


def agreement(vectors: NDArray[np.float32], asked: Sequence[Wording], labelled: Labelled) -> dict[str, Any]:
    """Say of questions asked of several policies how often what is near a sentence of the one bears in the other.

    `vectors` are those of all sentences, policy by policy.
    """
    first = _first(labelled)
    own = {name: vectors[first[name] : first[name] + len(tokens.own)] for name, tokens in labelled.policies.items()}
    told: dict[str, list[bool]] = {"near an answer": [], "near what does not bear": []}
    for wording in asked:
        for one, other in permutations(wording.asked, 2):
            if one.policy == other.policy:
                continue
            near = own[other.policy] @ own[one.policy].T
            for place in np.flatnonzero(near.max(axis=1) >= NEAR).tolist():
                nearest = int(near[place].argmax())
                if nearest in one.answers:
                    told["near an answer"].append(place in other.relevant)
                elif nearest not in one.relevant:
                    told["near what does not bear"].append(place in other.relevant)
    return {name: {"n": len(each), "share": round(sum(each) / max(1, len(each)), 4)} for name, each in told.items()}


def added(bench: Bench, texts: Sequence[str]) -> tuple[dict[Pair, float], frozenset[Pair], Made]:
    """Give pairs of a question and a sentence's row that are right, those that are wrong, and the step behind them."""
    made, known = step(bench), material.step(bench)
    asked = search.asked_of(bench, known, OWN)
    own = search.own_rows(asked, texts, bench)  # which are labelled already
    right, wrong = (
        {(question, row) for question, row in some if row not in own[question]}
        for some in taken(search.load(made), asked, material.load(bench, known))
    )
    return dict.fromkeys(sorted(right), 1.0), frozenset(wrong - right), made


def taken(found: Found, asked: Sequence[Wording], labelled: Labelled) -> tuple[set[Pair], set[Pair]]:
    """Give each question what lies near its answers, and near those of the nearest sentences that do not bear on it."""
    first = _first(labelled)
    right: set[Pair] = set()
    wrong: set[Pair] = set()
    for question, wording in enumerate(asked):
        for one in wording.asked:
            order = np.argsort(-labelled.nearness[one.id], kind="stable").tolist()
            hard = [place for place in order if place not in one.relevant][:NEAREST]
            right |= {(question, row) for row in _rows(found, first[one.policy], one.answers)}
            wrong |= {(question, row) for row in _rows(found, first[one.policy], hard)}
    return right, wrong


def _first(labelled: Labelled) -> dict[str, int]:
    """Give the number of each policy's first sentence, where all are in one list."""
    names = sorted(labelled.policies)
    counts = [len(labelled.policies[name].own) for name in names]
    return dict(zip(names, (sum(counts[:number]) for number in range(len(names))), strict=True))


def _rows(found: Found, first: int, places: Iterable[int]) -> Iterator[int]:
    for place in places:
        rows = found.rows[first + place]
        yield from rows[rows >= 0].tolist()


def _encoder(bench: Bench) -> Made:
    """Export MiniLM as it is."""

    def make(folder: Path) -> dict[str, Any]:
        network = finder.blank()
        store.save(FINDER, {finder.HEAD: tower_graph(network.tower, finder.HEAD)}, folder)
        return {"version": store.version(FINDER, folder)}

    return bench.work.step(f"retrievers/{ALIKE}", {}, (), make)


def _vectors(bench: Bench) -> Made:
    read, encoder = sentences.step(bench), _encoder(bench)

    def make(folder: Path) -> dict[str, Any]:
        texts = sentences.load(read)
        some = [texts[row] for row in _chosen(bench).tolist()]
        width = search.encode(retrievers.load(encoder), some, folder, bench.say)
        return {"sentences": len(some), "width": width}

    return bench.work.step(f"vectors/{ALIKE}-{bench.seed}", {"sentences": bench.sizes.alike}, (read, encoder), make)


def _chosen(bench: Bench) -> NDArray[np.int64]:
    """Draw the rows of the sentences that are looked through."""
    count = sentences.step(bench).counts["sentences"]
    luck = random.Random(bench.seed)  # noqa: S311 - not for secrets
    return np.array(sorted(luck.sample(range(count), min(count, bench.sizes.alike))), dtype=np.int64)


def _same(one: str, other: str) -> bool:
    own, others = frozenset(words(one)), frozenset(words(other))
    return len(own & others) > SAME * len(own | others)
