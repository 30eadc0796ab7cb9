from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint.clean.duplicates import BANDS, bands, groups
from smallprint.text import hashed, jaccard, shingles

NAMES = st.sampled_from("abcdefghij")


def texts_alike(likeness: float, seed: int, length: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """Make two sets of shingles of that likeness."""
    common = round(2 * length * likeness / (1 + likeness))
    drawn = np.random.default_rng(seed).integers(0, 2**63, size=2 * length - common, dtype=np.uint64)
    one, other = np.unique(drawn[:length]), np.unique(np.concatenate([drawn[:common], drawn[length:]]))
    assert jaccard(one, other) == pytest.approx(likeness, abs=0.01)
    return one, other


def share_a_band(one: np.ndarray, other: np.ndarray) -> bool:
    return any(first == second for first, second in zip(bands(one), bands(other), strict=True))


@pytest.mark.parametrize("length", [40, 200, 1000])
def test_near_duplicates_are_candidates(length):
    pairs = [texts_alike(0.9, seed, length) for seed in range(100)]
    assert sum(share_a_band(*pair) for pair in pairs) >= 99


def test_texts_that_are_not_alike_seldom_are_candidates():
    pairs = [texts_alike(0.4, seed) for seed in range(200)]
    assert sum(share_a_band(*pair) for pair in pairs) <= 10
    strangers = [texts_alike(0.0, seed) for seed in range(100)]
    assert not any(share_a_band(*pair) for pair in strangers)


def test_a_word_changed_here_and_there_in_a_real_text():
    dice = random.Random(1)
    tokens = [
        dice.choice("we you our your data use share keep tell ask give law site mail".split()) for _ in range(600)
    ]
    changed = [*tokens[:300], "otherwise", *tokens[301:]]
    one, other = shingles(hashed(tokens)), shingles(hashed(changed))
    assert jaccard(one, other) > 0.97
    assert share_a_band(one, other)


def test_bands_are_the_same_on_every_machine():
    found = bands(shingles(hashed("we keep what you tell us and we tell nobody what it is".split())))
    assert len(found) == BANDS
    assert {len(band) for band in found} == {8}
    assert (found[0].hex(), found[-1].hex()) == ("7b5b076a4725fda9", "743843259a0f5421")


def test_a_text_without_words_has_no_bands():
    assert bands(shingles(hashed([]))) == ()


def test_one_shingle_is_enough():
    assert len(bands(shingles(hashed(["privacy"])))) == BANDS
    assert not share_a_band(shingles(hashed(["privacy"])), shingles(hashed(["cookies"])))


@settings(deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=300))
def test_bands_are_those_of_the_set(numbers):
    found = bands(np.array(numbers, dtype=np.uint64))
    assert found == bands(np.unique(np.array(numbers, dtype=np.uint64)))
    assert len(found) == BANDS


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([], []),
        ([("b", "a")], [{"a", "b"}]),
        ([("a", "b"), ("c", "d")], [{"a", "b"}, {"c", "d"}]),
        ([("c", "d"), ("e", "b"), ("d", "e"), ("a", "f")], [{"a", "f"}, {"b", "c", "d", "e"}]),
        ([("a", "a")], [{"a"}]),
    ],
)
def test_groups(pairs, expected):
    assert groups(pairs) == expected


@settings(deadline=None)
@given(st.lists(st.tuples(NAMES, NAMES)), st.randoms())
def test_groups_do_not_depend_on_the_order_of_pairs(pairs, dice):
    found = groups(pairs)
    shuffled = [pair if dice.random() < 0.5 else pair[::-1] for pair in pairs]
    dice.shuffle(shuffled)
    assert groups(shuffled) == found
    assert sorted(member for group in found for member in group) == sorted({name for pair in pairs for name in pair})
    assert all(any({one, other} <= group for group in found) for one, other in pairs)
    assert [min(group) for group in found] == sorted(min(group) for group in found)
    # And no two groups are one: every group hangs together by its own pairs.
    for group in found:
        reached = {min(group)}
        while more := {name for pair in pairs if reached & set(pair) for name in pair} - reached:
            reached |= more
        assert reached == group
