"""The finder, in ONNX: a vector for each text, so that a question lies near the sentences that answer it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.side_by_side import each
from smallprint.models.towers import Base, Tower

NAME = "finder"
WIDTH = 384
# Tokens that are read of a text, those that open and close it among them.
WINDOW = 96
LONGEST = 2_000


class Finder:
    """The finder's tower on the shared embeddings."""

    def __init__(self, base: Base | None = None, where: Path | None = None) -> None:
        found = store.load(NAME, where)
        self.name, self.version = found.name, found.version
        self._base = base or Base(where)
        self._tower = Tower(self._base, found.arrays["vector"])

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give a row of length 1 for each text."""
        if not texts:
            return np.zeros((0, WIDTH), dtype=np.float32)
        found: NDArray[np.float32] = np.stack(each(self._vector, texts))
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)

    def _vector(self, text: str) -> NDArray[np.float32]:
        ids = self._base.tokenizer.encode(text[:LONGEST]).ids
        return self._tower.logits(ids if len(ids) <= WINDOW else [*ids[: WINDOW - 1], ids[-1]])
