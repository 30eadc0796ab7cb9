"""Question mapping: which of OPP-115's categories, attributes and values a question is about (CMU's closed QA).

A TSV has the columns id, question, category, attribute, value; "|" separates acceptable answers, and a question without
any at a level is left out there. Categories are named by our id or the data set's name. Such rows are made here of
PrivacyQA's 1,350 questions with seven flags; those on six apps, drawn once, are kept to measure on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.practices import COLUMNS, PARENT
from smallprint.errors import NoData
from smallprint.evaluate.answering import from_ask
from smallprint.evaluate.corpus import listed
from smallprint.evaluate.ranked import means
from smallprint.evaluate.tables import table
from smallprint.taxonomy import CATEGORIES, LABELS, category

TASK = "question-mapping"
SYSTEMS = ("mapper", "bag of words", "bag of word clusters")
NAMES = ("id", "question", "category", "attribute", "value")
LEVELS = NAMES[2:]
SEPARATOR = "|"
SPLIT = "question_mapping_test"
# PrivacyQA's flags; "other" is whatever has no flag of its own.
FLAGS = {
    "first": ("first-party",), "third": ("third-party",), "datasecurity": ("security",),
    "dataretention": ("retention",), "user_access": ("access",), "user_choice": ("choice",),
    "other": ("change", "do-not-track", "audiences", "introduction", "contact", "not-covered"),
}  # fmt: skip


class Mapper(Protocol):
    """Says what a question is about."""

    def map(self, question: str) -> NDArray[np.float32]:
        """Give the probability of each label of `annotate.practices.COLUMNS`: a value's is given its category."""
        ...


@dataclass(frozen=True, slots=True)
class Mapped:
    """A question and the acceptable answers at each level; `group` is the app it was asked about, where known."""

    id: str
    text: str
    categories: frozenset[str]
    attributes: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    group: str = ""

    @property
    def levels(self) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        """What is acceptable as category, attribute and value."""
        return self.categories, self.attributes, self.values


@cache
def mapper(system: str) -> Mapper:
    """Make a mapper that is shipped, by its name among SYSTEMS."""
    made: Mapper = from_ask("mapper")(system)
    return made


def load(path: Path) -> list[Mapped]:
    """Read a TSV; without the last three columns nobody has said what is acceptable."""
    found = []
    for row in table(path, NAMES[:2]):
        names, attributes, values = (_parts(row.get(level, "")) for level in LEVELS)
        try:
            categories = frozenset(category(name).id for name in names)
        except KeyError as error:
            raise NoData(f"{path} has the category {error}; OPP-115 has no such one") from None
        found.append(Mapped(row["id"], row["question"], categories, attributes, values))
    return found


def from_flags(path: Path) -> list[Mapped]:
    """Make rows of PrivacyQA's table of questions with flags."""
    found = []
    for row in table(path, ("DocID", "QueryID", "Query", *FLAGS)):
        names = frozenset(name for flag, names in FLAGS.items() if row[flag] == "1" for name in names)
        found.append(Mapped(row["QueryID"], row["Query"], names, group=row["DocID"]))
    return found


def save(path: Path, asked: Iterable[Mapped]) -> None:
    """Write rows as a TSV."""
    lines = ["\t".join(NAMES)]
    for one in asked:
        cells = (one.id, one.text, *(SEPARATOR.join(sorted(level)) for level in one.levels))
        lines.append("\t".join(" ".join(cell.split()) for cell in cells))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def held_apps() -> frozenset[str]:
    """Give the apps whose questions no mapper is trained on, by their DocID in PrivacyQA."""
    return frozenset(row["id"] for row in listed(SPLIT))


def evaluate(
    data: Path,
    systems: Sequence[str] = SYSTEMS,
    ids: frozenset[str] | None = None,
    predictions: Path | None = None,
    by: dict[str, Mapper] | None = None,
) -> dict[str, Any]:
    """Measure on a TSV, or on PrivacyQA's questions on the apps that are held out; `ids` are of questions or apps."""
    own = data.is_dir()
    asked = from_flags(data / "labelled" / "privacyqa" / "train_questions.tsv") if own else load(data)
    wanted = ids if ids is not None else held_apps() if own else None
    asked = [one for one in asked if wanted is None or {one.id, one.group} & wanted]
    mappers = by or {system: mapper(system) for system in systems}
    said = {
        system: np.array([mappers[system].map(one.text) for one in asked]).reshape(-1, len(COLUMNS))
        for system in systems
    }
    if predictions is not None:
        _write(predictions, asked, said)
    known = [place for place, one in enumerate(asked) if any(one.levels)]
    result: dict[str, Any] = {
        "task": TASK,
        "data": "PrivacyQA's questions on six apps held out" if own and ids is None else data.name,
        "n": len(known),
    }
    if known:
        truth = [asked[place] for place in known]
        result["systems"] = {system: accuracy(truth, rows[known]) for system, rows in said.items()}
    return result


def accuracy(asked: Sequence[Mapped], said: NDArray[np.float32]) -> dict[str, Any]:
    """Give the share of questions whose best category, attribute and value is acceptable, each with its number."""
    best = [top(row) for row in said]
    found: dict[str, Any] = {}
    for place, level in enumerate(LEVELS):
        right = [names[place] in one.levels[place] for one, names in zip(asked, best, strict=True) if one.levels[place]]
        if right:
            found |= means((level,), np.array(right, dtype=np.float64)[:, None])
            found[f"{level}_n"] = len(right)
    return found


def top(said: NDArray[np.float32]) -> tuple[str, str, str]:
    """Give the best category, and the attribute and value of the best value over all categories.

    A value's probability is given its category, so the two are multiplied; what affirms or denies is no value.
    """
    whole = said[len(CATEGORIES) : len(LABELS)] * said[PARENT[len(CATEGORIES) : len(LABELS)]]
    best = LABELS[len(CATEGORIES) + int(whole.argmax())]
    return LABELS[int(said[: len(CATEGORIES)].argmax())].category, best.attribute or "", best.value or ""


def _parts(cell: str) -> frozenset[str]:
    return frozenset(part.strip() for part in cell.split(SEPARATOR) if part.strip())


def _write(path: Path, asked: Sequence[Mapped], said: dict[str, NDArray[np.float32]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for place, one in enumerate(asked):
            line = {
                "id": one.id,
                "labels": {system: dict(zip(LEVELS, top(rows[place]), strict=True)) for system, rows in said.items()},
                "scores": {
                    system: {str(label): round(float(p), 5) for label, p in zip(COLUMNS, rows[place], strict=True)}
                    for system, rows in said.items()
                },
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
