"""Measures of rankings and of chosen sentences over many questions, each with a 95 % bootstrap interval.

A ranking is given as the truth of its items, the best first. F@k and top-k are the share of questions with something
relevant among the first k, P@k the share of the first k that is relevant; a question with nothing relevant counts 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
# A value, or the two ends of its interval.
Figures = dict[str, float | list[float]]

RANKED = ("F@5", "F@10", "P@5", "P@10", "MRR", "NDCG@10", "MAP", "top-1", "top-2", "top-3", "top-4")
SELECTED = ("selection_precision", "selection_recall", "selection_F1", "macro_F1")
RESAMPLES, SEED = 1000, 20_261_116
ENDS = (2.5, 97.5)


def best_first(scores: ArrayLike) -> Places:
    """Give the places of scores from the greatest to the least; equal ones stay in their order."""
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
    rows = np.array([ranking(one) for one in rankings]).reshape(-1, len(RANKED))
    answerable = np.array([bool(np.any(one)) for one in rankings], dtype=bool)
    return means(RANKED, rows) | means([f"{name}_answerable" for name in RANKED], rows[answerable])


def means(names: Sequence[str], rows: Floats) -> Figures:
    """Give the mean of each column, a row a question; nothing where there are no rows."""
    return with_intervals(names, lambda which: rows[which].mean(axis=0), len(rows)) if len(rows) else {}


def selected(truth: Sequence[ArrayLike], chosen: Sequence[ArrayLike]) -> Figures:
    """Measure what was chosen over all pairs of a question and a sentence; macro-F1 is the mean of both classes."""
    pairs = [(np.asarray(t, dtype=bool), np.asarray(c, dtype=bool)) for t, c in zip(truth, chosen, strict=True)]
    counts = np.array([((t & c).sum(), c.sum(), t.sum(), t.size) for t, c in pairs], dtype=np.float64).reshape(-1, 4)
    if not len(counts):
        return {}
    return with_intervals(SELECTED, lambda which: _selection(counts[which].sum(axis=0)), len(counts))


def with_intervals(names: Sequence[str], measure: Callable[[Places], ArrayLike], count: int) -> Figures:
    """Measure all of so many items, and draws of as many from them: `NAME` and `NAME_ci`; the draws are seeded.

    `measure` is given the places of items, some more than once, and gives a figure a name; NaN where there is none.
    """
    whole = np.atleast_1d(np.asarray(measure(np.arange(count)), dtype=np.float64))
    draws = np.random.default_rng(SEED).integers(0, count, size=(RESAMPLES, count))
    found = np.array([np.atleast_1d(np.asarray(measure(draw), dtype=np.float64)) for draw in draws])
    ends = np.nanpercentile(found, ENDS, axis=0)
    figures: Figures = {}
    for place, name in enumerate(names):
        figures[name] = float(whole[place])
        figures[f"{name}_ci"] = [float(ends[0, place]), float(ends[1, place])]
    return figures


def threshold_at(scores: ArrayLike, share: float) -> float:
    """Give the greatest threshold that so large a share of the scores still reaches."""
    ordered = np.sort(np.asarray(scores, dtype=np.float64))[::-1]
    return float(ordered[max(0, int(np.ceil(share * len(ordered) - 1e-9)) - 1)])


def _selection(totals: Floats) -> tuple[float, float, float, float]:
    hits, chosen, relevant, pairs = totals
    f1, others = _f1(hits, chosen, relevant), _f1(pairs - chosen - relevant + hits, pairs - chosen, pairs - relevant)
    return _ratio(hits, chosen), _ratio(hits, relevant), f1, (f1 + others) / 2


def _f1(hits: float, chosen: float, relevant: float) -> float:
    return _ratio(2 * hits, chosen + relevant)


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0
