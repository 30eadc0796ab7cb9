"""The finder, in ONNX: a vector for each text, so that a question lies near the sentences that answer it; and SemVec.

SemVec is a baseline of PriBot's: texts are near where a classifier of values has like hidden layers for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.towers import Base, Tower, map_texts

NAME, SEMVEC = "finder", "semvec"
WIDTH = 384
# Tokens that are read of a text, those that open and close it among them.
WINDOW = 96
LONGEST = 2_000


class Finder:
    """The finder's tower on the shared embeddings."""

    def __init__(self, base: Base | None = None, where: Path | None = None) -> None:
        graph = store.load(NAME, where)["vector"]
        self._base = base or Base(where)
        self._tower = Tower(self._base, graph)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row of length 1 for each text."""
        if not texts:
            return np.zeros((0, WIDTH), dtype=np.float32)
        rows: NDArray[np.float32] = np.stack(map_texts(self._vector, texts))
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def embedding(self, text: str) -> NDArray[np.float32]:
        """Return the mean embedding of a text's tokens before any layer has read them; zeros for an empty text."""
        states = self._base.states(self._tokens(text))[0][1:-1]
        return np.asarray(states.mean(axis=0) if len(states) else np.zeros(WIDTH), dtype=np.float32)

    def _vector(self, text: str) -> NDArray[np.float32]:
        return self._tower.logits(self._tokens(text))

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._base.tokenizer.encode(text[:LONGEST]).ids
        return ids if len(ids) <= WINDOW else [*ids[: WINDOW - 1], ids[-1]]


class SemVec:
    """The first layer of the classifier of values, on the finder's vectors."""

    def __init__(self, where: Path | None = None) -> None:
        arrays = store.load(SEMVEC, where)
        self._weights, self._bias = arrays["weights"].astype(np.float32), arrays["bias"].astype(np.float32)

    def hidden(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the hidden layer for each of the finder's vectors."""
        return np.asarray(np.maximum(vectors @ self._weights + self._bias, 0), dtype=np.float32)

    def scores(self, question: NDArray[np.float32], sentences: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return minus the Euclidean distance of each sentence's hidden layer to the question's, from their vectors."""
        return np.asarray(-np.linalg.norm(self.hidden(sentences) - self.hidden(question), axis=1), dtype=np.float32)
