"""The sentences of a policy that may answer a question, and their vectors, which can be made before anybody asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from smallprint.records import Document, Segment

# A sentence of fewer words ("Yes." or a cell of a table) says nothing by itself.
LEAST_WORDS = 3
# The greatest number of a vector is kept as this; lengths are not kept, since they are all 1.
GREATEST = 127


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

    @property
    def under_heading(self) -> str:
        """The sentence behind the heading it stands under, as the finder reads it."""
        return f"{self.headings[-1]}. {self.spoken}" if self.headings else self.spoken


class Finder(Protocol):
    """Turns texts into vectors that are near where one answers the other."""

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give a row of length 1 for each text."""
        ...


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


def vectors_of(document: Document, finder: Finder) -> NDArray[np.int8]:
    """Give a row a sentence of a document, in bytes."""
    return packed(finder.vectors([one.under_heading for one in sentences_of(document.text, document.segments)]))


def packed(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Keep vectors in a byte a number."""
    greatest = np.abs(vectors).max(axis=1, initial=1e-9, keepdims=True)
    return np.asarray(np.rint(vectors * (GREATEST / greatest)), dtype=np.int8)


def unpacked(rows: NDArray[np.int8]) -> NDArray[np.float32]:
    """Give vectors of length 1 again."""
    found = rows.astype(np.float32)
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9), dtype=np.float32)
