"""What a privacy policy can speak of: OPP-115's categories, their attributes and values.

Names are the dataset's own (Wilson et al. 2016, https://aclanthology.org/P16-1126), to the letter, beside the name we
show to people. The table is data, `taxonomy.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class Value:
    """One answer to an attribute's question."""

    name: str
    plain: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """One question that is asked of every practice in a category."""

    name: str
    plain: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Category:
    """One of the twelve things a passage can be about."""

    id: str
    name: str
    plain: str
    attributes: tuple[Attribute, ...] = ()


class Label(NamedTuple):
    """What a passage can be labelled with: a category by its id, alone or with one value of one of its attributes."""

    category: str
    attribute: str | None = None
    value: str | None = None

    def __str__(self) -> str:
        return " / ".join(part for part in self if part)


_TABLE: dict[str, Any] = tomllib.loads((resources.files("smallprint") / "taxonomy.toml").read_text(encoding="utf-8"))


def _attribute(row: Mapping[str, Any]) -> Attribute:
    values = row.get("values", {}) | _TABLE["shared"].get(row.get("shared"), {})
    return Attribute(row["name"], row["plain"], tuple(Value(name, plain) for name, plain in values.items()))


CATEGORIES = tuple(
    Category(row["id"], row["name"], row["plain"], tuple(map(_attribute, row.get("attributes", ()))))
    for row in _TABLE["categories"]
)
_PLAIN_NAMES = {
    Label(c.id, a.name, v.name): f"{a.plain}: {v.plain}" for c in CATEGORIES for a in c.attributes for v in a.values
}
# Every label, categories first, in the one order in which models give their probabilities.
CATEGORY_LABELS = tuple(Label(c.id) for c in CATEGORIES)
VALUE_LABELS = tuple(_PLAIN_NAMES)
LABELS = CATEGORY_LABELS + VALUE_LABELS
# Whether a statement on collecting or sharing affirms or denies it.
DOES, DOES_NOT = "Does", "Does Not"
POLARITY = tuple(Label(c.id, "Does/Does Not", value) for c in CATEGORIES[:2] for value in (DOES, DOES_NOT))
_PLAIN_NAMES |= {label: "says it does" if label.value == DOES else "says it does not" for label in POLARITY}

# Practices annotated "Other" carry one of these as their "Other Type"; the last belongs to none of the twelve.
OTHER = "Other"
OTHER_TYPES = ("Introductory/Generic", "Practice not covered", "Privacy contact information", "Other")

_CATEGORY = {key: c for c in CATEGORIES for key in (c.id, c.name)}


def category(name: str) -> Category:
    """Find a category by our id or the dataset's name; KeyError if there is none."""
    return _CATEGORY[name]


def plain_name(label: Label) -> str:
    """Return a label in plain words; KeyError if there is no such label."""
    return category(label.category).plain if None in label else _PLAIN_NAMES[label]
