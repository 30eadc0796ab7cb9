"""The card reader, in numpy: what a sentence says on each of the card's questions, from the finder's vector of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.card import CODES, STANCES
from smallprint.models import store

NAME = "card"
HIDDEN = 512
# Vectors have length 1; the hidden layer was trained on so much of them.
SCALE = 8.0


class CardReader:
    """One hidden layer, then a stance for each question."""

    def __init__(self, where: Path | None = None) -> None:
        arrays = store.load(NAME, where)
        names = ("hidden", "hidden_bias", "out", "out_bias")
        self._hidden, self._hidden_bias, self._out, self._out_bias = (arrays[name].astype(np.float32) for name in names)

    def read(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the logits of stances by sentence, question and stance, from the finder's vectors."""
        hidden = np.maximum(vectors * SCALE @ self._hidden + self._hidden_bias, 0)
        return np.asarray(hidden @ self._out + self._out_bias).reshape(len(vectors), len(CODES), len(STANCES))
