from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy", reason="training tests need scipy: run 'make test-train'")

from smallprint.models.mapper import grams
from smallprint.train.linear import fit, learn_words, matrix

TEXTS = ["sell my data", "sell my name", "keep my data", "keep it"]
NO_WORDS = np.zeros((4, 0), dtype=np.float32)
SOLD = np.array([[1.0], [1.0], [0.0], [0.0]], dtype=np.float32)
EQUAL = np.ones((4, 1), dtype=np.float32)


def weights_of(text, least=1):
    words = learn_words(TEXTS, least)
    return {int(words.known[place]): float(value) for place, value in enumerate(matrix(words, [text]).toarray()[0])}


def test_words_and_pairs_that_are_common_enough():
    assert set(learn_words(TEXTS, 2).known) == set(grams("sell my")) | set(grams("my data")) | set(grams("keep"))
    assert len(learn_words(TEXTS, 5).known) == 0
    assert (np.diff(learn_words(TEXTS, 1).known.astype(np.int64)) > 0).all()


def test_what_is_rare_weighs_more():
    found = weights_of("my data")
    mine, data, pair = (found[int(gram)] for gram in (grams("my")[0], grams("data")[0], _pair("my data")))
    assert 0 < mine < data == pytest.approx(pair)
    assert mine**2 + data**2 + pair**2 == pytest.approx(1)


def test_a_text_without_known_words_is_an_empty_row():
    words = learn_words(TEXTS, 1)
    made = matrix(words, ["", "sell", "other things"])
    assert made.shape == (3, len(words.known))
    assert made.toarray().sum(axis=1).tolist() == [0, 1, 0]


def test_words_alone_tell():
    words = matrix(learn_words(TEXTS, 1), TEXTS)
    nothing = np.zeros((4, 1), dtype=np.float32)
    said = fit(nothing, words, SOLD, EQUAL, 0.01).tell(nothing, words)
    assert (said[:2] > 0.9).all()
    assert (said[2:] < 0.1).all()


def test_vectors_alone_tell():
    vectors = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=np.float32)
    said = fit(vectors, _none(4), SOLD, EQUAL, 0.01).tell(vectors, _none(4))
    assert (said[:2] > 0.9).all()
    assert (said[2:] < 0.1).all()


def test_shares_are_met():
    nothing = np.zeros((4, 1), dtype=np.float32)
    targets = np.array([[0.2, 1.0], [0.4, 1.0], [0.2, 1.0], [0.4, 0.0]], dtype=np.float32)
    said = fit(nothing, _none(4), targets, np.ones_like(targets), 0.1).tell(nothing, _none(4))
    assert said == pytest.approx(np.tile([0.3, 0.75], (4, 1)), abs=1e-3)


def test_what_has_no_weight_is_not_learnt():
    nothing = np.zeros((4, 1), dtype=np.float32)
    weights = np.array([[1.0], [0.0], [1.0], [0.0]], dtype=np.float32)
    said = fit(nothing, _none(4), np.array([[1.0], [0.0], [1.0], [0.0]], dtype=np.float32), weights, 0.1)
    assert (said.tell(nothing, _none(4)) > 0.95).all()


def test_weights_are_held_back_and_the_bias_is_not():
    vectors = np.array([[1], [1], [1], [-1]], dtype=np.float32)
    targets = np.array([[1.0], [1.0], [1.0], [0.0]], dtype=np.float32)
    loose, tight = (fit(vectors, _none(4), targets, EQUAL, hold) for hold in (0.01, 1000.0))
    assert abs(tight.of_vector[0, 0]) < 0.01 < 1 < loose.of_vector[0, 0]
    assert tight.bias[0] == pytest.approx(np.log(3), abs=0.01)


def _none(rows):
    return matrix(learn_words([], 1), [""] * rows)


def _pair(text):
    alone = {gram for word in text.split() for gram in grams(word).tolist()}
    (found,) = set(grams(text).tolist()) - alone
    return found
