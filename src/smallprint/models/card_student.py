"""The card student, in numpy: what a sentence says on each of the card's questions, from its words in their order.

Vectors of hashed words, one convolution over neighbouring words of which the strongest response counts, and their
mean; then one hidden layer. A whole policy is read at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from smallprint.card import CODES, STANCES
from smallprint.models import store
from smallprint.models.verdicts import VerdictRule
from smallprint.records import Sentence
from smallprint.text import word_hashes

NAME = "card-student"
BITS, WIDTH, FILTERS, HIDDEN = 14, 48, 128, 256
# Words to either side of a word that a response takes in.
REACH = 1
# Words of a sentence, behind its heading, that are read; and the characters that they are looked for in.
WINDOW, LONGEST = 80, 2_000
# Sentences that are read at once: a longer policy takes no more memory.
TOGETHER = 64
_MIX = np.uint64(0xD6E8FEB86659FD93)


class CardStudent:
    """The student's weights, and its own rule from stances to verdicts."""

    def __init__(self, where: Path | None = None) -> None:
        arrays = store.load(NAME, where)
        self._where = where
        # Row 0 is what stands between sentences: nothing.
        self._vectors = np.concatenate([np.zeros((1, WIDTH), np.int8), arrays["vectors"]])
        names = ("step", "filters", "filters_bias", "hidden", "hidden_bias", "out", "out_bias")
        layers = [arrays[name].astype(np.float32) for name in names]
        self._step, self._filters, self._filters_bias, self._hidden, self._hidden_bias, self._out, self._out_bias = (
            layers
        )

    @cached_property
    def rule(self) -> VerdictRule:
        """The rule that was fitted to this student's stances."""
        return VerdictRule(self._where, NAME)

    def read(self, sentences: Sequence[Sentence]) -> NDArray[np.float32]:
        """Return the logits of stances by sentence, question and stance."""
        words = [places(sentence) for sentence in sentences]
        logits = [self._logits(words[start : start + TOGETHER]) for start in range(0, len(words), TOGETHER)]
        shape = (len(words), len(CODES), len(STANCES))
        return np.concatenate(logits).reshape(shape) if logits else np.zeros(shape, dtype=np.float32)

    def _logits(self, words: list[NDArray[np.int64]]) -> NDArray[np.float32]:
        """Read a few sentences in a row, with so much nothing between them that no response takes in two of them."""
        gap = np.zeros(REACH, dtype=np.int64)
        row = np.concatenate([gap, *(part for own in words for part in (own, gap)), gap])
        starts = np.cumsum([0, *(len(own) + REACH for own in words[:-1])])
        vectors = self._vectors[row] * self._step
        windows = sliding_window_view(vectors.ravel(), (2 * REACH + 1) * WIDTH)[::WIDTH]
        responses = np.maximum(np.ascontiguousarray(windows) @ self._filters + self._filters_bias, 0)
        responses[row[REACH:-REACH] == 0] = 0
        strongest = np.maximum.reduceat(responses, starts, axis=0)
        lengths = np.array([max(1, len(own)) for own in words], dtype=np.float32)
        mean = np.add.reduceat(vectors[REACH:-REACH], starts, axis=0) / lengths[:, None]
        hidden = np.maximum(np.concatenate([strongest, mean], axis=1) @ self._hidden + self._hidden_bias, 0)
        return np.asarray(hidden @ self._out + self._out_bias, dtype=np.float32)


def places(sentence: Sentence) -> NDArray[np.int64]:
    """Return the rows of a sentence's words in the table of vectors."""
    return rows_of(word_hashes(sentence.under_heading[:LONGEST])[:WINDOW])


def rows_of(hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the rows of hashed words in the table of vectors; row 0 is no word's."""
    return ((hashes * _MIX) >> np.uint64(64 - BITS)).astype(np.int64) + 1
