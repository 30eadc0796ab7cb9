from __future__ import annotations

import numpy as np
import pytest

from smallprint.evaluate.measures import auc, brier, calibration_error, classified, overlap, precision_recall_f1


@pytest.mark.parametrize(
    ("truth", "chosen", "expected"),
    [
        ([1, 1, 0, 0], [1, 0, 1, 0], (1 / 2, 1 / 2, 1 / 2)),
        ([1, 1, 1, 0], [1, 1, 0, 0], (1.0, 2 / 3, 0.8)),
        ([1, 0, 0], [1, 1, 1], (1 / 3, 1.0, 1 / 2)),
        ([1, 1], [0, 0], (0.0, 0.0, 0.0)),
        ([0, 0], [1, 1], (0.0, 0.0, 0.0)),
        ([0, 0], [0, 0], (0.0, 0.0, 0.0)),
        ([1, 0], [0, 1], (0.0, 0.0, 0.0)),
        ([], [], (0.0, 0.0, 0.0)),
    ],
)
def test_precision_recall_and_f1(truth, chosen, expected):
    assert precision_recall_f1(truth, chosen) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("truth", "scores", "expected"),
    [
        ([0, 1], [0.1, 0.9], 1.0),
        ([1, 0], [0.1, 0.9], 0.0),
        ([1, 0], [0.5, 0.5], 0.5),
        # Pairs of a true and a false one: 0.8 beats both, 0.4 ties with one and loses to none but beats 0.2.
        ([1, 1, 0, 0], [0.8, 0.4, 0.4, 0.2], (2 + 0.5 + 1) / 4),
        ([1, 0, 1, 0, 1], [3, 3, 3, 1, 2], (1.5 + 1.5 + 1) / 6),
        ([1, 1], [0.1, 0.2], 0.5),
        ([0], [0.1], 0.5),
        ([], [], 0.5),
    ],
)
def test_area_under_the_curve(truth, scores, expected):
    assert auc(truth, scores) == pytest.approx(expected)


def test_area_under_the_curve_is_what_counting_pairs_gives():
    chance = np.random.default_rng(3)
    truth, scores = chance.random(200) < 0.3, chance.integers(0, 20, 200) / 20
    pairs = [(a > b) + (a == b) / 2 for a in scores[truth] for b in scores[~truth]]
    assert auc(truth, scores) == pytest.approx(sum(pairs) / len(pairs))


def test_brier_score():
    assert brier([1, 0, 1], [0.9, 0.2, 0.5]) == pytest.approx((0.01 + 0.04 + 0.25) / 3)
    assert brier([1, 0], [1, 0]) == 0.0


def test_calibration_error():
    # Two in the bin of 0.9 (said 0.93, true 0.5), two in that of 0.1 (said 0.15, true 0).
    assert calibration_error([1, 0, 0, 0], [0.92, 0.94, 0.12, 0.18]) == pytest.approx(0.5 * 0.43 + 0.5 * 0.15)
    # What is certain falls into the last bin and not into one of its own.
    assert calibration_error([1, 1], [1.0, 0.95]) == pytest.approx(0.025)
    assert calibration_error([1, 0], [1.0, 0.0]) == 0.0
    assert calibration_error([], []) == 0.0


def test_all_of_a_classifier():
    assert classified([True, True, False, False], [0.9, 0.5, 0.4, 0.6], threshold=0.5) == {
        "precision": pytest.approx(2 / 3),
        "recall": 1.0,
        "F1": pytest.approx(0.8),
        "AUC": pytest.approx(3 / 4),
        "Brier": pytest.approx((0.01 + 0.25 + 0.16 + 0.36) / 4),
        "ECE": pytest.approx((0.1 + 0.5 + 0.4 + 0.6) / 4),
    }


@pytest.mark.parametrize(
    ("reference", "extracted", "expected"),
    [
        ("a b c d e f", "a b c d e f", (1.0, 1.0, 1.0)),
        ("A, b; c d! e f", "a b c d e f", (1.0, 1.0, 1.0)),
        ("a b c d e f", "a b c d e x y", (1 / 2, 1 / 3, 2 / 5)),
        ("a b c d e", "v w x y z", (0.0, 0.0, 0.0)),
        ("a b c d e", "", (0.0, 0.0, 0.0)),
        ("", "a b c d e", (0.0, 0.0, 0.0)),
        ("", "", (0.0, 0.0, 0.0)),
        ("a b", "a b", (1.0, 1.0, 1.0)),  # fewer than five words are one shingle
    ],
)
def test_overlap_of_shingles(reference, extracted, expected):
    assert overlap(reference, extracted) == pytest.approx(expected)
