from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.train.era.candidates import candidates, drawn, kind_of, unlike, whole
from smallprint.train.era.rows import Row

TEXTS = ["we sell your data to partners", "we sell your data to partners now", "we keep it", "it is kept for long"]


def test_nearly_the_same_words_are_found_once():
    assert unlike(np.array([[0, 1, 2, 3], [3, -1, 1, 0]]), TEXTS, 2).tolist() == [[0, 2], [3, 1]]
    assert unlike(np.array([[0, 1, -1, -1]]), TEXTS, 2).tolist() == [[0, -1]]


def test_headings_and_questions_are_no_whole_sentences():
    texts = ["Do we sell it?", "Selling", "We sell it to:", "We do.", "“We do.”", "we sell it;"]
    assert whole(np.array([[0, 1, 2, 3, 4, 5], [5, 0, -1, -1, -1, -1]]), texts, 2).tolist() == [[3, 4], [5, -1]]


def test_of_many_some_are_drawn_in_their_order():
    found = np.arange(200).reshape(2, 100)
    some = drawn(found, seed=1)
    assert some.shape == (2, 10)
    assert all((np.diff(line) > 0).all() and set(line) <= set(own) for line, own in zip(some, found, strict=True))
    assert np.array_equal(some, drawn(found, seed=1))
    assert not np.array_equal(some, drawn(found, seed=2))
    assert some.max(axis=1).min() > 10  # not the first ones


def test_where_little_was_found_all_of_it_is_looked_at():
    found = np.array([[7, -1, 3, -1, -1]])
    assert drawn(found, 1, most=3).tolist() == [[7, 3, -1]]
    assert drawn(found[:, :3], 1, most=3).tolist() == [[7, -1, 3]]


def test_a_row_says_how_deep_it_looks():
    found = np.array([[0, 1, 2, 3]])
    assert candidates(found, Row("x", k=2), TEXTS, 1).tolist() == [[0, 1]]
    assert candidates(found, Row("x", k=2, unlike=True), TEXTS, 1).tolist() == [[0, 2]]
    assert [kind_of(Row("x", k=50)), kind_of(Row("x", unlike=True))] == ["50", "10-unlike"]
