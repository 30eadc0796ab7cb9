"""The encoder of single texts, in ONNX: a tower that labels passages, and one that marks vague words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint import limits
from smallprint.models import store
from smallprint.models.logistic import sigmoid
from smallprint.models.towers import HOLDER, Base, Tower
from smallprint.models.vocabulary import Vocabulary

NAME = HOLDER
# Tokens a window holds, those that open and close it among them; a longer text is read in windows that overlap.
WINDOW, OVERLAP = 256, 32
LONGEST = 40_000


class Encoder:
    """The encoder's towers."""

    def __init__(self, where: Path | None = None) -> None:
        found = store.load(NAME, where, only=("labels", "vague", "vocabulary", "threshold"))
        self.name, self.version = found.name, found.version
        self.threshold = float(found.arrays["threshold"])
        self._base = Base(where)
        self._labels, self._vague = (Tower(self._base, found.arrays[tower]) for tower in ("labels", "vague"))
        self._vocabulary = Vocabulary(found.arrays["vocabulary"])

    def labels(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the probability of every label for each text; of a long one, the greatest over its windows."""
        said = np.zeros((len(texts), self._labels.width), dtype=np.float32)
        for row, text in enumerate(texts):
            if self._vocabulary.can_read(text):
                said[row] = self._labelled(text)
        return said

    def mark(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Give the probability that each word of a sentence is vague, by the first of the pieces it is cut into."""
        coded = self._base.tokenizer.encode(list(words), is_pretokenized=True)
        marks = np.zeros(len(words), dtype=np.float32)
        said = sigmoid(self._vague.logits(coded.ids[:WINDOW]))
        for place, word in reversed(list(enumerate(coded.word_ids[:WINDOW]))):
            if word is not None:
                marks[word] = said[place]
        return marks

    def _labelled(self, text: str) -> NDArray[np.float32]:
        ids = self._base.tokenizer.encode(text[:LONGEST]).ids
        return np.max([sigmoid(self._labels.logits(window)) for window in windows(ids)], axis=0)  # type: ignore[no-any-return]


def windows(ids: list[int]) -> list[list[int]]:
    """Cut a text's tokens into windows that open and close as the whole does."""
    if len(ids) <= WINDOW:
        return [ids]
    first, last, inner = ids[0], ids[-1], ids[1:-1]
    room = WINDOW - 2
    starts = range(0, len(inner) - OVERLAP, room - OVERLAP)
    return [[first, *inner[start : start + room], last] for start in starts[: limits.MAX_PASSAGE_WINDOWS]]
