"""OPP-115 as it lies on disk: segments of real policies with what each annotator saw in them.

A folder holds `sanitized_policies/NAME.html`, segments divided by "|||", and `annotations/NAME.csv`, a row a practice:
annotation, batch, annotator, policy, segment (from 0), category, attributes as JSON, date, address.
"""

from __future__ import annotations

import csv
import html
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from smallprint.errors import NoData
from smallprint.taxonomy import LABELS, OTHER, POLARITY, Label, category

# A label holds when so many annotators gave it; nearly every segment had three.
MAJORITY = 2
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Passage:
    """A segment of OPP-115 with the number of annotators who gave it each label."""

    id: str
    policy: str
    text: str
    annotators: int = 0
    votes: dict[Label, int] = field(default_factory=dict)

    def holds(self, label: Label) -> bool:
        """Tell whether at least two annotators gave the label."""
        return self.votes.get(label, 0) >= MAJORITY


def passages(folder: Path) -> Iterator[Passage]:
    """Go through all segments of a folder; without annotations where there are none."""
    policies = sorted((folder / "sanitized_policies").glob("*.html"))
    if not policies:
        raise NoData(f"{folder} holds no sanitized_policies/*.html; give a folder in OPP-115's layout")
    for path in policies:
        marks = _marks(folder / "annotations" / f"{path.stem}.csv")
        for ordinal, raw in enumerate(path.read_text(encoding="utf-8").split("|||")):
            annotators, votes = marks.get(ordinal, (0, {}))
            yield Passage(f"{path.stem}#{ordinal}", path.stem, plain(raw), annotators, votes)


def plain(raw: str) -> str:
    """Take the tags out of a segment."""
    return " ".join(html.unescape(_TAG.sub(" ", raw)).split())


def _marks(path: Path) -> dict[int, tuple[int, dict[Label, int]]]:
    if not path.is_file():
        return {}
    people: dict[int, set[str]] = defaultdict(set)
    givers: dict[int, dict[Label, set[str]]] = defaultdict(lambda: defaultdict(set))
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.reader(file), 1):
            try:
                person, ordinal = row[2], int(row[4])
                labels = list(_labels(row[5], json.loads(row[6])))
            except (IndexError, KeyError, TypeError, AttributeError, ValueError):
                raise NoData(f"line {number} of {path} is no annotation of OPP-115") from None
            people[ordinal].add(person)
            for label in labels:
                givers[ordinal][label].add(person)
    return {
        ordinal: (len(found), {label: len(names) for label, names in givers[ordinal].items()})
        for ordinal, found in people.items()
    }


def _labels(name: str, attributes: dict[str, Any]) -> Iterator[Label]:
    """Give the category an annotation speaks of and the values it names, those of our taxonomy only."""
    if name == OTHER:
        name = attributes["Other Type"]["value"]
        if name == OTHER:
            return
    own = category(name)
    yield Label(own.id)
    for attribute, said in attributes.items():
        label = Label(own.id, attribute, said["value"])
        if label in LABELS or label in POLARITY:
            yield label
