"""The sentences of a policy that may answer a question, with what the models say of each before anybody asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from smallprint.models.finder import Finder
from smallprint.models.labels import Labeller
from smallprint.records import Document, Segment, Sentence, Span

# A sentence of fewer words ("Yes." or a cell of a table) says nothing by itself.
LEAST_WORDS = 3
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


def sentence_at(text: str, segment: Segment, place: Span | Segment) -> Sentence:
    """Return a stretch of a segment, or all of it, as a sentence with its place."""
    lead_in = text[segment.lead_in.start : segment.lead_in.end] if segment.lead_in else ""
    own = text[place.start : place.end]
    return Sentence(own, segment.headings, segment.ordinal, place.start, place.end, lead_in)


def sentences_of(text: str, segments: Sequence[Segment]) -> tuple[Sentence, ...]:
    """Return the sentences of a policy in order; headings are what stands above them, and no answer."""
    sentences = (
        sentence_at(text, segment, place)
        for segment in segments
        if segment.kind != "heading"
        # A table's row is read as a whole: its cells say nothing apart.
        for place in (segment.sentences if segment.kind != "row" else ()) or (segment,)
    )
    return tuple(sentence for sentence in sentences if sentence.lead_in or len(sentence.text.split()) >= LEAST_WORDS)


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


def vectors_of(document: Document, finder: Finder) -> NDArray[np.int8]:
    """Return a row a sentence of a document, in bytes."""
    sentences = sentences_of(document.text, document.segments)
    return packed(finder.vectors([sentence.under_heading for sentence in sentences]))


def packed(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Keep vectors in a byte a number."""
    greatest = np.abs(vectors).max(axis=1, initial=1e-9, keepdims=True)
    return np.asarray(np.rint(vectors * (GREATEST / greatest)), dtype=np.int8)


def unpacked(rows: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return vectors of length 1 again."""
    vectors = rows.astype(np.float32)
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9), dtype=np.float32)
