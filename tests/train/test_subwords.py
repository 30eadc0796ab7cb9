from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy", reason="training tests need scipy: run 'make test-train'")

from smallprint.models.vectors import parts
from smallprint.train.subwords import fitted, matrix

WORDS = ["share", "sharing", "shares", "encrypt", "encrypted", "encryption"]
LENGTHS = (3, 5)


def test_a_row_has_the_shares_of_a_word_s_parts():
    made = matrix(["share", "", "aaaa"], 50, LENGTHS)
    assert made.shape == (3, 50)
    assert made.sum(axis=1).ravel().tolist()[0] == pytest.approx([1, 0, 1])
    assert set(made[0].indices) == set(parts("share", *LENGTHS, 50))


def test_parts_give_back_the_vectors_of_their_words():
    vectors = np.random.default_rng(1).normal(size=(len(WORDS), 4)).astype(np.float32)
    counts = np.full(len(WORDS), 10_000, dtype=np.uint32)
    found = fitted(WORDS, vectors, counts, 5000, LENGTHS)
    back = matrix(WORDS, 5000, LENGTHS) @ found
    assert np.corrcoef(back.ravel(), vectors.ravel())[0, 1] > 0.95


def test_a_word_nobody_met_is_near_those_that_are_spelt_alike():
    vectors = np.array([[1, 0]] * 3 + [[0, 1]] * 3, dtype=np.float32)
    found = fitted(WORDS, vectors, np.full(6, 100, dtype=np.uint32), 5000, LENGTHS)
    one, other = matrix(["shared", "encrypts"], 5000, LENGTHS) @ found
    assert one[0] > 2 * abs(one[1])
    assert other[1] > 2 * abs(other[0])


def test_common_words_count_for_more():
    vectors = np.array([[1.0], [-1.0]], dtype=np.float32)
    first = fitted(["same", "same"], vectors, np.array([10_000, 2], dtype=np.uint32), 100, LENGTHS)
    last = fitted(["same", "same"], vectors, np.array([2, 10_000], dtype=np.uint32), 100, LENGTHS)
    assert (matrix(["same"], 100, LENGTHS) @ first)[0, 0] > 0.5
    assert (matrix(["same"], 100, LENGTHS) @ last)[0, 0] < -0.5
