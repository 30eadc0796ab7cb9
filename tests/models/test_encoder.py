from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint import limits
from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.encoder import NAME, OVERLAP, WINDOW, Encoder, windows
from smallprint.models.logistic import sigmoid

ROOM = WINDOW - 2
STEP = ROOM - OVERLAP


def tokens(inner: int) -> list[int]:
    """Give a text's tokens: -1 opens it, -2 closes it, the others are numbered."""
    return [-1, *range(inner), -2]


@pytest.mark.parametrize("inner", [0, 1, ROOM - 1, ROOM])
def test_a_short_text_is_one_window(inner):
    assert windows(tokens(inner)) == [tokens(inner)]


def test_one_token_more_makes_two_windows_that_overlap():
    assert windows(tokens(ROOM + 1)) == [[-1, *range(ROOM), -2], [-1, *range(STEP, ROOM + 1), -2]]


@pytest.mark.parametrize(("inner", "expected"), [(ROOM + STEP, 2), (ROOM + STEP + 1, 3), (ROOM + 2 * STEP, 3)])
def test_no_window_holds_only_what_another_holds(inner, expected):
    found = windows(tokens(inner))
    assert len(found) == expected
    assert len(found[-1]) - 2 > OVERLAP


def test_a_text_without_end_is_read_to_its_sixteenth_window():
    found = windows(tokens(100_000))
    assert len(found) == limits.MAX_PASSAGE_WINDOWS == 16
    assert found[-1][1:-1] == list(range(15 * STEP, 15 * STEP + ROOM))


@given(st.integers(0, limits.MAX_PASSAGE_WINDOWS * STEP + OVERLAP))
def test_every_token_is_read(inner):
    found = windows(tokens(inner))
    assert all(len(window) <= WINDOW and (window[0], window[-1]) == (-1, -2) for window in found)
    assert {token for window in found for token in window[1:-1]} == set(range(inner))
    for one, other in pairwise(found):
        assert one[1:-1][-OVERLAP:] == other[1:-1][:OVERLAP]


def test_scores_become_probabilities():
    said = sigmoid(np.array([-2, 0, 2], dtype=np.float32))
    assert said.dtype == np.float32
    assert said == pytest.approx([0.1192029, 0.5, 0.8807971])


def test_the_encoder_says_its_threshold_before_any_graph_is_made(tmp_path):
    graphs = dict.fromkeys(("labels", "vague", "embeddings", "tokenizer"), np.zeros(1, dtype=np.uint8))
    told = {"threshold": np.float32(0.25), "vocabulary": np.zeros(1, dtype=np.uint32)}
    store.save(NAME, graphs | told, tmp_path)
    before = "onnxruntime" in sys.modules
    found = Encoder(tmp_path)
    assert found.threshold == 0.25
    assert ("onnxruntime" in sys.modules) == before


def test_an_encoder_nobody_made(tmp_path):
    with pytest.raises(NoModel, match="no model 'encoder'"):
        Encoder(tmp_path)
