"""PrivacyQA: questions of crowd workers on apps' policies, sentences marked by experts (Ravichander et al. 2019).

A folder holds `questions.tsv`, `segments.tsv` and, where labels are known, `qrels_any_relevant.tsv`. All segments are
sentences of the sheet, since neighbours are context; only those with `labels_complete=1` are candidates.

The published table has a row a question and sentence, with what each expert said of it. Tab-separated: Folder, DocID,
QueryID, SentID, Split, Query, Segment, Any_Relevant, Ann1 … Ann6 ("Relevant", "Irrelevant" or "None": was not asked),
and seven flags; the training table has one Label. An expert's answer is the set of sentences marked; it may be empty.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from smallprint.datasets.corpus import listed_ids, table
from smallprint.datasets.questions import LabelledQuestion, Question, Sheet, sentences
from smallprint.errors import NoData

DEVELOPMENT, TRAINING = Path("labelled/privacyqa/dev"), Path("labelled/privacyqa/train_questions.tsv")
PUBLISHED = "policy_test_data.csv"
# The categories behind each flag of a question; "other" is whatever has no flag of its own.
FLAGS = {
    "first": ("first-party",), "third": ("third-party",), "datasecurity": ("security",),
    "dataretention": ("retention",), "user_access": ("access",), "user_choice": ("choice",),
    "other": ("change", "do-not-track", "audiences", "introduction", "contact", "not-covered"),
}  # fmt: skip
_RELEVANT, _MARKS = "Relevant", {"Relevant", "Irrelevant", "None", ""}
_MARKED = re.compile(r"Ann\d+|Any_Relevant|Label")
_LAST_NUMBER = re.compile(r"(?:^|_)(\d+)$")

# The places each expert marked, by question; those who were not asked are left out.
Experts = dict[str, tuple[frozenset[int], ...]]
Row = dict[str, str]


def load(folder: Path) -> list[Sheet]:
    """Read a folder: policies in the order in which questions name them."""
    path, labels = folder / "segments.tsv", folder / "qrels_any_relevant.tsv"
    segments: dict[str, dict[int, Row]] = defaultdict(dict)
    for row in table(path, ("DocID", "SentIdx", "Segment")):
        segments[row["DocID"]][_number(row, "SentIdx", path)] = row
    is_labelled = labels.is_file()
    marked: dict[str, set[int]] = defaultdict(set)
    for row in table(labels, ("QueryID", "SentIdx")) if is_labelled else ():
        marked[row["QueryID"]].add(_number(row, "SentIdx", labels))
    sheets = []
    for policy, asked in _grouped(table(folder / "questions.tsv", ("QueryID", "DocID", "Query")), "DocID").items():
        if policy not in segments:
            raise NoData(f"{path} has no segments of {policy!r}, which there are questions on")
        own = sorted(segments[policy].items())
        candidates = tuple(place for place, (_, row) in enumerate(own) if row.get("labels_complete", "1") == "1")
        questions = []
        for row in asked:
            relevant = frozenset(place for place in candidates if own[place][0] in marked[row["QueryID"]])
            questions.append(Question(row["QueryID"], row["Query"], candidates, relevant if is_labelled else None))
        sheets.append(_sheet(policy, {number: row["Segment"] for number, row in own}, questions))
    return sheets


def load_published(path: Path) -> tuple[list[Sheet], Experts]:
    """Read the published table; the sentences that a question's rows name are its candidates."""
    rows = table(path, ("DocID", "QueryID", "SentID", "Query", "Segment"))
    sheets, experts = [], {}
    for policy, of_policy in _grouped(rows, "DocID").items():
        texts = {_number(row, "SentID", path): row["Segment"] for row in of_policy}
        place = {number: where for where, number in enumerate(sorted(texts))}
        questions = []
        for name, own in _grouped(of_policy, "QueryID").items():
            places = [place[_number(row, "SentID", path)] for row in own]
            columns = {column: _marked(own, column, places, path) for column in own[0] if _MARKED.fullmatch(column)}
            marks = {column: marked for column, marked in columns.items() if marked is not None}
            experts[name] = tuple(marked for column, marked in marks.items() if column.startswith("Ann"))
            by_any = frozenset().union(*experts[name]) if experts[name] else None
            relevant = marks.get("Any_Relevant", marks.get("Label", by_any))
            questions.append(Question(name, own[0]["Query"], tuple(sorted(places)), relevant))
        sheets.append(_sheet(policy, texts, questions))
    return sheets, experts


def flagged_questions(path: Path) -> list[LabelledQuestion]:
    """Return the questions of a table with flags, as questions with categories."""
    questions = []
    for row in table(path, ("DocID", "QueryID", "Query", *FLAGS)):
        categories = frozenset(name for flag, names in FLAGS.items() if row[flag] == "1" for name in names)
        questions.append(LabelledQuestion(row["QueryID"], row["Query"], categories, group=row["DocID"]))
    return questions


def held_apps() -> frozenset[str]:
    """Return the apps whose questions no mapper is trained on, by their DocID."""
    return listed_ids("question_mapping_test")


def _grouped(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[column]].append(row)
    return groups


def _sheet(policy: str, texts: dict[int, str], questions: list[Question]) -> Sheet:
    numbers = tuple(sorted(texts))
    return Sheet(policy, sentences(("", texts[number]) for number in numbers), numbers, tuple(questions))


def _number(row: Row, column: str, path: Path) -> int:
    """Return the number of a sentence, which its id ends in: "Fiverr _1_12"."""
    match = _LAST_NUMBER.search(row[column])
    if match is None:
        raise NoData(f"{path} has {row[column]!r} as {column!r}, which does not end in a number")
    return int(match[1])


def _marked(rows: list[Row], column: str, places: list[int], path: Path) -> frozenset[int] | None:
    """Return which of the rows' places are marked in a column; None where nothing was said of any."""
    for row in rows:
        if row[column] not in _MARKS:
            raise NoData(f"{path} has {row[column]!r} as {column}; Relevant, Irrelevant and None are known")
    if not any(row[column] in {_RELEVANT, "Irrelevant"} for row in rows):
        return None
    return frozenset(place for place, row in zip(places, rows, strict=True) if row[column] == _RELEVANT)
