"""The benchmark of questions over the library: the policies that are returned, against what is true of the sample.

Questions stand in `library_questions.json`, each with the topic of the sample that it asks for; what is true comes from
the sample itself. They were written in rounds: each was measured before anything was mended for it (docs/results.md).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from smallprint import sample
from smallprint.ask.desk import Desk
from smallprint.ask.library_questions import kind_of, parse
from smallprint.ask.stances import Stance
from smallprint.domains import policy_id
from smallprint.errors import NoData
from smallprint.index.engine import Engine
from smallprint.library import Library, reading
from smallprint.pipeline.indexing import open_index
from smallprint.sample import Truth
from smallprint.shelf.gathering import gather

TASK = "library-questions"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question over the sample: its topics, of which one is enough, what policies must say of it, and of which."""

    question: str
    topics: tuple[str, ...]
    wants: Stance
    sector: str | None
    app: bool
    round: int

    def is_answered_by(self, truth: Truth) -> bool:
        """Tell whether a policy belongs among the answers."""
        return (
            (self.sector is None or truth.sector == self.sector)
            and (truth.app or not self.app)
            and any(truth.stance(topic) == self.wants for topic in self.topics)
        )


def questions() -> tuple[Asked, ...]:
    """Read all questions."""
    raw = json.loads((files(__package__) / "library_questions.json").read_text(encoding="utf-8"))
    return tuple(
        Asked(
            one["question"], tuple(one["topic"].split()), one["wants"], one.get("sector"), one.get("app", False),
            one["round"],
        )
        for one in raw
    )  # fmt: skip


def evaluate(data: Path, ids: frozenset[str] | None, predictions: Path | None) -> dict[str, Any]:
    """Ask every question of the sample; `data` is a library that holds it and nothing else."""
    if not data.is_file():
        raise NoData(
            f"{data} is no library; make the sample's with 'smallprint ingest --sample', and give it as --data"
        )
    rows = []
    with Library(data) as library:
        engine = open_index(data)
        truths = _truths(library)
        desk = Desk()
        for number, one in enumerate(questions(), 1):
            if ids is None or str(number) in ids:
                rows.append(_row(number, one, _answers(desk, library, engine, one, len(truths)), truths))
    if predictions:
        predictions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    rounds = sorted({row["round"] for row in rows})
    return {
        "task": TASK,
        "data": "sample",
        "n": len(rows),
        "systems": {"default": _measures(rows)},
        "by_group": {f"round {one}": _measures([row for row in rows if row["round"] == one]) for one in rounds},
        "by_question": {
            row["question"]: {name: row[name] for name in ("precision", "recall", "returned", "true")} for row in rows
        },
    }


def _answers(desk: Desk, library: Library, engine: Engine, asked: Asked, most: int) -> set[str]:
    kind = kind_of(asked.question, 0)
    if kind != "list":
        return set()
    question = parse(asked.question, kind, desk.kit)
    found = gather(desk, library, engine, question, most).policies
    # Of near-duplicates any one may be returned, and stands for all.
    return {reading.find_policy(library, one.policy_id).folded_under or one.policy_id for one in found}


def _row(number: int, asked: Asked, returned: set[str], truths: dict[str, Truth]) -> dict[str, Any]:
    true = {policy for policy, truth in truths.items() if asked.is_answered_by(truth)}
    hits = len(true & returned)
    return {
        "id": str(number),
        "question": asked.question,
        "round": asked.round,
        "chosen": sorted(returned),
        "hits": hits,
        "returned": len(returned),
        "true": len(true),
        "precision": hits / len(returned) if returned else 0.0,
        "recall": hits / len(true) if true else 0.0,
    }


def _measures(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Give means over questions, and precision and recall over all policies returned."""
    hits, returned, true = (sum(row[name] for row in rows) for name in ("hits", "returned", "true"))
    return {
        "precision": sum(row["precision"] for row in rows) / max(1, len(rows)),
        "recall": sum(row["recall"] for row in rows) / max(1, len(rows)),
        "precision_pooled": hits / max(1, returned),
        "recall_pooled": hits / max(1, true),
    }


def _truths(library: Library) -> dict[str, Truth]:
    """Give what is true of the newest version of each policy kept; of near-duplicates the one that stands for all."""
    newest = {policy_id(one.url): one for one in sample.truths() if one.outcome == "kept"}
    kept = [one for one in reading.policies(library) if reading.find_policy(library, one).folded_under is None]
    if not set(kept) <= set(newest):
        raise NoData("the library holds more than the sample; make one with 'smallprint ingest --sample'")
    return {one: newest[one] for one in kept}
