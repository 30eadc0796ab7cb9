from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.models.reader import Reading
from smallprint.records import Span
from smallprint.train.era import filters, retrievers
from smallprint.train.era.bench import Variant
from smallprint.train.era.benchmark import Cut
from smallprint.train.era.filters import Added, bears, candidates, taken, union
from smallprint.train.era.material import Wording

NOTHING = Added({}, frozenset())
CUT = Cut(best=1.0, drop=-1.0)


# What is looked at


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


# What is kept


def test_a_filter_keeps_from_its_threshold_and_surely_drops_below_another():
    rows = np.array([[4, 5, 6], [7, -1, -1]])
    said = np.array([[1.0, 0.0, -2.0], [0.99, -np.inf, -np.inf]], dtype=np.float32)
    found = taken(rows, said, CUT)
    assert set(found.kept) == {(0, 4)}
    assert found.kept[0, 4] == pytest.approx(1 / (1 + math.exp(-1)))
    assert found.dropped == {(0, 6)}


def test_without_a_filter_all_that_was_found_is_kept():
    rows = np.array([[4, 5], [4, -1]])
    surest = np.full(rows.shape, np.inf, dtype=np.float32)
    assert taken(rows, surest, CUT) == Added({(0, 4): 1.0, (0, 5): 1.0, (1, 4): 1.0}, frozenset())


def test_the_union_has_what_any_keeps_and_drops_what_none_does():
    one = Added({(0, 1): 0.6, (0, 2): 0.9}, frozenset({(0, 3), (0, 4)}))
    other = Added({(0, 2): 0.7, (0, 3): 0.8}, frozenset({(0, 5)}))
    assert union([one, other]) == Added({(0, 1): 0.6, (0, 2): 0.9, (0, 3): 0.8}, frozenset({(0, 4), (0, 5)}))
    assert union([]) == NOTHING


def test_k_and_models_decide_what_is_added(bench):
    few, _, _ = filters.added(bench, Variant("x", ("general",), filtered=False, k=3))
    many, parts, steps = filters.added(bench, Variant("x", ("general",), filtered=False, k=7))
    questions = {question for question, _ in few.kept}
    assert set(Counter(question for question, _ in few.kept).values()) == {3}
    assert set(Counter(question for question, _ in many.kept).values()) == {7}
    assert few.kept.keys() <= many.kept.keys()
    assert list(parts) == ["general"]
    assert steps == [retrievers.search_step(bench, "general")]
    kept, _, _ = filters.added(bench, Variant("x", ("general",), k=7))
    assert kept.kept.keys() | kept.dropped <= many.kept.keys()
    assert {question for question, _ in kept.kept} <= questions


# Filters


class Lengths:
    """Says that the longer a sentence is, the more it bears."""

    def __init__(self):
        self.asked = []

    def read(self, question, read):
        self.asked.append(question)
        return [Reading(0.0, float(len(one.text)), 0.0, Span(0, 0)) for one in read]


def test_filtering_reads_what_was_found_for_each_question():
    asked = [Wording(f"q{number}") for number in range(5)]
    rows = np.array([[0, 1], [1, -1], [2, 0], [0, -1], [1, 2]])
    model, lines = Lengths(), []
    found = bears(model, asked, rows, ["a", "bb", "ccc"], lines.append)
    assert model.asked == [wording.text for wording in asked]
    assert found.tolist() == [[1, 2], [2, -np.inf], [3, 1], [1, -np.inf], [2, 3]]
    assert lines == []  # so few are not worth a line


def test_what_is_looked_at_is_scored(bench):
    few, said, cut, _ = filters.scored(bench, "general", Variant("x", ("general",), k=3))
    deep, more, _, _ = filters.scored(bench, "general", Variant("x", ("general",), k=15))
    assert (few.shape[1], deep.shape[1]) == (3, 10)
    assert (said.shape, more.shape) == (few.shape, deep.shape)
    assert np.array_equal(np.isfinite(more), deep >= 0)
    made = filters.step(bench, "general")
    assert cut == tuple(made.counts["cut"].values())
    assert cut.best >= cut.drop
    assert made.counts["pairs"] == bench.sizes.filter_pairs
