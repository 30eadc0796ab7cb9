from __future__ import annotations

import numpy as np
import pytest

from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.finder import SEMVEC, SemVec


@pytest.fixture
def made(tmp_path):
    weights = np.array([[3, 0], [0, 4], [1, -1]], dtype=np.float16)
    store.save(SEMVEC, {"weights": weights, "bias": np.array([0, -1], dtype=np.float32)}, tmp_path)
    return SemVec(tmp_path)


def test_the_hidden_layer_has_nothing_below_zero(made):
    rows = np.array([[1, 0, 0], [0, 1, 0], [0, 0, -2]], dtype=np.float32)
    assert made.hidden(rows).tolist() == [[3, 0], [0, 3], [0, 1]]


def test_scores_are_distances_below_zero(made):
    question = np.array([1, 0, 0], dtype=np.float32)
    sentences = np.array([[1, 0, 0], [0, 1, 0], [1, 1.25, 0]], dtype=np.float32)
    assert made.scores(question, sentences).tolist() == pytest.approx([0, -(18**0.5), -4])
    assert made.scores(question, sentences[:0]).tolist() == []


def test_no_weights(tmp_path):
    with pytest.raises(NoModel, match="run 'smallprint train semvec'"):
        SemVec(tmp_path)
