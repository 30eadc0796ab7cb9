"""Answering as it is measured: policies given as sentences, by the default path or by one ranker alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.sentences import Sentence
from smallprint.ask.asked import Asked, ask
from smallprint.ask.deciding import Decision, decide
from smallprint.ask.evidence import Evidence, gather
from smallprint.ask.kit import Kit, kit
from smallprint.ask.rankers import COMBINED, RANKERS, rank
from smallprint.models.reader import PASSAGE_WINDOW, WINDOW, Read, Reader, Reading

# Readings that are remembered: those of a question and its paraphrases on one policy, and many more.
REMEMBERED = 100_000


class _Remembering:
    """A reader that reads nothing twice: rankers that are measured side by side read the same pairs."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[tuple[str, Read], Reading] = {}

    def read(self, question: str, sentences: Sequence[Read], window: int = WINDOW) -> list[Reading]:
        """Read what was not read before."""
        if len(self._known) > REMEMBERED:
            self._known.clear()
        new = [one for one in dict.fromkeys(sentences) if (question, one) not in self._known]
        for one, reading in zip(new, self._reader.read(question, new, window), strict=True):
            self._known[question, one] = reading
        return [self._known[question, one] for one in sentences]


class SentenceAnswerer:
    """Answers from sentences; what was made of the last policy and of the last question is kept."""

    systems = tuple(RANKERS)

    def __init__(self, models: Kit | None = None) -> None:
        self._kit = models or Kit()
        self._kit.reader = _Remembering(self._kit.reader)  # type: ignore[assignment]
        self._policy: tuple[Sequence[Sentence], Evidence] | None = None
        self._asked: Asked | None = None
        self._decision: tuple[Asked, Evidence, Decision] | None = None

    def scores(self, system: str, question: str, sentences: Sequence[Sentence]) -> NDArray[np.float32]:
        """Give a score a sentence, higher is better."""
        if system == COMBINED:
            return self._decided(question, sentences).scores
        return rank(system, self._question(question), self._evidence(sentences), self._kit)

    def decide(self, question: str, sentences: Sequence[Sentence]) -> Decision:
        """Answer by the default path."""
        return self._decided(question, sentences)

    def _decided(self, question: str, sentences: Sequence[Sentence]) -> Decision:
        asked, evidence = self._question(question), self._evidence(sentences)
        if self._decision is None or self._decision[0] is not asked or self._decision[1] is not evidence:
            self._decision = asked, evidence, decide(asked, evidence, self._kit)
        return self._decision[2]

    def _question(self, question: str) -> Asked:
        if self._asked is None or self._asked.question.asked != question:
            self._asked = ask(question, self._kit)
        return self._asked

    def _evidence(self, sentences: Sequence[Sentence]) -> Evidence:
        if self._policy is None or self._policy[0] is not sentences:
            self._policy = sentences, gather(sentences, self._kit.labeller, self._kit.finder)
        return self._policy[1]


class SpanFinder:
    """Finds the answer in a whole passage, by the reader alone."""

    def __init__(self, models: Kit | None = None) -> None:
        self._kit = models or kit()

    def read(self, question: str, context: str) -> tuple[int, int]:
        """Give the half-open range of characters of the answer."""
        (found,) = self._kit.reader.read(question, [Read(context)], PASSAGE_WINDOW)
        return found.span.start, found.span.end
