"""The reader, in ONNX: a question and a sentence read together, for how well it answers and where the answer is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.card import STANCES
from smallprint.models import store
from smallprint.models.logistic import sigmoid, softmax
from smallprint.models.towers import Base, Tower, map_texts
from smallprint.records import Span

NAME = "reader"
# Tokens of a question, of what stands above and before a sentence, and of all of it together.
QUESTION, HEADING, BEFORE, WINDOW = 32, 10, 20, 128
# A whole passage is read where only the span is wanted.
PASSAGE_WINDOW = 256
LONGEST_SPAN = 48
LONGEST = 4_000
CLS, SEP = 101, 102
# Logits of a token: whether the sentence answers and bears, where an answer begins and ends, what the sentence says.
RELEVANCE, SPAN, STANCE = slice(0, 2), slice(2, 4), slice(4, 4 + len(STANCES))


@dataclass(frozen=True, slots=True)
class Read:
    """A sentence to be read with a question; `heading` stands above it, `before` is the sentence before."""

    text: str
    heading: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reader says, in logits: whether a sentence answers, whether it bears on the question; and the span.

    `informativeness` is the best span's start and end logits added up; `span` is its place in the sentence. `stances`
    are the probabilities that it settles nothing, speaks for yes, for no, or limits either (STANCES).
    """

    answers: float
    bears: float
    informativeness: float
    span: Span
    stances: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)

    @property
    def answerability(self) -> float:
        """A = R + I (Keymanesh): relevance is a probability, informativeness a sum of logits."""
        return float(sigmoid(np.array(self.bears))) + self.informativeness


class Reader:
    """The reader's tower on the shared embeddings."""

    def __init__(self, base: Base | None = None, where: Path | None = None) -> None:
        graph = store.load(NAME, where)["pair"]
        self._base = base or Base(where)
        self._tower = Tower(self._base, graph)

    def read(self, question: str, sentences: Sequence[Read], window: int = WINDOW) -> list[Reading]:
        """Read a question with each of some sentences."""
        asked = self._ids(question)[:QUESTION]
        return map_texts(lambda sentence: self._reading(asked, sentence, window), sentences)

    def _reading(self, asked: list[int], sentence: Read, window: int) -> Reading:
        own = self._base.tokenizer.encode(sentence.text[:LONGEST], add_special_tokens=False)
        ids, first = pair(asked, around(self._ids(sentence.heading), self._ids(sentence.before)), own.ids, window)
        logits = self._tower.logits(ids)
        answers, bears = logits[0, RELEVANCE].tolist()
        start, end, score = best_span(logits[first:-1, 2], logits[first:-1, 3])
        span = Span(own.offsets[start][0], own.offsets[end][1]) if start <= end else Span(0, 0)
        return Reading(answers, bears, score, span, tuple(softmax(logits[0, STANCE]).tolist()))

    def _ids(self, text: str) -> list[int]:
        return self._base.tokenizer.encode(text[:LONGEST], add_special_tokens=False).ids if text else []


def around(heading: list[int], before: list[int]) -> list[int]:
    """Cut what stands above and before a sentence: the beginning of the heading, the end of the sentence before."""
    return heading[:HEADING] + before[-BEFORE:]


def pair(asked: list[int], context: list[int], own: list[int], window: int) -> tuple[list[int], int]:
    """Join a question, what stands around a sentence and its own tokens; also return where the last begin."""
    opening = [CLS, *asked, SEP, *context, SEP]
    return [*opening, *own[: window - len(opening) - 1], SEP], len(opening)


def best_span(starts: NDArray[np.float32], ends: NDArray[np.float32]) -> tuple[int, int, float]:
    """Return the span with the greatest sum of its start's and its end's logit; of no tokens, one that is empty."""
    if not len(starts):
        return 0, -1, 0.0
    sums = starts[:, None] + ends[None, :]
    fits = np.tri(len(starts), k=LONGEST_SPAN - 1, dtype=bool) & np.tri(len(starts), dtype=bool).T
    sums = np.where(fits, sums, -np.inf)
    start, end = divmod(int(sums.argmax()), len(starts))
    return start, end, float(sums[start, end])
