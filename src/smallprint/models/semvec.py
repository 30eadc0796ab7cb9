"""SemVec, a baseline of PriBot's: texts are near where a classifier of values has like hidden layers for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store

NAME = "semvec"


class SemVec:
    """The first layer of the classifier, on the finder's vectors."""

    def __init__(self, where: Path | None = None) -> None:
        found = store.load(NAME, where)
        self.name, self.version = found.name, found.version
        self._weights = found.arrays["weights"].astype(np.float32)
        self._bias = found.arrays["bias"].astype(np.float32)

    def hidden(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Give the hidden layer for each of the finder's vectors."""
        return np.asarray(np.maximum(vectors @ self._weights + self._bias, 0), dtype=np.float32)

    def scores(self, question: NDArray[np.float32], sentences: NDArray[np.float32]) -> NDArray[np.float32]:
        """Give minus the Euclidean distance of each sentence's hidden layer to the question's, from their vectors."""
        return np.asarray(-np.linalg.norm(self.hidden(sentences) - self.hidden(question), axis=1), dtype=np.float32)
