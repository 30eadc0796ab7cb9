"""The sentences of a policy that may answer a question, with what the models say of each before anybody asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from smallprint.records import Segment

# A sentence of fewer words ("Yes." or a cell of a table) says nothing by itself.
LEAST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that may answer; `start` and `end` are its place in the policy's text.

    `passage` numbers the segment it stands in, so that neighbours can be told; `lead_in` introduces a list item.
    """

    text: str
    headings: tuple[str, ...] = ()
    passage: int = 0
    start: int = 0
    end: int = 0
    lead_in: str = ""

    @property
    def spoken(self) -> str:
        """The sentence as it can be read by itself, a list item with its lead-in."""
        return f"{self.lead_in} {self.text}" if self.lead_in else self.text


class Finder(Protocol):
    """Turns texts into vectors that are near where one answers the other."""

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give a row of length 1 for each text."""
        ...


class Labeller(Protocol):
    """Gives the probabilities of practices for texts."""

    def labels(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give a row a text, a column a label."""
        ...


@dataclass(frozen=True, slots=True)
class Evidence:
    """A policy's sentences in its order; `labels` and `vectors` have a row for each."""

    sentences: tuple[Sentence, ...]
    labels: NDArray[np.float32] = field(repr=False)
    vectors: NDArray[np.float16] = field(repr=False)

    def __len__(self) -> int:
        return len(self.sentences)


def gather(sentences: Sequence[Sentence], labeller: Labeller, finder: Finder) -> Evidence:
    """Label sentences and turn them into vectors."""
    spoken = [one.spoken for one in sentences]
    vectors = finder.vectors([with_heading(one) for one in sentences])
    return Evidence(tuple(sentences), labeller.labels(spoken), vectors.astype(np.float16))


def with_heading(sentence: Sentence) -> str:
    """Put the heading a sentence stands under before it, as the finder reads it."""
    return f"{sentence.headings[-1]}. {sentence.spoken}" if sentence.headings else sentence.spoken


def sentences_of(text: str, segments: Sequence[Segment]) -> tuple[Sentence, ...]:
    """Give the sentences of a policy in order; headings are what stands above them, and no answer."""
    found = []
    for segment in segments:
        if segment.kind == "heading":
            continue
        lead_in = text[segment.lead_in.start : segment.lead_in.end] if segment.lead_in else ""
        # A table's row is read as a whole: its cells say nothing apart.
        spans = segment.sentences if segment.kind != "row" else ()
        places = [(span.start, span.end) for span in spans] or [(segment.start, segment.end)]
        found += [
            Sentence(text[start:end], segment.headings, segment.ordinal, start, end, lead_in)
            for start, end in places
            if len(text[start:end].split()) >= LEAST_WORDS or lead_in
        ]
    return tuple(found)
