from __future__ import annotations

import numpy as np
import pytest

from smallprint.ask.features import CHEAP, FULL, PARTS
from smallprint.models.logistic import sigmoid

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make train-install'")

from smallprint.train.combiner import _best_threshold, _looks, logistic


@pytest.fixture
def rows():
    luck = np.random.default_rng(1)
    features = luck.normal(size=(600, len(CHEAP))).astype(np.float32)
    features[:, 0] = 5 + 3 * features[:, 0]
    truth = luck.random(600) < sigmoid(features[:, 0] - 5 + features[:, 3])
    return features, truth, np.repeat(np.arange(6), 100)


def test_weights_are_for_the_features_as_they_are(rows):
    features, truth, groups = rows
    found = logistic("first", features, truth, groups)
    weights, bias = found.arrays["first_weights"], found.arrays["first_bias"]
    assert weights[0] == pytest.approx(1, abs=0.2)
    assert weights[3] == pytest.approx(1, abs=0.35)
    assert np.abs(np.delete(weights, [0, 3])).max() < 0.3
    said = sigmoid(features @ weights + bias)
    assert said.mean() == pytest.approx(truth.mean(), abs=0.02)


def test_what_is_said_of_a_policy_is_by_weights_that_have_not_seen_it(rows):
    features, truth, groups = rows
    odd = groups == 0
    found = logistic("first", features, np.where(odd, ~truth, truth), groups)
    assert ((found.said[~odd] > 0.5) == truth[~odd]).mean() > 0.7
    assert ((found.said[odd] > 0.5) == truth[odd]).mean() > 0.7  # its own, upside down, were not learnt from


def test_what_is_left_out_weighs_nothing(rows):
    features, truth, groups = rows
    found = _looks("first", CHEAP, features, truth, np.ones(len(truth)), groups)
    for part, columns in PARTS.items():
        weights = found[f"first without {part}_weights"]
        for place, column in enumerate(CHEAP):
            assert (weights[place] == 0) == (column in columns), (part, column)
    assert {column for columns in PARTS.values() for column in columns} == set(FULL)


def test_the_best_threshold_parts_the_two():
    said = np.array([0.1, 0.2, 0.3, 0.6, 0.7])
    truth = np.array([False, False, False, True, True])
    assert _best_threshold(said, truth, [0.05, 0.25, 0.45, 0.65]) == 0.45
