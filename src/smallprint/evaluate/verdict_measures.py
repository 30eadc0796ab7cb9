"""Measures of what is said on yes-no questions, on open ones, and of the sentences that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from smallprint.evaluate.measures import brier

NOT_SURE, FOREIGN, SILENT, TOLD = "not sure", "not a privacy question", "silent", "told"
SAID = frozenset({"yes", "no"})
UNANSWERED = frozenset({SILENT, NOT_SURE, FOREIGN})
BINS = 5
# So many of the sentences that are shown are looked at.
FIRST = 3

# Shares of the questions whose true answer is yes or no, at which it is looked how often the surest answers are right.
COVERED = (0.4, 0.6)

# A share of nothing is None.
Measures = dict[str, float | int | None]


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of a question: a verdict or that nobody is sure, and the sentences shown for it, the best first.

    `leaning` is what would have been said by somebody who has to; `confidence` is how likely that is right.
    """

    verdict: str
    confidence: float
    shown: tuple[int, ...] = ()
    leaning: str = ""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a question: its verdicts, the best first, "told" and "silent" for an open one.

    `cites` are the sentences that a right verdict may rest on, `answers` those that one would quote.
    """

    verdicts: tuple[str, ...]
    cites: frozenset[int] = frozenset()
    answers: frozenset[int] = frozenset()

    def given(self, verdict: str) -> str:
        """Return what counts as true where this was said."""
        return verdict if verdict in self.verdicts else self.verdicts[0]


Pair = tuple[Said, Truth]


def verdict_measures(pairs: Sequence[Pair]) -> Measures:
    """Measure verdicts on yes-no questions."""
    truths = [truth.given(said.verdict) for said, truth in pairs]
    given = [said.verdict for said, _ in pairs]
    both = list(zip(given, truths, strict=True))
    opposed = [{own, true} == SAID for own, true in both]
    silent = [own == SILENT for own in given]
    spoken = [own in SAID for own in given]
    cited = [
        said.shown[:1] != () and said.shown[0] in truth.cites
        for (said, truth), (own, true) in zip(pairs, both, strict=True)
        if own == true != SILENT
    ]
    return {
        "accuracy": share(own == true for own, true in both),
        "opposed": share(opposed),
        "macro_F1": _macro_f1(both),
        "silent_precision": share(true == SILENT for (_, true), own in zip(both, silent, strict=True) if own),
        "silent_recall": share(own == SILENT for own, true in both if true == SILENT),
        "said_precision": share(own == true for (own, true), yes in zip(both, spoken, strict=True) if yes),
        "said_coverage": share(own in SAID for own, true in both if true in SAID),
        "cited": share(cited),
        **{f"said_precision_at_{covered:.0%}".rstrip("%"): _of_the_surest(pairs, covered) for covered in COVERED},
        **calibration(pairs),
        "n": len(pairs),
    }


def _of_the_surest(pairs: Sequence[Pair], covered: float) -> float | None:
    """Return how often yes and no are right, the surest first, where so large a share of the true ones is said so."""
    leanings = [(said.leaning or said.verdict, said.confidence, truth) for said, truth in pairs]
    ordered = sorted((own for own in leanings if own[0] in SAID), key=lambda own: -own[1])
    wanted = covered * sum(truth.given(own) in SAID for own, _, truth in leanings)
    reached, right = 0, []
    for own, _, truth in ordered:
        if reached >= wanted:
            break
        true = truth.given(own)
        reached += true in SAID
        right.append(own == true)
    return share(right) if reached >= wanted else None


def calibration(pairs: Sequence[Pair]) -> Measures:
    """Measure the confidence that a verdict is right, in five bins of equal size, and its Brier score."""
    if not pairs:
        return {"ECE": None, "Brier": None}
    leanings = [(said.leaning or said.verdict, truth) for said, truth in pairs]
    right = np.array([own == truth.given(own) for own, truth in leanings], dtype=float)
    stated = np.array([said.confidence for said, _ in pairs], dtype=float)
    order = np.argsort(stated, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    error = sum(abs(right[part].mean() - stated[part].mean()) * len(part) for part in parts) / len(pairs)
    return {"ECE": float(error), "Brier": brier(right, stated)}


def answer_measures(pairs: Sequence[Pair]) -> Measures:
    """Measure the sentences shown for what is answered, and whether silence is told from answers."""
    answered = [(said, truth) for said, truth in pairs if truth.verdicts[0] != SILENT]
    silent = [said for said, truth in pairs if truth.verdicts[0] == SILENT]
    quoted = [(said.shown, truth.answers) for said, truth in answered]
    return {
        "first_three": share(not answers.isdisjoint(shown[:FIRST]) for shown, answers in quoted),
        "top_1": share(not answers.isdisjoint(shown[:1]) for shown, answers in quoted),
        "silent_not_answered": share(said.verdict in {SILENT, NOT_SURE} for said in silent),
        "answered_kept": share(said.verdict not in {SILENT, NOT_SURE} for said, _ in answered),
    }


def share(which: Iterable[bool]) -> float | None:
    """Return the share of what holds; None of nothing."""
    held = list(which)
    return fmean(held) if held else None


def _macro_f1(both: Sequence[tuple[str, str]]) -> float | None:
    scores = []
    for verdict in {true for _, true in both}:
        hits = both.count((verdict, verdict))
        named = sum(own == verdict for own, _ in both) + sum(true == verdict for _, true in both)
        scores.append(2 * hits / named)
    return fmean(scores) if scores else None
