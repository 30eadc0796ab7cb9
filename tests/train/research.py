"""Research data of a toy's size in the layouts of the real ones, and vectors of texts that share words."""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from smallprint.datasets import smallprint_qa
from smallprint.text import words

WIDTH = 16
FLAGS = ("first", "third", "datasecurity", "dataretention", "user_access", "user_choice", "other")


def read(texts: Sequence[str]) -> NDArray[np.float32]:
    """Give a row of length 1 a text: the sum of rows that its words alone decide."""
    rows = [sum((_row(word) for word in words(text)), np.full(WIDTH, 1e-3)) for text in texts]
    return np.array([row / np.linalg.norm(row) for row in rows], dtype=np.float32).reshape(-1, WIDTH)


@cache
def _row(word: str) -> NDArray[np.float64]:
    return np.random.default_rng(zlib.crc32(word.encode())).normal(size=WIDTH)


def mark(value: str, text: str, start: int = 0) -> dict[str, Any]:
    """Make what an annotator of OPP-115 marked for one attribute."""
    return {"value": value, "selectedText": text, "startIndexInSegment": start, "endIndexInSegment": start + len(text)}


def annotations(data: Path, policy: str, *rows: tuple[str, dict[str, Any]]) -> None:
    """Write OPP-115's annotations of a policy: categories with their attributes."""
    folder = data / "labelled" / "opp115" / "annotations"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{policy}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        for name, attributes in rows:
            writer.writerow(["1", "b", "2", "7", "0", name, json.dumps(attributes), "d", "u"])


def policyqa(data: Path, *rows: tuple[str, str, str]) -> None:
    """Write PolicyQA's training questions: policy, question and label."""
    found = [
        {
            "title": policy,
            "paragraphs": [{"context": "Text.", "qas": [{"id": str(n), "question": asked, "type": kind}]}],
        }
        for n, (policy, asked, kind) in enumerate(rows)
    ]
    folder = data / "labelled" / "policyqa"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train_rebuilt.json").write_text(json.dumps({"data": found}), encoding="utf-8")


def privacyqa(data: Path, *rows: tuple[str, str, str]) -> None:
    """Write PrivacyQA's training questions: app, question and the flags that are set."""
    lines = ["\t".join(("DocID", "QueryID", "Query", *FLAGS))]
    for number, (app, asked, flags) in enumerate(rows):
        lines.append("\t".join((app, str(number), asked, *(str(int(flag in flags.split())) for flag in FLAGS))))
    folder = data / "labelled" / "privacyqa"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train_questions.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def own_questions(data: Path, sentences: Sequence[str], *rows: tuple[str, str, list[int]]) -> None:
    """Write smallprint_qa: one policy, and questions on it with their states and answers."""
    folder = data / "labelled" / "smallprint_qa"
    folder.mkdir(parents=True, exist_ok=True)
    policy = {"policy": "toy", "sentences": [{"index": n, "text": text} for n, text in enumerate(sentences)]}
    asked = [
        {"id": str(n), "policy": "toy", "question": text, "source": "own", "state": state, "answers": answers}
        for n, (text, state, answers) in enumerate(rows)
    ]
    for name, found in ((smallprint_qa.POLICIES, [policy]), (smallprint_qa.QUESTIONS, asked)):
        (folder / name).write_bytes(zstandard.compress("".join(json.dumps(row) + "\n" for row in found).encode()))
