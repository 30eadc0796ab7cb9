"""The encoder of single texts, in ONNX: shared embeddings, a tower that labels passages, one that marks vague words.

Texts go through one at a time: in int8 a batch shares one scale, and a score must not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.logistic import sigmoid
from smallprint.models.vocabulary import Vocabulary

NAME = "encoder"
# Tokens a window holds, those that open and close it among them; a longer text is read in windows that overlap.
WINDOW, OVERLAP = 256, 32
# A text of more windows than this is no passage; what it says by then is what it says.
MOST_WINDOWS = 16
LONGEST = 40_000


class Encoder:
    """The encoder's graphs; made in each process that needs it, since a session cannot be shared."""

    def __init__(self, where: Path | None = None) -> None:
        found = store.load(NAME, where)
        self.name, self.version = found.name, found.version
        self.threshold = float(found.arrays["threshold"])
        self._arrays = found.arrays
        self._vocabulary = Vocabulary(found.arrays["vocabulary"])

    def labels(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the probability of every label for each text; of a long one, the greatest over its windows."""
        said = np.zeros((len(texts), self._width), dtype=np.float32)
        for row, text in enumerate(texts):
            said[row] = self._labelled(text)
        return said

    def mark(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Give the probability that each word of a sentence is vague, by the first of the pieces it is cut into."""
        coded = self._tokenizer.encode(list(words), is_pretokenized=True)
        marks = np.zeros(len(words), dtype=np.float32)
        (logits,) = self._run(self._vague, coded.ids[:WINDOW])
        said = sigmoid(logits)
        for place, word in reversed(list(enumerate(coded.word_ids[:WINDOW]))):
            if word is not None:
                marks[word] = said[place]
        return marks

    def _labelled(self, text: str) -> NDArray[np.float32]:
        if not self._vocabulary.can_read(text):
            return np.zeros(self._width, dtype=np.float32)
        ids = self._tokenizer.encode(text[:LONGEST]).ids
        return np.max([sigmoid(self._run(self._labels, window)[0]) for window in windows(ids)], axis=0)  # type: ignore[no-any-return]

    def _run(self, tower: Any, ids: list[int]) -> list[NDArray[np.float32]]:
        (states,) = self._embeddings.run(None, {"tokens": np.array([ids], dtype=np.int64)})
        return [found[0] for found in tower.run(None, {"states": states})]

    @cached_property
    def _width(self) -> int:
        return int(self._labels.get_outputs()[0].shape[-1])

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(self._arrays["tokenizer"].tobytes().decode())
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _embeddings(self) -> Any:
        return _session(self._arrays["embeddings"])

    @cached_property
    def _labels(self) -> Any:
        return _session(self._arrays["labels"])

    @cached_property
    def _vague(self) -> Any:
        return _session(self._arrays["vague"])


def windows(ids: list[int]) -> list[list[int]]:
    """Cut a text's tokens into windows that open and close as the whole does."""
    if len(ids) <= WINDOW:
        return [ids]
    first, last, inner = ids[0], ids[-1], ids[1:-1]
    room = WINDOW - 2
    starts = range(0, len(inner) - OVERLAP, room - OVERLAP)
    return [[first, *inner[start : start + room], last] for start in starts[:MOST_WINDOWS]]


def _session(graph: NDArray[np.uint8]) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # documents are worked on side by side, in processes
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph.tobytes(), options, providers=["CPUExecutionProvider"])
