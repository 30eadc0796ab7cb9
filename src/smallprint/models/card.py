"""The card's two readers: what a sentence says on each of the card's questions, from its vector, and from its words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.card import CODES, STANCES
from smallprint.models import store
from smallprint.models.reader import CLS, SEP, Read
from smallprint.models.towers import Base, Tower, map_texts

NAME, TOWER = "card", "card-tower"
HIDDEN = 512
# Vectors have length 1; the hidden layer was trained on so much of them.
SCALE = 8.0
# Tokens that the tower reads of a heading, of what stands before a sentence, and of all of it together.
HEADING, BEFORE, TOWER_WINDOW = 12, 24, 112
LONGEST = 2_000
# In a text's tokens this stands between heading and sentence before.
FULL_STOP = 1012


class CardReader:
    """One hidden layer over the finder's vector, then a stance for each question."""

    def __init__(self, where: Path | None = None) -> None:
        arrays = store.load(NAME, where)
        names = ("hidden", "hidden_bias", "out", "out_bias")
        self._hidden, self._hidden_bias, self._out, self._out_bias = (arrays[name].astype(np.float32) for name in names)

    def read(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the logits of stances by sentence, question and stance, from the finder's vectors."""
        hidden = np.maximum(vectors * SCALE @ self._hidden + self._hidden_bias, 0)
        return np.asarray(hidden @ self._out + self._out_bias).reshape(len(vectors), len(CODES), len(STANCES))


class CardTower:
    """A tower of its own on the shared embeddings: it reads a sentence with its heading and what stands before."""

    def __init__(self, base: Base | None = None, where: Path | None = None) -> None:
        graph = store.load(TOWER, where)["stances"]
        self._base = base or Base(where)
        self._tower = Tower(self._base, graph)

    def read(self, sentences: Sequence[Read]) -> NDArray[np.float32]:
        """Return the logits of stances by sentence, question and stance."""
        if not sentences:
            return np.zeros((0, len(CODES), len(STANCES)), dtype=np.float32)
        return np.stack(map_texts(self._logits, sentences)).reshape(len(sentences), len(CODES), len(STANCES))

    def _logits(self, sentence: Read) -> NDArray[np.float32]:
        text = framed(*(self._ids(part) for part in (sentence.heading, sentence.before, sentence.text)))
        logits = self._tower.logits(text[0])
        return np.asarray(logits[own_tokens(text)].mean(axis=0), dtype=np.float32)

    def _ids(self, text: str) -> list[int]:
        return self._base.tokenizer.encode(text[:LONGEST], add_special_tokens=False).ids if text else []


def framed(heading: list[int], before: list[int], own: list[int]) -> tuple[list[int], int]:
    """Put a sentence's tokens behind those of its heading and of what stands before; also return where they begin."""
    opening = [CLS, *heading[:HEADING], *([FULL_STOP] if heading else []), *before[-BEFORE:], SEP]
    return [*opening, *(own or [FULL_STOP])[: TOWER_WINDOW - len(opening) - 1], SEP], len(opening)


def own_tokens(text: tuple[list[int], int]) -> slice:
    """Return which tokens of a framed text are the sentence's own."""
    ids, first = text
    return slice(first, len(ids) - 1)
