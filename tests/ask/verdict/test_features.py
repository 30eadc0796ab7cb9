from __future__ import annotations

import numpy as np
import pytest

from smallprint.ask.verdict.features import LEAST, stance_features
from smallprint.card import CODES, STANCES


def probabilities(*rows):
    """Give sentences that say the same on every question: the probabilities of yes, no and limits."""
    whole = np.array([[1 - sum(row), *row] for row in rows], dtype=np.float32).reshape(-1, 1, len(STANCES))
    return np.repeat(whole, len(CODES), axis=1)


def test_the_strongest_of_each_stance_come_first():
    found = stance_features(probabilities((0.1, 0, 0), (0.9, 0, 0), (0.5, 0, 0), (0.2, 0.3, 0)))[0]
    assert found[:3] == pytest.approx([np.log(9), 0.0, np.log(0.25)], abs=1e-5)
    assert found[3] == pytest.approx(np.log(1.7 + 0.01), abs=1e-5)
    assert found[5:8] == pytest.approx([np.log(3 / 7), -LEAST, -LEAST], abs=1e-4)


def test_what_bears_most_says_what_it_says():
    found = stance_features(probabilities((0.1, 0, 0), (0.2, 0.6, 0.1)))[0]
    bears, yes, no, limits, length = found[-5:]
    assert bears == pytest.approx(np.log(9), abs=1e-4)
    assert [yes, no, limits] == pytest.approx([np.log(0.25), np.log(1.5), np.log(1 / 9)], abs=1e-4)
    assert length == pytest.approx(np.log(3))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5000])
def test_any_number_of_sentences_has_as_many_features(count):
    found = stance_features(probabilities(*[(0.3, 0.1, 0.0)] * count))
    assert found.shape == (len(CODES), 20)
    assert np.isfinite(found).all()


def test_the_order_of_sentences_says_nothing():
    rows = [(0.3, 0.1, 0.05), (0.7, 0.1, 0.0), (0.01, 0.5, 0.2)]
    assert np.allclose(stance_features(probabilities(*rows)), stance_features(probabilities(*rows[::-1])))
