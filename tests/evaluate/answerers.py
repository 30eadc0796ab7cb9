"""Answerers written for tests: one goes by common words, and may be told to be wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.sentences import Sentence
from smallprint.evaluate.answering import Decided
from smallprint.text import words

SHOWN = 2


class Overlap:
    """Ranks by common words; shows two sentences where there are any, and keeps a note of who asked for what."""

    systems = ("combined", "backwards", "nothing")

    def __init__(self, shift: int = 0) -> None:
        self.shift = shift
        self.asked: list[tuple[str, int]] = []

    def scores(self, system: str, question: str, sentences: Sequence[Sentence]) -> NDArray[np.float32]:
        self.asked.append((system, id(sentences)))
        common = [len(set(words(question)) & set(words(one.text))) for one in sentences]
        sign = {"combined": 1, "backwards": -1, "nothing": 0}[system]
        return np.roll(np.array(common, dtype=np.float32), self.shift) * sign

    def decide(self, question: str, sentences: Sequence[Sentence]) -> Decided:
        scores = self.scores("combined", question, sentences)
        best = float(scores.max())
        if "weather" in question:
            return Decided((), "not a privacy question", 0.1, -1.0)
        if not best:
            return Decided((), "silent", 0.2, best)
        chosen = tuple(int(place) for place in np.argsort(-scores, kind="stable")[:SHOWN])
        return Decided(chosen, "unsure" if best == 1 else "answered", min(1.0, best / 4), best)
