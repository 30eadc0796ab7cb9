from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint import limits
from smallprint.view.alignment import Pair, align, chain

FEW = st.lists(st.sampled_from("abcd"), max_size=9)


def rises(pairs):
    return all(one.old < other.old and one.new < other.new for one, other in pairwise(pairs))


@given(FEW, FEW)
def test_pairs_are_equal_and_rise(old, new):
    found = align(old, new)
    assert rises(found)
    assert all(old[pair.old] == new[pair.new] for pair in found)


@given(FEW)
def test_what_is_the_same_is_paired_whole(things):
    assert align(things, things) == [Pair(place, place) for place in range(len(things))]


@given(FEW, FEW)
def test_nothing_is_left_that_could_still_be_paired(old, new):
    found = [Pair(-1, -1), *align(old, new), Pair(len(old), len(new))]
    for one, other in pairwise(found):
        assert set(old[one.old + 1 : other.old]).isdisjoint(new[one.new + 1 : other.new])


@given(FEW, FEW)
def test_cut_at_what_is_there_once_it_is_still_right(old, new):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "MAX_ALIGNED_PAIRS", 0)
        found = align(old, new)
    assert rises(found)
    assert all(old[pair.old] == new[pair.new] for pair in found)


def test_a_large_part_is_cut_at_what_is_there_once(monkeypatch):
    monkeypatch.setattr(limits, "MAX_ALIGNED_PAIRS", 0)
    assert align("xaybz", "uavbw") == [Pair(1, 1), Pair(3, 3)]
    assert align("xabz", "ubaw") == [Pair(1, 2)] or align("xabz", "ubaw") == [Pair(2, 1)]
    assert align("xaaz", "uaaaw") == []  # nothing is there once, and nothing is compared


def test_of_two_ways_the_longer_run_is_taken():
    old, new = "p we x keep q we keep r".split(), "s we keep t".split()
    assert align(old, new) == align(old, new, [4] * 8) == [Pair(5, 1), Pair(6, 2)]


def test_what_is_worth_more_is_kept():
    assert align(["x", "the", "retention", "y"], ["retention", "the"], [1, 3, 9, 1]) == [Pair(2, 0)]
    assert align(["x", "the", "retention", "y"], ["retention", "the"], [1, 9, 3, 1]) == [Pair(1, 1)]


def test_nothing_to_align():
    assert align([], []) == align("abc", []) == align([], "abc") == align("abc", "xyz") == []


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 9)),
        max_size=8,
        unique_by=lambda one: one[:2],
    )
)
def test_a_chain_weighs_most(weighed):
    pairs = [Pair(old, new) for old, new, _ in weighed]
    weights = {Pair(old, new): weight for old, new, weight in weighed}
    found = chain(pairs, [weights[pair] for pair in pairs])
    assert rises(found)
    every = (some for size in range(len(pairs) + 1) for some in combinations(sorted(pairs), size) if rises(some))
    assert sum(weights[pair] for pair in found) == max(sum(weights[pair] for pair in some) for some in every)
