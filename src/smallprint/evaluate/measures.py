"""Measures of classifiers and extractors, written out; ties and empty input are said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smallprint.text import shingles, word_hashes

BINS = 10


def precision_recall_f1(truth: ArrayLike, chosen: ArrayLike) -> tuple[float, float, float]:
    """Give precision, recall and F1; 0 where nothing was chosen or nothing is true."""
    true, picked = np.asarray(truth, dtype=bool), np.asarray(chosen, dtype=bool)
    hits = float((true & picked).sum())
    precision = hits / picked.sum() if picked.any() else 0.0
    recall = hits / true.sum() if true.any() else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


def auc(truth: ArrayLike, scores: ArrayLike) -> float:
    """Give the area under the ROC curve; ties count half, and a single class gives 0.5."""
    true, score = np.asarray(truth, dtype=bool), np.asarray(scores, dtype=float)
    positives, negatives = int(true.sum()), int((~true).sum())
    if not positives or not negatives:
        return 0.5
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float((ranks[true].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def brier(truth: ArrayLike, probabilities: ArrayLike) -> float:
    """Give the mean squared distance of probabilities from the truth."""
    return float(np.mean((np.asarray(truth, dtype=float) - np.asarray(probabilities, dtype=float)) ** 2))


def calibration_error(truth: ArrayLike, probabilities: ArrayLike) -> float:
    """Give the expected calibration error over ten bins of equal width."""
    true, said = np.asarray(truth, dtype=float), np.asarray(probabilities, dtype=float)
    bins = np.minimum((said * BINS).astype(int), BINS - 1)
    parts = [(bins == number) for number in range(BINS)]
    return float(sum(abs(true[part].mean() - said[part].mean()) * part.mean() for part in parts if part.any()))


def classified(truth: Sequence[bool], probabilities: Sequence[float], threshold: float) -> dict[str, float]:
    """Give every measure of a classifier that says probabilities."""
    precision, recall, f1 = precision_recall_f1(truth, np.asarray(probabilities) >= threshold)
    return {
        "precision": precision,
        "recall": recall,
        "F1": f1,
        "AUC": auc(truth, probabilities),
        "Brier": brier(truth, probabilities),
        "ECE": calibration_error(truth, probabilities),
    }


def overlap(reference: str, extracted: str) -> tuple[float, float, float]:
    """Give recall, precision and F1 of the 5-word shingles of an extracted text."""
    wanted, found = _shingles(reference), _shingles(extracted)
    common = len(np.intersect1d(wanted, found, assume_unique=True))
    recall = common / len(wanted) if len(wanted) else 0.0
    precision = common / len(found) if len(found) else 0.0
    return recall, precision, 2 * precision * recall / (precision + recall) if common else 0.0


def _shingles(text: str) -> NDArray[np.uint64]:
    return shingles(word_hashes(text))
