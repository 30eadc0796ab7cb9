"""The sentences of a policy that may answer a question, with what the models say of each before anybody asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.ranking.units import sentences_of
from smallprint.models.finder import Finder
from smallprint.models.labels import Labeller
from smallprint.models.reader import Read
from smallprint.records import Segment, Sentence

# The greatest number of a vector is kept as this; lengths are not kept, since they are all 1.
GREATEST = 127


@dataclass(frozen=True, slots=True)
class Evidence:
    """A policy's sentences in its order; `labels` and `vectors` have a row for each.

    `text` and `segments` are what they were taken from; without them no passage can be shown.
    """

    sentences: tuple[Sentence, ...]
    labels: NDArray[np.float32] = field(repr=False)
    vectors: NDArray[np.float32] = field(repr=False)
    text: str = field(default="", repr=False)
    segments: dict[int, Segment] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.sentences)


def gather(sentences: Sequence[Sentence], labeller: Labeller, finder: Finder) -> Evidence:
    """Return the evidence of sentences: labelled, and turned into vectors."""
    labels = labeller.labels([sentence.spoken for sentence in sentences])
    return Evidence(tuple(sentences), labels, finder.vectors([sentence.under_heading for sentence in sentences]))


def evidence_of(
    text: str, segments: Sequence[Segment], labeller: Labeller, vectors: Callable[[list[str]], NDArray[np.float32]]
) -> Evidence:
    """Return the evidence of a policy's text; `vectors` turns its sentences into vectors, or has them already."""
    sentences = sentences_of(text, segments)
    rows = vectors([sentence.under_heading for sentence in sentences])
    labels = labeller.labels([sentence.spoken for sentence in sentences])
    return Evidence(sentences, labels, rows, text, {segment.ordinal: segment for segment in segments})


def as_read(sentences: Sequence[Sentence], place: int) -> Read:
    """Return a sentence as readers take it: with the heading above, and its lead-in or the sentence before."""
    own = sentences[place]
    before = own.lead_in or (sentences[place - 1].text if place else "")
    return Read(own.text, own.headings[-1] if own.headings else "", before)


def packed(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Keep vectors in a byte a number."""
    greatest = np.abs(vectors).max(axis=1, initial=1e-9, keepdims=True)
    return np.asarray(np.rint(vectors * (GREATEST / greatest)), dtype=np.int8)


def unpacked(rows: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return vectors of length 1 again."""
    vectors = rows.astype(np.float32)
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9), dtype=np.float32)
