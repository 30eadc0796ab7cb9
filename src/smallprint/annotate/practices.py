"""What every passage of a policy is about: the probabilities of OPP-115's categories and of the values under them.

A category's probability is that of two in three annotators giving it; a value's, and that of "Does Not", is the same
given its category (Polisis' hierarchy). A row a segment, a column a label in the order of LABELS and POLARITY.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from smallprint.records import Document, Segment
from smallprint.taxonomy import CATEGORY_LABELS, LABELS, POLARITY, Label

COLUMNS = (*LABELS, *POLARITY)
PARENT = np.array([CATEGORY_LABELS.index(Label(label.category)) for label in COLUMNS])
_COLUMN = {label: place for place, label in enumerate(COLUMNS)}
# Probabilities are kept in a byte: 255 is 1. A label holds from one half on.
ONE, HALF = 255, 128
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


class Labeller(Protocol):
    """Gives the probability of every label for each of some texts."""

    def labels(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give a row a text, a column a label; nothing but zeros for a text that cannot be read."""
        ...


def label(document: Document, labeller: Labeller) -> NDArray[np.uint8]:
    """Label the segments of a document; headings name what follows and say nothing, so they get no label."""
    texts = [passage(document.text, segment) for segment in document.segments]
    found = np.zeros((len(texts), len(COLUMNS)), dtype=np.uint8)
    spoken = [place for place, text in enumerate(texts) if len(text.split()) >= LEAST_WORDS]
    if spoken:
        found[spoken] = np.rint(labeller.labels([texts[place] for place in spoken]) * ONE).astype(np.uint8)
    found[found < LEAST] = 0
    return found


def passage(text: str, segment: Segment) -> str:
    """Give a segment as it can be read by itself, a list item with its lead-in; a heading as nothing."""
    if segment.kind == "heading":
        return ""
    own = text[segment.start : segment.end]
    return f"{text[segment.lead_in.start : segment.lead_in.end]} {own}" if segment.lead_in else own


def holding(probabilities: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Tell which labels hold for which segments: a value holds where its category does."""
    held: NDArray[np.bool_] = (probabilities >= HALF) & (probabilities[:, PARENT] >= HALF)
    return held


def column(label: Label) -> int:
    """Say in which column a label stands."""
    return _COLUMN[label]


def joint(probabilities: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Give the probability of each label by itself: a value's is given its category, so the two are multiplied."""
    shares = probabilities.astype(np.float32) / ONE
    return np.where(np.arange(len(COLUMNS)) < len(CATEGORY_LABELS), shares, shares * shares[:, PARENT])


def practices(probabilities: NDArray[np.uint8], segments: Sequence[Segment]) -> tuple[Practice, ...]:
    """Give the labels that hold anywhere in a policy, in the taxonomy's order."""
    held, said = holding(probabilities), joint(probabilities)
    found = []
    for place in np.flatnonzero(held.any(axis=0)):
        rows = np.flatnonzero(held[:, place])
        rows = rows[np.argsort(-said[rows, place], kind="stable")]
        ordinals = tuple(segments[row].ordinal for row in rows.tolist())
        found.append(Practice(COLUMNS[place], round(float(said[rows[0], place]), 3), ordinals))
    return tuple(found)


def quoted(practice: Practice, text: str, by_ordinal: Mapping[int, Segment]) -> Segment:
    """Choose the segment that speaks for a practice: the likeliest that has a sentence's words, else the likeliest."""
    found = [by_ordinal[ordinal] for ordinal in practice.segments]
    whole = (one for one in found if one.kind != "row" and len(text[one.start : one.end].split()) >= QUOTED_WORDS)
    return next(whole, found[0])
