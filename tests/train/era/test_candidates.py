from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.train.era.candidates import candidates


def test_of_many_some_are_drawn_in_their_order():
    found = np.arange(200).reshape(2, 100)
    some = candidates(found, 100, seed=1)
    assert some.shape == (2, 10)
    assert all((np.diff(line) > 0).all() and set(line) <= set(own) for line, own in zip(some, found, strict=True))
    assert np.array_equal(some, candidates(found, 100, seed=1))
    assert not np.array_equal(some, candidates(found, 100, seed=2))
    assert some.max(axis=1).min() > 10  # not the first ones


def test_where_little_was_found_all_of_it_is_looked_at():
    found = np.array([[7, -1, 3, -1, -1]])
    assert candidates(found, 5, 1, most=3).tolist() == [[7, 3, -1]]
    assert candidates(found, 3, 1, most=3).tolist() == [[7, -1, 3]]


def test_no_deeper_than_k_is_looked():
    found = np.arange(200).reshape(2, 100)
    assert candidates(found, 2, 1).tolist() == [[0, 1], [100, 101]]
    assert (candidates(found, 50, 1) % 100).max() < 50
