from __future__ import annotations

import numpy as np
import pytest

from smallprint.ask.ranking.features import CHEAP, FULL, PARTS
from smallprint.models.logistic import sigmoid

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make train-install'")

from scipy.optimize import check_grad

from smallprint.train.combiner import Rows, _best_threshold, _looks, _loss, logistic, ordered


def test_what_is_left_out_weighs_nothing():
    luck = np.random.default_rng(1)
    features = luck.normal(size=(600, len(CHEAP))).astype(np.float32)
    rows = Rows(features, features[:, 0] > 1, np.ones(600), np.repeat(np.arange(60), 10), np.repeat(np.arange(6), 100))
    found = _looks("first", CHEAP, rows)
    for part, columns in PARTS.items():
        weights = found[f"first without {part}_weights"]
        for place, column in enumerate(CHEAP):
            assert (weights[place] == 0) == (column in columns), (part, column)
    assert {column for columns in PARTS.values() for column in columns} == set(FULL)


def test_the_best_threshold_parts_the_two():
    said = np.array([0.1, 0.2, 0.3, 0.6, 0.7])
    truth = np.array([False, False, False, True, True])
    assert _best_threshold(said, truth, [0.05, 0.25, 0.45, 0.65]) == 0.45


# Fitting weights


LUCK = np.random.default_rng(1)


@pytest.fixture
def rows():
    features = LUCK.normal(size=(600, 6)).astype(np.float32)
    features[:, 0] = 5 + 3 * features[:, 0]
    truth = LUCK.random(600) < sigmoid(features[:, 0] - 5 + features[:, 3])
    return Rows(features, truth, np.ones(600), np.repeat(np.arange(60), 10), np.repeat(np.arange(6), 100))


def test_weights_are_for_the_features_as_they_are(rows):
    found = logistic("first", rows.features, rows.truth, rows.policies)
    weights, bias = found.arrays["first_weights"], found.arrays["first_bias"]
    assert weights[0] == pytest.approx(1, abs=0.2)
    assert weights[3] == pytest.approx(1, abs=0.35)
    assert np.abs(np.delete(weights, [0, 3])).max() < 0.3
    said = sigmoid(rows.features @ weights + bias)
    assert said.mean() == pytest.approx(rows.truth.mean(), abs=0.02)


def test_what_is_said_of_a_policy_is_by_weights_that_have_not_seen_it(rows):
    odd = rows.policies == 0
    found = logistic("first", rows.features, np.where(odd, ~rows.truth, rows.truth), rows.policies)
    assert ((found.predicted[~odd] > 0.5) == rows.truth[~odd]).mean() > 0.7
    assert ((found.predicted[odd] > 0.5) == rows.truth[odd]).mean() > 0.7  # its own, upside down, were not learnt from


def test_the_slope_is_the_slope_of_the_loss(rows):
    def loss(found):
        return _loss(found, rows, 2.0)[0]

    def slope(found):
        return _loss(found, rows, 2.0)[1]

    assert check_grad(loss, slope, LUCK.normal(size=7) / 10) < 1e-2


def test_the_order_is_that_within_a_question(rows):
    level = np.repeat(LUCK.normal(size=60) * 20, 10)  # of the question, not of its sentences
    features = rows.features.copy()
    features[:, 1] = level
    features[:, 2] = rows.features[:, 0] - 5 + level
    truth = rows.features[:, 0] > 7
    found = ordered("full", Rows(features, truth, rows.weights, rows.questions, rows.policies))
    said = features @ found["full_weights"] + found["full_bias"]
    for question in range(60):
        own = rows.questions == question
        if truth[own].any():
            assert truth[own][np.argmax(said[own])]


def test_questions_that_nothing_bears_on_count_as_well(rows):
    silent = rows.questions >= 30
    truth = rows.truth & ~silent
    features = rows.features.copy()
    features[:, 5] = silent
    found = ordered("full", Rows(features, truth, rows.weights, rows.questions, rows.policies))
    said = features @ found["full_weights"] + found["full_bias"]
    assert said[silent].mean() < said[~silent].mean() - 1
    assert found["full_weights"][5] < 0
