"""Closed question answering: the label a question is mapped to, and the sentences that carry it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.practices import PARENT
from smallprint.taxonomy import CATEGORIES, LABELS


def best_label(question: NDArray[np.float32]) -> int:
    """Give the column of the value that is likeliest under the likeliest category; the category's where it has none."""
    category = int(question[: len(CATEGORIES)].argmax())
    under = [place for place in range(len(CATEGORIES), len(LABELS)) if PARENT[place] == category]
    return max(under, key=lambda place: float(question[place])) if under else category


def scores(question: NDArray[np.float32], sentences: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give the probability that each sentence carries the label; the category alone counts half."""
    label = best_label(question)
    category = sentences[:, PARENT[label]]
    if label == PARENT[label]:
        return category
    return np.asarray(category * (1 + sentences[:, label]) / 2, dtype=np.float32)
