"""The encoder of single texts, in ONNX: a tower that labels passages, and one that marks vague words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint import limits
from smallprint.models import store
from smallprint.models.labels import Vocabulary
from smallprint.models.logistic import sigmoid
from smallprint.models.towers import HOLDER, Base, Tower

NAME = HOLDER
# Tokens a window holds, those that open and close it among them; a longer text is read in windows that overlap.
WINDOW, OVERLAP = 256, 32
LONGEST = 40_000


class Encoder:
    """The encoder's towers."""

    def __init__(self, where: Path | None = None) -> None:
        arrays = store.load(NAME, where, only=("labels", "vague", "vocabulary", "threshold"))
        self.threshold = float(arrays["threshold"])
        self._base = Base(where)
        self._labels, self._vague = (Tower(self._base, arrays[tower]) for tower in ("labels", "vague"))
        self._vocabulary = Vocabulary(arrays["vocabulary"])

    def labels(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the probability of every label for each text; of a long one, the greatest over its windows."""
        labels = np.zeros((len(texts), self._labels.width), dtype=np.float32)
        for row, text in enumerate(texts):
            if self._vocabulary.can_read(text):
                ids = self._base.tokenizer.encode(text[:LONGEST]).ids
                labels[row] = np.max([sigmoid(self._labels.logits(window)) for window in windows(ids)], axis=0)
        return labels

    def mark(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the probability that each word of a sentence is vague, by the first of the pieces it is cut into."""
        coded = self._base.tokenizer.encode(list(words), is_pretokenized=True)
        marks = np.zeros(len(words), dtype=np.float32)
        probabilities = sigmoid(self._vague.logits(coded.ids[:WINDOW]))
        for place, word in reversed(list(enumerate(coded.word_ids[:WINDOW]))):
            if word is not None:
                marks[word] = probabilities[place]
        return marks


def windows(ids: list[int]) -> list[list[int]]:
    """Cut a text's tokens into windows that open and close as the whole does."""
    if len(ids) <= WINDOW:
        return [ids]
    first, last, inner = ids[0], ids[-1], ids[1:-1]
    room = WINDOW - 2
    starts = range(0, len(inner) - OVERLAP, room - OVERLAP)
    return [[first, *inner[start : start + room], last] for start in starts[: limits.MAX_PASSAGE_WINDOWS]]
