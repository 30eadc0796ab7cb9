"""The practices and polarity benchmarks: OPP-115's labels on segments of policies that nothing was trained on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.annotating import STUDENT
from smallprint.annotate.practices import COLUMNS, PARENT, Labeller
from smallprint.evaluate.corpus import listed
from smallprint.evaluate.measures import precision_recall_f1
from smallprint.evaluate.opp115 import Passage, passages
from smallprint.taxonomy import CATEGORIES, LABELS, VALUE_LABELS

PRACTICES, POLAR = "practices", "polarity"
SYSTEMS = ("teacher", "student")
_CATEGORIES = np.arange(len(CATEGORIES))
_VALUES = np.arange(len(CATEGORIES), len(LABELS))
_POLARITY = np.arange(len(LABELS), len(COLUMNS))

# From here on a label holds; kept in a byte it does from 128 on, which is the same.
LIKELY = 0.5

Matrix = NDArray[np.float32]
Truth = NDArray[np.bool_]


def evaluate(
    task: str, data: Path, systems: Sequence[str], ids: frozenset[str] | None = None, predictions: Path | None = None
) -> dict[str, Any]:
    """Measure on the test split of the research data, or on all of a folder in OPP-115's layout."""
    own = not (data / "sanitized_policies").is_dir()
    wanted = ids if ids is not None else frozenset(row["id"] for row in listed("practices_test")) if own else None
    folder = data / "labelled" / "opp115" if own else data
    found = [one for one in passages(folder) if wanted is None or {one.policy, one.id} & wanted]
    said = {system: labeller(system).labels([one.text for one in found]) for system in systems}
    if predictions is not None:
        _write(predictions, found, said)
    result: dict[str, Any] = {
        "task": task,
        "data": "OPP-115, PolicyQA's 20 development policies" if own and ids is None else folder.name,
        "n": sum(bool(one.annotators) for one in found),
    }
    known = np.array([bool(one.annotators) for one in found])
    if known.any():
        truth = np.array([[one.holds(label) for label in COLUMNS] for one in found])[known]
        measure = practices_measures if task == PRACTICES else polarity_measures
        result["systems"] = {system: measure(truth, matrix[known]) for system, matrix in said.items()}
    return result


@cache
def labeller(system: str) -> Labeller:
    """Give a system by its name: the encoder as teacher, the bag of words as student."""
    if system == "teacher":
        from smallprint.models.encoder import Encoder

        return Encoder()
    from smallprint.models.bag import Bag

    return Bag(STUDENT)


def practices_measures(truth: Truth, said: Matrix) -> dict[str, Any]:
    """Measure categories over all segments, and values where the truth has their category."""
    chosen = said >= LIKELY
    by_category = {category.id: _row(truth[:, place], chosen[:, place]) for place, category in enumerate(CATEGORIES)}
    met = [row["F1"] for row in by_category.values() if row["n"]]
    by_attribute = {
        f"{category.id} / {attribute.name}": _attribute(category.id, attribute.name, truth, chosen)
        for category in CATEGORIES
        for attribute in category.attributes
    }
    given = truth[:, PARENT]
    whole = chosen & chosen[:, PARENT]
    return {
        "micro_F1": precision_recall_f1(truth[:, _CATEGORIES], chosen[:, _CATEGORIES])[2],
        "macro_F1": float(np.mean(met)) if met else 0.0,
        "values_micro_F1": precision_recall_f1(
            truth[:, _VALUES][given[:, _VALUES]], chosen[:, _VALUES][given[:, _VALUES]]
        )[2],
        "values_with_category_micro_F1": precision_recall_f1(truth[:, _VALUES], whole[:, _VALUES])[2],
        "by_category": by_category,
        "by_attribute": by_attribute,
    }


def polarity_measures(truth: Truth, said: Matrix) -> dict[str, Any]:
    """Measure affirming and denying where the truth has a statement on collecting or sharing with either."""
    chosen = said >= LIKELY
    rows: dict[str, tuple[list[bool], list[bool]]] = {"does": ([], []), "does not": ([], [])}
    for place in _POLARITY:
        name = "does" if COLUMNS[place].value == "Does" else "does not"
        stated = truth[:, [p for p in _POLARITY if PARENT[p] == PARENT[place]]].any(axis=1)
        rows[name][0].extend(truth[stated, place].tolist())
        rows[name][1].extend(chosen[stated, place].tolist())
    both = [np.concatenate([np.array(rows[name][part]) for name in rows]) for part in (0, 1)]
    by_answer = {name: _row(np.array(true), np.array(picked)) for name, (true, picked) in rows.items()}
    return {
        "F1": precision_recall_f1(both[0], both[1])[2],
        "macro_F1": float(np.mean([row["F1"] for row in by_answer.values()])),
        "by_answer": by_answer,
    }


def _attribute(category: str, name: str, truth: Truth, chosen: Truth) -> dict[str, float]:
    own = [
        len(CATEGORIES) + place
        for place, label in enumerate(VALUE_LABELS)
        if (label.category, label.attribute) == (category, name)
    ]
    given = truth[:, PARENT[own[0]]]
    rows = [_row(truth[given, place], chosen[given, place]) for place in own]
    met = [row["F1"] for row in rows if row["n"]]
    return {
        "micro_F1": precision_recall_f1(truth[given][:, own], chosen[given][:, own])[2],
        "macro_F1": float(np.mean(met)) if met else 0.0,
        "n": float(truth[given][:, own].sum()),
    }


def _row(truth: Truth, chosen: Truth) -> dict[str, float]:
    precision, recall, f1 = precision_recall_f1(truth, chosen)
    return {"precision": precision, "recall": recall, "F1": f1, "n": int(truth.sum())}


def _write(path: Path, found: list[Passage], said: dict[str, Matrix]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for place, one in enumerate(found):
            systems = {
                system: {
                    "scores": {str(label): round(float(p), 4) for label, p in zip(COLUMNS, matrix[place], strict=True)},
                    "labels": [str(COLUMNS[c]) for c in np.flatnonzero(
                        (matrix[place] >= LIKELY) & (matrix[place][PARENT] >= LIKELY))],
                }
                for system, matrix in said.items()
            }  # fmt: skip
            file.write(json.dumps({"id": one.id, "systems": systems}) + "\n")
