from __future__ import annotations

import pytest

from smallprint.evaluate.verdict_measures import Said, Truth, answer_measures, verdict_measures

# (given, confidence, shown), (true, cites, answers)
PAIRS = [
    (Said("yes", 0.9, (1,)), Truth(("yes",), frozenset({1}))),
    (Said("yes", 0.8, (2,)), Truth(("no",), frozenset({2}))),
    (Said("no", 0.7, (9,)), Truth(("no",), frozenset({3}))),
    (Said("silent", 0.6), Truth(("silent",))),
    (Said("silent", 0.5), Truth(("depends",), frozenset({4}))),
    (Said("not sure", 0.4, (5,), "yes"), Truth(("yes",), frozenset({5}))),
    (Said("depends", 0.3, ()), Truth(("silent", "depends"), frozenset({6}))),
    (Said("not a privacy question", 0.2, (), "silent"), Truth(("silent",))),
]


def test_every_measure():
    found = verdict_measures(PAIRS)
    assert found["n"] == 8
    assert found["accuracy"] == pytest.approx(4 / 8)  # what is accepted becomes the truth
    assert found["opposed"] == pytest.approx(1 / 8)
    # yes: 1 of 2 given and 2 true; no: 1 of 1 and 2; silent: 1 of 2 and 2; depends: 1 of 1 and 2
    assert found["macro_F1"] == pytest.approx((2 / 4 + 2 / 3 + 2 / 4 + 2 / 3) / 4)
    assert found["silent_precision"] == pytest.approx(1 / 2)
    assert found["silent_recall"] == pytest.approx(1 / 2)
    assert found["said_precision"] == pytest.approx(2 / 3)
    assert found["said_coverage"] == pytest.approx(3 / 4)
    # Four are truly yes or no: of the two surest said so one is right, of the three surest two.
    assert found["said_precision_at_40"] == pytest.approx(1 / 2)
    assert found["said_precision_at_60"] == pytest.approx(2 / 3)
    # Three right verdicts are not "silent": one cites what it may, one something else, one nothing.
    assert found["cited"] == pytest.approx(1 / 3)
    right = [1, 0, 1, 1, 0, 1, 1, 1]
    stated = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    assert found["Brier"] == pytest.approx(sum((a - b) ** 2 for a, b in zip(right, stated, strict=True)) / 8)
    bins = [[7, 6], [5, 4], [3, 2], [1], [0]]
    error = sum(abs(sum(right[i] - stated[i] for i in own)) for own in bins) / 8
    assert found["ECE"] == pytest.approx(error)


def test_a_share_of_nothing_is_none():
    found = verdict_measures([])
    assert found.pop("n") == 0
    assert set(found.values()) == {None}
    assert verdict_measures(PAIRS[3:4])["said_precision"] is None


def test_what_is_never_said_so_often_has_no_precision():
    found = verdict_measures([*PAIRS[:1], *[(Said("silent", 0.5), Truth(("no",)))] * 1])
    assert found["said_precision_at_40"] == 1.0
    assert found["said_precision_at_60"] is None


def test_the_sentences_shown_and_silence():
    found = answer_measures([
        (Said("yes", 0.9, (4, 5, 1)), Truth(("yes",), answers=frozenset({1}))),
        (Said("told", 0.9, (1, 2)), Truth(("told",), answers=frozenset({1}))),
        (Said("not sure", 0.9, ()), Truth(("no",), answers=frozenset({1}))),
        (Said("silent", 0.9), Truth(("silent",))),
        (Said("not sure", 0.9), Truth(("silent",))),
        (Said("yes", 0.9), Truth(("silent",))),
    ])  # fmt: skip
    assert found == {
        "first_three": pytest.approx(2 / 3), "top_1": pytest.approx(1 / 3),
        "silent_not_answered": pytest.approx(2 / 3), "answered_kept": pytest.approx(2 / 3),
    }  # fmt: skip
