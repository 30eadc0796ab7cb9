"""OPP-115 as it lies on disk: segments of real policies with what each annotator saw in them.

A folder holds `sanitized_policies/NAME.html`, segments divided by "|||", and `annotations/NAME.csv`, a row a practice:
annotation, batch, annotator, policy, segment (from 0), category, attributes as JSON, date, address.
"""

from __future__ import annotations

import csv
import html
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from smallprint.datasets.corpus import rows
from smallprint.datasets.kept_out import held_out_policies
from smallprint.errors import NoData
from smallprint.taxonomy import LABELS, OTHER, OTHER_TYPES, POLARITY, Label, category

FOLDER = Path("labelled/opp115")
# A label holds when so many annotators gave it; nearly every segment had three.
MAJORITY = 2
_TAG = re.compile(r"<[^>]*>")
_KNOWN, _KNOWN_OR_POLAR = frozenset(LABELS), frozenset((*LABELS, *POLARITY))
Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True)
class Passage:
    """A segment of OPP-115 with the number of annotators who gave it each label."""

    id: str
    policy: str
    text: str
    annotators: int = 0
    votes: dict[Label, int] = field(default_factory=dict)

    def holds(self, label: Label) -> bool:
        """Return whether at least two annotators gave the label."""
        return self.votes.get(label, 0) >= MAJORITY


class Span(NamedTuple):
    """The words that one annotator marked for one label."""

    label: Label
    text: str
    policy: str


@dataclass(frozen=True, slots=True)
class Referenced:
    """A saved page and the policy text that somebody took from it by hand; `policy` is its number."""

    id: str
    html: str
    reference: str
    policy: str = ""


def passages(folder: Path) -> Iterator[Passage]:
    """Yield all segments of a folder; without annotations where there are none."""
    policies = sorted((folder / "sanitized_policies").glob("*.html"))
    if not policies:
        raise NoData(f"{folder} holds no sanitized_policies/*.html; give a folder in OPP-115's layout")
    for path in policies:
        labels_of = _labels_by_segment(folder / "annotations" / f"{path.stem}.csv")
        for ordinal, raw in enumerate(path.read_text(encoding="utf-8").split("|||")):
            by_annotator = labels_of.get(ordinal, {})
            votes = dict(Counter(chain.from_iterable(by_annotator.values())))
            yield Passage(f"{path.stem}#{ordinal}", path.stem, plain(raw), len(by_annotator), votes)


def plain(raw: str) -> str:
    """Return a segment without its tags."""
    return " ".join(html.unescape(_TAG.sub(" ", raw)).split())


def spans(data: Path) -> Iterator[Span]:
    """Yield the spans of the policies that may be learnt from; a label without any words is left out."""
    folder = data / FOLDER / "annotations"
    paths = sorted(folder.glob("*.csv"))
    if not paths:
        raise NoData(f"{folder} holds no *.csv; give research data with OPP-115's annotations")
    kept_out = held_out_policies(data)
    for path in paths:
        if path.stem not in kept_out:
            for marked in _annotations(path, lambda row: list(_spans(row[5], json.loads(row[6])))):
                yield from (Span(label, text, path.stem) for label, text in marked)


def references(data: Path) -> Iterator[Referenced]:
    """Yield the saved pages that have a reference text."""
    folder = data / FOLDER / "sanitized_policies"
    if not folder.is_dir():
        raise NoData(
            f"{folder} is not there; set data_dir (SMALLPRINT_DATA_DIR) to the folder that holds the research data"
        )
    paths = {path.name.partition("_")[0]: path for path in folder.glob("*.html")}
    for row in rows(data / "corpus" / "opp115_pages_html.jsonl.zst"):
        path = paths.get(row["opp_id"])
        if path is not None:
            reference = html.unescape(_TAG.sub(" ", path.read_text(encoding="utf-8").replace("|||", " ")))
            yield Referenced(row["id"], row["html"], reference, row["opp_id"])


def _annotations(path: Path, parse: Callable[[list[str]], Parsed]) -> Iterator[Parsed]:
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.reader(file), 1):
            try:
                yield parse(row)
            except (IndexError, KeyError, TypeError, AttributeError, ValueError):
                raise NoData(f"line {number} of {path} is no annotation of OPP-115") from None


def _labels_by_segment(path: Path) -> dict[int, dict[str, set[Label]]]:
    """Return the labels that each annotator gave, by segment; none without a file."""
    labels_of: dict[int, dict[str, set[Label]]] = defaultdict(lambda: defaultdict(set))
    if path.is_file():
        parsed = _annotations(path, lambda row: (row[2], int(row[4]), list(_labels(row[5], json.loads(row[6])))))
        for annotator, ordinal, labels in parsed:
            labels_of[ordinal][annotator].update(labels)
    return labels_of


def _labels(name: str, attributes: dict[str, Any]) -> Iterator[Label]:
    """Yield the category of an annotation and the values it names, those of our taxonomy only."""
    name = attributes["Other Type"]["value"] if name == OTHER else name
    if name != OTHER:
        own = category(name).id
        yield Label(own)
        values = (Label(own, attribute, marked["value"]) for attribute, marked in attributes.items())
        yield from (label for label in values if label in _KNOWN_OR_POLAR)


def _spans(name: str, attributes: dict[str, Any]) -> Iterator[tuple[Label, str]]:
    for attribute, marked in attributes.items():
        if marked.get("startIndexInSegment", -1) < 0:
            continue
        if name != OTHER:
            label = Label(category(name).id, attribute, marked["value"])
        elif attribute == "Other Type" and marked["value"] in OTHER_TYPES and marked["value"] != OTHER:
            label = Label(category(marked["value"]).id)
        else:
            continue
        text = " ".join(marked["selectedText"].split())
        if label in _KNOWN and text:
            yield label, text
