"""The labelled passages that the encoder is trained on, without what is kept for evaluation.

Three collections teach it: OPP-115's segments (all labels), AppCorp's paragraphs (one of eleven topics each, which help
with what is rare in OPP-115), and PI-Extract's sentences (whether data are collected or shared, or are not).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.datasets import appcorp, pi_extract
from smallprint.datasets.kept_out import held_out_policies
from smallprint.datasets.opp115 import FOLDER, Passage, passages
from smallprint.models.labels import COLUMNS, PARENT, column
from smallprint.taxonomy import CATEGORIES, POLARITY

CATEGORY_COUNT = len(CATEGORIES)


@dataclass(frozen=True, slots=True)
class Example:
    """A text and what a model is to say of it; `weights` is 0 for what nobody knows."""

    text: str
    group: str
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]
    topic: int = -1


def opp115_examples(data: Path) -> list[Example]:
    """Return OPP-115's segments, but for those of policies that are held out."""
    held_out = held_out_policies(data)
    return [example(passage) for passage in passages(data / FOLDER) if passage.policy not in held_out]


def example(passage: Passage) -> Example:
    """Turn votes into targets: a category's share of all annotators, a value's of those who gave its category."""
    people = max(passage.annotators, 2)
    votes = np.array([passage.votes.get(label, 0) for label in COLUMNS], dtype=np.float32)
    seen = votes[PARENT]
    targets = votes / np.where(np.arange(len(COLUMNS)) < CATEGORY_COUNT, people, np.maximum(seen, 1))
    weights = np.where(np.arange(len(COLUMNS)) < CATEGORY_COUNT, 1.0, seen / people)
    return Example(passage.text, passage.policy, targets.astype(np.float32), weights.astype(np.float32))


def appcorp_examples(data: Path) -> list[Example]:
    """Return AppCorp's paragraphs with their topics."""
    nothing = np.zeros(len(COLUMNS), dtype=np.float32)
    return [
        Example(paragraph.text, f"appcorp:{paragraph.fold}", nothing, nothing, paragraph.topic)
        for paragraph in appcorp.training(data)
    ]


def polarity_examples(data: Path, allowed: list[Example]) -> list[Example]:
    """Return PI-Extract's sentences on collecting and sharing, only those in the OPP-115 policies allowed."""
    groups = sorted({example.group for example in allowed})
    known = {group: _bare(" ".join(e.text for e in allowed if e.group == group)) for group in groups}
    examples = []
    for sentence, labels in sorted(pi_extract.sentences(data).items()):
        group = next((group for group, text in known.items() if _bare(sentence) in text), None)
        if group is None:
            continue
        targets, weights = (np.zeros(len(COLUMNS), dtype=np.float32) for _ in range(2))
        for label in POLARITY:
            targets[column(label)] = label in labels
            weights[column(label)] = any(other.category == label.category for other in labels)
        examples.append(Example(sentence, group, targets, weights))
    return examples


def _bare(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())
