"""What every passage of a policy is about: the probabilities of OPP-115's categories and of the values under them.

A category's probability is that of two in three annotators giving it; a value's, and that of "Does Not", is the same
given its category (Polisis' hierarchy). A row a segment, a column a label in the order of LABELS and POLARITY.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.kinds import ENCODER, Kind, by_weights, loaded
from smallprint.models.labels import COLUMNS, ONE, STUDENT, Labeller, holding, joint
from smallprint.records import Document, Segment
from smallprint.taxonomy import Label

# Fewer words ("Affiliates", in a table) name a thing and state nothing of it.
LEAST_WORDS = 4
# What is quoted is to be read by itself: a table's row or fewer words than this only where there is nothing else.
QUOTED_WORDS = 8
# What is less likely is noise, and compresses better as nothing.
LEAST = 5


@dataclass(frozen=True, slots=True)
class Practice:
    """A label that holds for some segments, by their ordinals with the likeliest first, and how likely it is there."""

    label: Label
    probability: float
    segments: tuple[int, ...]


def label(document: Document, labeller: Labeller) -> NDArray[np.uint8]:
    """Label the segments of a document; headings name what follows and say nothing, so they get no label."""
    texts = [passage(document.text, segment) for segment in document.segments]
    labels = np.zeros((len(texts), len(COLUMNS)), dtype=np.uint8)
    spoken = [place for place, text in enumerate(texts) if len(text.split()) >= LEAST_WORDS]
    if spoken:
        labels[spoken] = np.rint(labeller.labels([texts[place] for place in spoken]) * ONE).astype(np.uint8)
    labels[labels < LEAST] = 0
    return labels


def passage(text: str, segment: Segment) -> str:
    """Return a segment as it can be read by itself, a list item with its lead-in; a heading as nothing.

    The heads of a table's columns are left out: the labels were learnt on rows without them.
    """
    if segment.kind == "heading":
        return ""
    own = text[segment.start : segment.end]
    lead_in = segment.lead_in if segment.kind == "item" else None
    return f"{text[lead_in.start : lead_in.end]} {own}" if lead_in else own


def practices(probabilities: NDArray[np.uint8], segments: Sequence[Segment]) -> tuple[Practice, ...]:
    """Return the labels that hold anywhere in a policy, in the taxonomy's order."""
    rows = _holding_rows(probabilities)
    return tuple(Practice(label, likely, tuple(segments[row].ordinal for row in own)) for label, likely, own in rows)


def _holding_rows(probabilities: NDArray[np.uint8]) -> Iterator[tuple[Label, float, list[int]]]:
    """Yield each label that holds anywhere, its greatest probability, and the rows where it holds, likeliest first."""
    holds, likely = holding(probabilities), joint(probabilities)
    for place in np.flatnonzero(holds.any(axis=0)):
        rows = np.flatnonzero(holds[:, place])
        rows = rows[np.argsort(-likely[rows, place], kind="stable")]
        yield COLUMNS[place], round(float(likely[rows[0], place]), 3), rows.tolist()


def quoted(practice: Practice, text: str, by_ordinal: Mapping[int, Segment]) -> Segment:
    """Choose the segment that speaks for a practice: the likeliest that has a sentence's words, else the likeliest."""
    segments = [by_ordinal[ordinal] for ordinal in practice.segments]
    whole = (s for s in segments if s.kind != "row" and len(text[s.start : s.end].split()) >= QUOTED_WORDS)
    return next(whole, segments[0])


KIND = Kind(
    name="practices",
    annotator=lambda quality: by_weights("practices", ENCODER if quality == "full" else STUDENT),
    make=lambda document, model: label(document, loaded(model)),
    encode=lambda probabilities: probabilities.tobytes(),
    decode=lambda content: np.frombuffer(content, dtype=np.uint8).reshape(-1, len(COLUMNS)),
    # Each label that holds anywhere, in how many segments, and how likely it is where it is likeliest.
    rows=lambda labels: tuple((str(label), len(rows), likely) for label, likely, rows in _holding_rows(labels)),
    table="practised",
)
