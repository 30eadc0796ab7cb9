from __future__ import annotations

import numpy as np
import pytest

from smallprint.ask.features import CHEAP, FULL, PARTS

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make train-install'")

from smallprint.train.combiner import _best_threshold, _looks
from smallprint.train.weighing import Rows


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
