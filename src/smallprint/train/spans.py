"""The words of policies that OPP-115's annotators marked for each label, without what is kept for evaluation."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from smallprint.errors import NoData
from smallprint.taxonomy import LABELS, OTHER, OTHER_TYPES, Label, category
from smallprint.train.material import held_out_policies

OTHER_TYPE = "Other Type"
_KNOWN = frozenset(LABELS)


class Span(NamedTuple):
    """What one annotator marked for one label."""

    label: Label
    text: str
    policy: str


def spans(data: Path) -> Iterator[Span]:
    """Go through all spans of the policies that may be learnt from; a label without any words is left out."""
    folder = data / "labelled" / "opp115" / "annotations"
    paths = sorted(folder.glob("*.csv"))
    if not paths:
        raise NoData(f"{folder} holds no *.csv; give research data with OPP-115's annotations")
    held = held_out_policies(data)
    for path in paths:
        if path.stem in held:
            continue
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.reader(file), 1):
                try:
                    yield from _marked(row[5], json.loads(row[6]), path.stem)
                except (IndexError, KeyError, TypeError, AttributeError, ValueError):
                    raise NoData(f"line {number} of {path} is no annotation of OPP-115") from None


def _marked(name: str, attributes: dict[str, Any], policy: str) -> Iterator[Span]:
    for attribute, said in attributes.items():
        if said.get("startIndexInSegment", -1) < 0:
            continue
        if name != OTHER:
            label = Label(category(name).id, attribute, said["value"])
        elif attribute == OTHER_TYPE and said["value"] in OTHER_TYPES and said["value"] != OTHER:
            label = Label(category(said["value"]).id)
        else:
            continue
        text = " ".join(said["selectedText"].split())
        if label in _KNOWN and text:
            yield Span(label, text, policy)
