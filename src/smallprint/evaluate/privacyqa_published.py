"""PrivacyQA as it is published: a row a question and sentence, with what each expert said of it.

Tab-separated: Folder, DocID, QueryID, SentID, Split, Query, Segment, Any_Relevant, Ann1 … Ann6 ("Relevant",
"Irrelevant" or "None": was not asked), and seven flags; the training table has one Label. An expert's answer is the set
of sentences marked; it may be empty. Two empty sets agree wholly, and an empty one with any other not at all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from smallprint.errors import NoData
from smallprint.evaluate.answering import Question, Reply, Sheet, sentences
from smallprint.evaluate.ranked import Figures
from smallprint.evaluate.tables import table

NAME = "policy_test_data.csv"
NEEDED = ("DocID", "QueryID", "SentID", "Query", "Segment")
RELEVANT, SAYS = "Relevant", {"Relevant", "Irrelevant", "None", ""}
EXPERT = re.compile(r"Ann\d+")
LAST_NUMBER = re.compile(r"\d+$")

# The places each expert marked, by question; those who were not asked are left out.
Experts = dict[str, tuple[frozenset[int], ...]]
Agreement = tuple[float, float, float]


def load(path: Path) -> tuple[list[Sheet], Experts]:
    """Read a table; the sentences that a question's rows name are its candidates."""
    by_policy: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in table(path, NEEDED):
        by_policy[row["DocID"]].append(row)
    sheets, experts = [], {}
    for policy, rows in by_policy.items():
        texts = {_number(row, path): row["Segment"] for row in rows}
        numbers = tuple(sorted(texts))
        place = {one: where for where, one in enumerate(numbers)}
        by_question: dict[str, list[dict[str, str]]] = defaultdict(list)
        for row in rows:
            by_question[row["QueryID"]].append(row)
        questions = []
        for name, own in by_question.items():
            marks = {column: _marked(own, column, place, path) for column in own[0] if EXPERT.fullmatch(column)}
            experts[name] = tuple(found for found in marks.values() if found is not None)
            candidates = tuple(sorted(place[_number(row, path)] for row in own))
            questions.append(Question(name, own[0]["Query"], candidates, _relevant(own, experts[name], place, path)))
        sheets.append(Sheet(policy, sentences(("", texts[one]) for one in numbers), numbers, tuple(questions)))
    return sheets, experts


def against_experts(replies: Sequence[Reply], experts: Experts) -> Figures:
    """Compare what was chosen with each expert.

    leave_one_out is the paper's: of every set of all experts but one, the best agreement, and the mean of these; its F1
    is that of the mean precision and recall. max_expert_F1 takes the best expert of each question, mean_expert_F1 all.
    """
    pairs = [
        (frozenset(one.decided.chosen) & set(one.question.candidates), experts[one.question.id])
        for one in replies
        if one.decided is not None and experts.get(one.question.id)
    ]
    if not pairs:
        return {}
    found: Figures = _mean([_leave_one_out(chosen, others) for chosen, others in pairs])
    f1s = [[agreement(chosen, other)[2] for other in others] for chosen, others in pairs]
    found["max_expert_F1"] = float(np.mean([max(one) for one in f1s]))
    found["mean_expert_F1"] = float(np.mean([np.mean(one) for one in f1s]))
    return found


def human(experts: Experts, asked: frozenset[str]) -> dict[str, Figures]:
    """Compare each expert with the best of the others, where there are two or more, as a system `human`."""
    rows = [
        np.mean([_best(one, [*others[:place], *others[place + 1 :]]) for place, one in enumerate(others)], axis=0)
        for name, others in experts.items()
        if name in asked and len(others) > 1
    ]
    return {"human": {**_mean(rows), "n": len(rows)}} if rows else {}


def agreement(chosen: frozenset[int], truth: frozenset[int]) -> Agreement:
    """Give precision, recall and F1 of a set against another; 1 where both are empty."""
    if not chosen or not truth:
        same = float(chosen == truth)
        return same, same, same
    hits = len(chosen & truth)
    return hits / len(chosen), hits / len(truth), 2 * hits / (len(chosen) + len(truth))


def _leave_one_out(chosen: frozenset[int], others: Sequence[frozenset[int]]) -> Agreement:
    if len(others) == 1:
        return agreement(chosen, others[0])
    left = [_best(chosen, [*others[:place], *others[place + 1 :]]) for place in range(len(others))]
    precision, recall, f1 = np.mean(left, axis=0).tolist()
    return precision, recall, f1


def _best(chosen: frozenset[int], others: Sequence[frozenset[int]]) -> Agreement:
    return max((agreement(chosen, other) for other in others), key=lambda found: found[2])


def _mean(rows: Sequence[Agreement]) -> Figures:
    precision, recall, f1 = np.mean(rows, axis=0).tolist()
    both = precision + recall
    return {
        "leave_one_out_precision": precision,
        "leave_one_out_recall": recall,
        "leave_one_out_F1": 2 * precision * recall / both if both else 0.0,
        "leave_one_out_mean_F1": f1,
    }


def _number(row: dict[str, str], path: Path) -> int:
    """Read the number of a sentence from the end of its id: "Fiverr _1_12"."""
    found = LAST_NUMBER.search(row["SentID"])
    if found is None:
        raise NoData(f"{path} has the SentID {row['SentID']!r}, which does not end in a number")
    return int(found[0])


def _relevant(
    rows: list[dict[str, str]], experts: tuple[frozenset[int], ...], place: dict[int, int], path: Path
) -> frozenset[int] | None:
    for column in ("Any_Relevant", "Label"):
        if column in rows[0]:
            found = _marked(rows, column, place, path)
            if found is not None:
                return found
    return frozenset().union(*experts) if experts else None


def _marked(rows: list[dict[str, str]], column: str, place: dict[int, int], path: Path) -> frozenset[int] | None:
    """Give the places marked in a column; None where nothing was said of any."""
    for row in rows:
        if row[column] not in SAYS:
            raise NoData(f"{path} has {row[column]!r} as {column}; Relevant, Irrelevant and None are known")
    if not any(row[column] in {RELEVANT, "Irrelevant"} for row in rows):
        return None
    return frozenset(place[_number(row, path)] for row in rows if row[column] == RELEVANT)
