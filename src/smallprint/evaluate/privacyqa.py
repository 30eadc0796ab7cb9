"""PrivacyQA: questions of crowd workers on apps' policies, sentences marked by experts (Ravichander et al. 2019).

A folder holds `questions.tsv`, `segments.tsv` and, where labels are known, `qrels_any_relevant.tsv`. Every segment is
given to the answerer, since neighbours are context; only those with `labels_complete=1` are ranked, chosen and scored.
The published table, with each expert's marks, is read by `privacyqa_published`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from smallprint.errors import NoData
from smallprint.evaluate import privacyqa_published as published
from smallprint.evaluate.answering import (
    NOT_PRIVACY,
    SILENT,
    Answerer,
    Question,
    Reply,
    Sheet,
    answerer,
    ask,
    chosen_systems,
    measured,
    only,
    sentences,
    write,
)
from smallprint.evaluate.measures import precision_recall_f1
from smallprint.evaluate.ranked import Figures, means
from smallprint.evaluate.tables import number, table

TASK = "privacyqa"
LABELS = "qrels_any_relevant.tsv"


def load(folder: Path) -> list[Sheet]:
    """Read a folder: policies in the order in which questions name them."""
    path = folder / "segments.tsv"
    segments: dict[str, dict[int, tuple[str, bool]]] = defaultdict(dict)
    for row in table(path, ("DocID", "SentIdx", "Segment")):
        complete = row.get("labels_complete", "1") == "1"
        segments[row["DocID"]][number(row, "SentIdx", path)] = (row["Segment"], complete)
    marked = _marked(folder / LABELS)
    asked: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in table(folder / "questions.tsv", ("QueryID", "DocID", "Query")):
        asked[row["DocID"]].append(row)
    found = []
    for policy, rows in asked.items():
        if policy not in segments:
            raise NoData(f"{path} has no segments of {policy!r}, which there are questions on")
        numbers = tuple(sorted(segments[policy]))
        place = {one: where for where, one in enumerate(numbers)}
        candidates = tuple(place[one] for one in numbers if segments[policy][one][1])
        questions = []
        for row in rows:
            relevant = None
            if marked is not None:
                relevant = frozenset(place[one] for one in marked[row["QueryID"]] if one in place) & set(candidates)
            questions.append(Question(row["QueryID"], row["Query"], candidates, relevant))
        texts = sentences(("", segments[policy][one][0]) for one in numbers)
        found.append(Sheet(policy, texts, numbers, tuple(questions)))
    return found


def evaluate(
    data: Path,
    systems: Sequence[str] | None = None,
    ids: frozenset[str] | None = None,
    predictions: Path | None = None,
    by: Answerer | None = None,
) -> dict[str, Any]:
    """Measure on a folder, on the published table, or on the two development policies of the research data."""
    where = _where(data)
    experts: published.Experts = {}
    if where.is_dir():
        sheets = load(where)
    else:
        sheets, experts = published.load(where)
    sheets = only(sheets, ids)
    by = by or answerer()
    names = chosen_systems(TASK, systems, by.systems)
    replies = list(ask(by, sheets, names))
    if predictions is not None:
        write(predictions, replies)
    known = [one for one in replies if one.question.relevant is not None]
    result: dict[str, Any] = {"task": TASK, "data": "/".join(where.resolve().parts[-2:]), "n": len(known)}
    if known:
        truth = [one.question.relevant or frozenset() for one in known]
        result["answerable"] = sum(bool(relevant) for relevant in truth)
        result["systems"] = measured(known, names, truth)
        if known[0].decided is not None:
            result["systems"][names[0]] |= silences(known, truth) | published.against_experts(known, experts)
        result["systems"] |= published.human(experts, frozenset(one.question.id for one in known))
    return result


def silences(replies: Sequence[Reply], relevant: Sequence[frozenset[int]]) -> Figures:
    """Measure whether a policy is called silent where nothing is relevant, and only there; unsure is not silent."""
    said = np.array([one.decided is not None and one.decided.state in {SILENT, NOT_PRIVACY} for one in replies])
    true = np.array([not one for one in relevant])
    figures = means(["silent_accuracy"], (said == true).astype(np.float64)[:, None])
    precision, recall, _ = precision_recall_f1(true, said)
    return figures | {"silent_precision": precision, "silent_recall": recall}


def _where(data: Path) -> Path:
    if data.is_file() or (data / "segments.tsv").is_file():
        return data
    if (data / published.NAME).is_file():
        return data / published.NAME
    return data / "labelled" / "privacyqa" / "dev"


def _marked(path: Path) -> defaultdict[str, set[int]] | None:
    """Give the relevant segments of each question; None where nobody said."""
    if not path.is_file():
        return None
    found: defaultdict[str, set[int]] = defaultdict(set)
    for row in table(path, ("QueryID", "SentIdx")):
        found[row["QueryID"]].add(number(row, "SentIdx", path))
    return found
