"""Labels for people: what they are called, which of them say something, which hold for a passage, how likely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smallprint.models.labels import COLUMNS, holding, joint
from smallprint.taxonomy import CATEGORIES, LABELS, POLARITY, Label, category, plain_name

# Values by which annotators noted that a passage leaves something open, or says what none of the other values covers.
UNTOLD = frozenset({"Unspecified", "Not mentioned", "Other"})
# Categories that are no practices: words of welcome, and whatever else a policy speaks of.
GENERAL = frozenset({"introduction", "not-covered"})


@dataclass(frozen=True, slots=True)
class NamedLabel:
    """A label with its plain name."""

    category: str
    attribute: str | None
    value: str | None
    name: str

    @property
    def label(self) -> Label:
        """The label itself."""
        return Label(self.category, self.attribute, self.value)

    @property
    def is_category(self) -> bool:
        """Whether it is a category, and not one of the values under it."""
        return self.attribute is None


@dataclass(frozen=True, slots=True)
class LabelHeld(NamedLabel):
    """A label that holds for a segment, and how likely it is."""

    probability: float


def full_name(label: Label) -> str:
    """Return a label in plain words that can stand by themselves: with those of its category."""
    return plain_name(label) if label.attribute is None else f"{category(label.category).plain} · {plain_name(label)}"


def is_telling(label: Label) -> bool:
    """Return whether a label says what a policy does, rather than that it says something or leaves something open."""
    return label.category not in GENERAL and label.value not in UNTOLD and label not in POLARITY


# Each category, followed by its values.
TELLING = tuple(label for own in CATEGORIES for label in LABELS if label.category == own.id and is_telling(label))


def labels_that_hold(probabilities: NDArray[np.uint8]) -> list[tuple[LabelHeld, ...]]:
    """Return for each segment the labels that hold, in the taxonomy's order."""
    likely = joint(probabilities)
    return [
        tuple(
            LabelHeld(*COLUMNS[place], plain_name(COLUMNS[place]), round(float(likely[row, place]), 3))
            for place in np.flatnonzero(holds).tolist()
        )
        for row, holds in enumerate(holding(probabilities))
    ]


def chance(probability: float) -> str:
    """Return a probability as a percentage that claims neither none nor all: under 1 %, 43 %, over 99 %."""
    if probability < 0.01:
        return "under 1 %"
    return "over 99 %" if probability > 0.99 else f"{100 * probability:.0f} %"


def percent(share: float) -> str:
    """Return a counted share as a percentage; 0 % and 100 % only where it is exactly so."""
    return chance(share) if 0 < share < 1 else f"{share:.0%}".replace("%", " %")
