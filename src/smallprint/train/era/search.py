"""All sentences as vectors on disk, in half precision, and the nearest of them to each question, by blocks.

Search is exact: all questions against all sentences are one matrix product, a small part of what encoding costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from smallprint.train.era import material, retrievers, sentences
from smallprint.train.era.bench import DEPTH, Bench, collection
from smallprint.train.era.questions import Wording, wordings
from smallprint.train.era.steps import Made
from smallprint.train.sentences import key_of

VECTORS, DONE, FOUND = "vectors.npy", "done.txt", "found.npz"
# Sentences encoded between two marks of how far it went, and sentences compared at once.
CHUNK, BLOCK = 2_000, 8_192


class Encoder(Protocol):
    """Turns texts into vectors of length 1."""

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give a row a text."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """The rows of the sentences nearest to each question, the nearest first, and how near; -1 where there is none."""

    rows: NDArray[np.int64]
    nearness: NDArray[np.float32]


def vectors_step(bench: Bench, name: str) -> Made:
    """Encode all sentences by a retriever."""
    read, retriever = sentences.step(bench), retrievers.step(bench, name)

    def make(folder: Path) -> dict[str, Any]:
        texts = sentences.load(read)
        width = encode(retrievers.load(retriever), texts, folder, bench.say)
        return {"sentences": len(texts), "width": width, "bytes": (folder / VECTORS).stat().st_size}

    return bench.work.step(f"vectors/{name}-{bench.seed}", {}, (read, retriever), make)


def step(bench: Bench, name: str, questions: str) -> Made:
    """Find the sentences nearest to every question by a retriever."""
    read, known = sentences.step(bench), material.step(bench)
    retriever, vectors = retrievers.step(bench, name), vectors_step(bench, name)

    def make(folder: Path) -> dict[str, Any]:
        asked = asked_of(bench, known, questions)
        own = own_rows(asked, sentences.load(read), bench)
        matrix = np.load(vectors.folder / VECTORS, mmap_mode="r")
        texts = [one.text for one in asked]
        found = nearest(retrievers.load(retriever).vectors(texts), matrix, DEPTH, own)
        np.savez(folder / FOUND, rows=found.rows, nearness=found.nearness)
        return {"questions": len(asked), "found": int((found.rows >= 0).sum()), "own left out": sum(map(len, own))}

    options = {"questions": questions, "depth": DEPTH}
    return bench.work.step(f"found/{name}-{bench.seed}-{questions}", options, (read, known, retriever, vectors), make)


def load(made: Made) -> Found:
    """Give what a retriever found."""
    with np.load(made.folder / FOUND) as found:
        return Found(found["rows"], found["nearness"])


def asked_of(bench: Bench, known: Made, questions: str) -> list[Wording]:
    """Give the questions that sentences are found for, in the order of what is found."""
    return wordings(bench.data, material.load(bench, known).questions, questions)


def own_rows(asked: Sequence[Wording], texts: Sequence[str], bench: Bench) -> list[frozenset[int]]:
    """Give for each question the rows of sentences that stand in its own policies: those are labelled already."""
    row_of = {key_of(text): row for row, text in enumerate(texts)}
    policies = collection(bench.data).policies
    names = {other.policy for one in asked for other in one.asked}
    rows = {
        name: frozenset(row_of[key] for one in policies[name].sentences if (key := key_of(one.text)) in row_of)
        for name in names
    }
    return [frozenset[int]().union(*(rows[other.policy] for other in one.asked)) for one in asked]


def encode(encoder: Encoder, texts: Sequence[str], folder: Path, say: Callable[[str], None]) -> int:
    """Write a row a text in half precision, going on where a stopped run was; gives the width of a row."""
    width = encoder.vectors(texts[:1]).shape[1]
    path, mark = folder / VECTORS, folder / DONE
    done = int(mark.read_text(encoding="utf-8")) if mark.is_file() and path.is_file() else 0
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
    questions: NDArray[np.float32],
    matrix: NDArray[np.float16],
    depth: int,
    without: Sequence[frozenset[int]] | None = None,
    block: int = BLOCK,
) -> Found:
    """Give the nearest rows of a matrix to each question, by blocks; of equally near ones the first.

    `without` names rows that are not to be found, by question.
    """
    rows = np.full((len(questions), depth), -1, dtype=np.int64)
    best = np.full((len(questions), depth), -np.inf, dtype=np.float32)
    for start in range(0, len(matrix), block):
        near = questions @ np.asarray(matrix[start : start + block], dtype=np.float32).T
        for number, own in enumerate(near):
            if without is not None:
                own[[row - start for row in without[number] if start <= row < start + len(own)]] = -np.inf
            places = np.flatnonzero(own > best[number, -1])
            scores = np.concatenate([best[number], own[places]])
            every = np.concatenate([rows[number], places + start])
            first = np.argsort(-scores, kind="stable")[:depth]
            best[number], rows[number] = scores[first], every[first]
    return Found(rows, best)
