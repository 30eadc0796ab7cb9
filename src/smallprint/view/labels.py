"""Labels for people: what they are called, which of them say something, and which hold for a passage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.practices import COLUMNS, holding, joint
from smallprint.taxonomy import CATEGORIES, LABELS, POLARITY, Label, category, plain_name

# Values by which annotators noted that a passage leaves something open, or says what none of the other values covers.
UNTOLD = frozenset({"Unspecified", "Not mentioned", "Other"})
# Categories that are no practices: words of welcome, and whatever else a policy speaks of.
GENERAL = frozenset({"introduction", "not-covered"})


@dataclass(frozen=True, slots=True)
class Held:
    """A label that holds for a passage, and how likely it is."""

    label: Label
    name: str
    probability: float


def full_name(label: Label) -> str:
    """Say a label in plain words that can stand by themselves: with those of its category."""
    return plain_name(label) if label.attribute is None else f"{category(label.category).plain} · {plain_name(label)}"


def is_telling(label: Label) -> bool:
    """Tell whether a label says what a policy does, rather than that it says something or leaves something open."""
    return label.category not in GENERAL and label.value not in UNTOLD and label not in POLARITY


# Each category, followed by its values.
TELLING = tuple(label for one in CATEGORIES for label in LABELS if label.category == one.id and is_telling(label))


def held(probabilities: NDArray[np.uint8]) -> list[tuple[Held, ...]]:
    """Give for each segment the labels that hold, in the taxonomy's order."""
    holds, likely = holding(probabilities), joint(probabilities)
    return [
        tuple(
            Held(COLUMNS[place], plain_name(COLUMNS[place]), round(float(likely[row, place]), 3))
            for place in np.flatnonzero(holds[row]).tolist()
        )
        for row in range(len(probabilities))
    ]
