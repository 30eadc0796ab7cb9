"""PolicyQA: questions on passages of policies and the words that answer them, in SQuAD's layout (Ahmad et al. 2020)."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smallprint.datasets.kept_out import excluded
from smallprint.errors import NoData
from smallprint.taxonomy import Label, category

DEVELOPMENT, TRAINING = Path("labelled/policyqa/dev.json"), Path("labelled/policyqa/train_rebuilt.json")


@dataclass(frozen=True, slots=True)
class Passage:
    """A question on a passage; `answers` are texts, None if nobody labelled it, and `type` is OPP-115's label for it.

    `spans` are the half-open ranges of the answers whose place is given and holds their text.
    """

    id: str
    policy: str
    question: str
    context: str
    answers: tuple[str, ...] | None
    type: str = ""
    spans: tuple[tuple[int, int], ...] = ()


def load(path: Path) -> list[Passage]:
    """Return the questions of a file, passage by passage."""
    try:
        return [
            _passage(row, str(policy.get("title", "")), str(paragraph["context"]))
            for policy in json.loads(path.read_text(encoding="utf-8"))["data"]
            for paragraph in policy["paragraphs"]
            for row in paragraph["qas"]
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoData(f"{path} is no file of questions on passages ({error!r}); give one in SQuAD's layout") from None


def training(data: Path) -> list[Passage]:
    """Return the questions on policies that may be trained on."""
    kept_out = excluded(data)
    return [passage for passage in load(data / TRAINING) if passage.policy not in kept_out]


def wordings(data: Path) -> dict[str, Counter[Label]]:
    """Return the training wordings with how often each was used for a label, whose category alone must be ours."""
    counts: dict[str, Counter[Label]] = defaultdict(Counter)
    for passage in training(data):
        try:
            name, attribute, value = passage.type.split("|||")
            counts[passage.question][Label(category(name).id, attribute, value)] += 1
        except (ValueError, KeyError):
            raise NoData(f"PolicyQA's question {passage.id} has the type {passage.type!r}, which is no label") from None
    return dict(counts)


def _passage(row: dict[str, Any], title: str, context: str) -> Passage:
    """Read a question; one that is marked as impossible (SQuAD 2) is to be answered with nothing."""
    marked = row.get("answers") or ()
    answers = ("",) if row.get("is_impossible") else tuple(str(answer["text"]) for answer in marked) or None
    starts = [(int(answer["answer_start"]), str(answer["text"])) for answer in marked if "answer_start" in answer]
    spans = tuple((start, start + len(text)) for start, text in starts if text and context.startswith(text, start))
    return Passage(str(row["id"]), title, str(row["question"]), context, answers, str(row.get("type") or ""), spans)
