"""Measures of classifiers, extractors, rankings and chosen sentences; the last two with 95 % bootstrap intervals.

A ranking is given as the truth of its items, the best first. F@k and top-k are the share of questions with something
relevant among the first k, P@k the share of the first k that is relevant; a question with nothing relevant counts 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smallprint.text import shingles, word_hashes

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
# A value, or the two ends of its interval.
Figures = dict[str, float | list[float]]

BINS = 10
RANKED = ("F@5", "F@10", "P@5", "P@10", "MRR", "NDCG@10", "MAP", "top-1", "top-2", "top-3", "top-4")
SELECTED = ("selection_precision", "selection_recall", "selection_F1", "macro_F1")
RESAMPLES, SEED = 1000, 20_261_116
ENDS = (2.5, 97.5)


def harmonic(precision: float, recall: float) -> float:
    """Return F1 from precision and recall; 0 where both are."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def precision_recall_f1(truth: ArrayLike, chosen: ArrayLike) -> tuple[float, float, float]:
    """Return precision, recall and F1; 0 where nothing was chosen or nothing is true."""
    true, picked = np.asarray(truth, dtype=bool), np.asarray(chosen, dtype=bool)
    hits = float((true & picked).sum())
    precision = hits / picked.sum() if picked.any() else 0.0
    recall = hits / true.sum() if true.any() else 0.0
    return precision, recall, harmonic(precision, recall)


def auc(truth: ArrayLike, scores: ArrayLike) -> float:
    """Return the area under the ROC curve; ties count half, and a single class gives 0.5."""
    true, score = np.asarray(truth, dtype=bool), np.asarray(scores, dtype=float)
    positives, negatives = int(true.sum()), int((~true).sum())
    if not positives or not negatives:
        return 0.5
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float((ranks[true].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def brier(truth: ArrayLike, probabilities: ArrayLike) -> float:
    """Return the mean squared distance of probabilities from the truth."""
    return float(np.mean((np.asarray(truth, dtype=float) - np.asarray(probabilities, dtype=float)) ** 2))


def calibration_error(truth: ArrayLike, probabilities: ArrayLike) -> float:
    """Return the expected calibration error over ten bins of equal width."""
    true, stated = np.asarray(truth, dtype=float), np.asarray(probabilities, dtype=float)
    bins = np.minimum((stated * BINS).astype(int), BINS - 1)
    parts = [(bins == number) for number in range(BINS)]
    return float(sum(abs(true[part].mean() - stated[part].mean()) * part.mean() for part in parts if part.any()))


def rates(truth: ArrayLike, chosen: ArrayLike, prefix: str = "") -> dict[str, float]:
    """Return precision, recall and F1 by name."""
    names = (f"{prefix}precision", f"{prefix}recall", f"{prefix}F1")
    return dict(zip(names, precision_recall_f1(truth, chosen), strict=True))


def classified(truth: Sequence[bool], probabilities: Sequence[float], threshold: float) -> dict[str, float]:
    """Return every measure of a classifier that returns probabilities."""
    return {
        **rates(truth, np.asarray(probabilities) >= threshold),
        "AUC": auc(truth, probabilities),
        "Brier": brier(truth, probabilities),
        "ECE": calibration_error(truth, probabilities),
    }


def overlap(reference: str, extracted: str) -> tuple[float, float, float]:
    """Return recall, precision and F1 of the 5-word shingles of an extracted text."""
    wanted, extracts = (shingles(word_hashes(text)) for text in (reference, extracted))
    common = len(np.intersect1d(wanted, extracts, assume_unique=True))
    recall, precision = _ratio(common, len(wanted)), _ratio(common, len(extracts))
    return recall, precision, harmonic(precision, recall)


def best_first(scores: ArrayLike) -> Places:
    """Return the places of scores from the greatest to the least; equal ones stay in their order."""
    return np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")


def ranking(relevant: ArrayLike) -> Floats:
    """Measure one ranking, in the order of RANKED; all of it must be given, so that what is relevant can be counted."""
    true = np.asarray(relevant, dtype=bool)
    places = np.flatnonzero(true)
    if not len(places):
        return np.zeros(len(RANKED))
    first, early = int(places[0]), places[places < 10]
    ideal = (1 / np.log2(np.arange(min(len(places), 10)) + 2)).sum()
    precise = (np.arange(len(places)) + 1) / (places + 1)
    return np.array([
        first < 5, first < 10, true[:5].sum() / 5, true[:10].sum() / 10, 1 / (first + 1),
        (1 / np.log2(early + 2)).sum() / ideal, precise.mean(), *(first < k for k in (1, 2, 3, 4)),
    ])  # fmt: skip


def ranked(rankings: Sequence[ArrayLike]) -> Figures:
    """Measure rankings, a question each: over all, and as `F@5_answerable` over those with anything relevant."""
    rows = np.array([ranking(relevant) for relevant in rankings]).reshape(-1, len(RANKED))
    answerable = np.array([bool(np.any(relevant)) for relevant in rankings], dtype=bool)
    return means(RANKED, rows) | means([f"{name}_answerable" for name in RANKED], rows[answerable])


def means(names: Sequence[str], rows: Floats) -> Figures:
    """Return the mean of each column, a row a question; nothing where there are no rows."""
    return with_intervals(names, lambda which: rows[which].mean(axis=0), len(rows)) if len(rows) else {}


def selected(truth: Sequence[ArrayLike], chosen: Sequence[ArrayLike]) -> Figures:
    """Measure what was chosen over all pairs of a question and a sentence; macro-F1 is the mean of both classes."""
    pairs = [(np.asarray(t, dtype=bool), np.asarray(c, dtype=bool)) for t, c in zip(truth, chosen, strict=True)]
    counts = np.array([((t & c).sum(), c.sum(), t.sum(), t.size) for t, c in pairs], dtype=np.float64).reshape(-1, 4)

    def measure(which: Places) -> tuple[float, float, float, float]:
        hits, picked, relevant, pairs = counts[which].sum(axis=0)
        f1 = _ratio(2 * hits, picked + relevant)
        others = _ratio(2 * (pairs - picked - relevant + hits), 2 * pairs - picked - relevant)
        return _ratio(hits, picked), _ratio(hits, relevant), f1, (f1 + others) / 2

    return with_intervals(SELECTED, measure, len(counts)) if len(counts) else {}


def with_intervals(names: Sequence[str], measure: Callable[[Places], ArrayLike], count: int) -> Figures:
    """Measure all of so many items, and draws of as many from them: `NAME` and `NAME_ci`; the draws are seeded."""
    # `measure` is given the places of items, some more than once, and returns a figure a name; NaN where there is none.
    draws = np.random.default_rng(SEED).integers(0, count, size=(RESAMPLES, count))
    rows = np.array([np.atleast_1d(measure(which)) for which in (np.arange(count), *draws)], dtype=np.float64)
    ends = np.nanpercentile(rows[1:], ENDS, axis=0).T.tolist()
    figures: Figures = {}
    for name, value, interval in zip(names, rows[0].tolist(), ends, strict=True):
        figures |= {name: value, f"{name}_ci": interval}
    return figures


def threshold_at(scores: ArrayLike, share: float) -> float:
    """Return the greatest threshold that so large a share of the scores still reaches."""
    ordered = np.sort(np.asarray(scores, dtype=np.float64))[::-1]
    return float(ordered[max(0, int(np.ceil(share * len(ordered) - 1e-9)) - 1)])


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0
