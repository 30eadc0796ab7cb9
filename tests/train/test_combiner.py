from __future__ import annotations

import numpy as np
import pytest

from smallprint.ask.features import CHEAP, FULL, PARTS

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make train-install'")

from smallprint.train.combiner import _best_threshold, _looks, leaning
from smallprint.train.weighing import Rows, ordered


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


def test_leaning_on_a_feature_moves_its_weight_and_nothing_a_middling_sentence_gets():
    mean, times = np.array([4.0, -2.0], dtype=np.float32), np.array([1.0, 1.5], dtype=np.float32)
    looks = {"full_weights": np.array([0.5, 2.0], dtype=np.float32), "full_bias": np.array(0.25, dtype=np.float32)}
    found = leaning(looks, times, mean)
    assert found["full_weights"].tolist() == [0.5, 3.0]
    assert mean @ found["full_weights"] + found["full_bias"] == mean @ looks["full_weights"] + looks["full_bias"]
    assert looks["full_weights"].tolist() == [0.5, 2.0]


def test_only_what_the_reader_says_of_relevance_is_leant_on():
    luck = np.random.default_rng(1)
    features = luck.normal(size=(600, len(FULL))).astype(np.float32)
    truth = features[:, FULL.index("dense")] + features[:, FULL.index("bears")] > 1
    rows = Rows(features, truth, np.ones(600), np.repeat(np.arange(60), 10), np.repeat(np.arange(6), 100))
    found, plain = _looks("full", FULL, rows)["full_weights"], ordered("full", rows)["full_weights"]
    leant_on = ["bears" in column or column == "answers" for column in FULL]
    np.testing.assert_allclose(found / plain, np.where(leant_on, 1.5, 1.0), rtol=1e-5)


def test_the_best_threshold_parts_the_two():
    said = np.array([0.1, 0.2, 0.3, 0.6, 0.7])
    truth = np.array([False, False, False, True, True])
    assert _best_threshold(said, truth, [0.05, 0.25, 0.45, 0.65]) == 0.45
