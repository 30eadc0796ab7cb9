"""What results can be narrowed by: facets with values, and measures with ranges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from smallprint.annotate.mentions import names
from smallprint.index.engine import Bars
from smallprint.index.tree import Facet, Measure
from smallprint.sectors import SECTORS
from smallprint.taxonomy import CATEGORIES, LABELS, POLARITY, plain_name


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a facet; `under` is the value it belongs to, as a practice's detail to the practice."""

    value: str
    plain: str
    under: str | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """A facet: the key it has in addresses, the index's own facet, and its values; none listed means any value."""

    key: str
    plain: str
    facet: Facet
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Scale:
    """A measure to choose a range of, and the bars its small histogram has."""

    key: str
    plain: str
    measure: Measure
    bars: Bars


@cache
def facets() -> tuple[Choices, ...]:
    """Give all facets, in the order in which they are shown."""
    by_group = {
        group: tuple(Choice(name.id, name.plain) for name in names() if name.group == group)
        for group in ("technology", "body", "regulation")
    }
    return (
        Choices("sector", "Sector", "sector", tuple(Choice(sector.id, sector.name) for sector in SECTORS)),
        Choices("practice", "Practices", "practice", _practices()),
        Choices("technology", "Tracking technologies", "mention", by_group["technology"]),
        Choices("body", "Self-regulatory bodies", "mention", by_group["body"]),
        Choices("regulation", "Regulations and agreements", "mention", by_group["regulation"]),
        Choices("year", "Year seen", "year"),
    )


SCALES = (
    Scale("grade", "Reading grade", "grade", Bars("grade", 0.0, 1.0, 25)),
    Scale("vague", "Vagueness", "vague", Bars("vague", 0.0, 0.05, 20)),
)


def facet(key: str) -> Choices | None:
    """Find a facet by its key."""
    return next((one for one in facets() if one.key == key), None)


def _practices() -> tuple[Choice, ...]:
    """Give every category, each followed by its values; what says nothing ("not said") cannot be chosen."""
    telling = [label for label in (*LABELS, *POLARITY) if label.value not in {"Unspecified", "Not mentioned", "Other"}]
    found = []
    for category in CATEGORIES:
        found.append(Choice(category.id, category.plain))
        found += [
            Choice(str(label), plain_name(label), under=category.id)
            for label in telling
            if label.category == category.id and label.attribute is not None
        ]
    return tuple(found)
