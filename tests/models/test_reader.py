"""What the reader is given, and how a span is found in what it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from smallprint.models.reader import BEFORE, CLS, HEADING, LONGEST_SPAN, SEP, Reading, around, best_span, pair
from smallprint.records import Span


def test_a_pair_is_the_question_what_stands_around_and_the_sentence():
    assert pair([5, 6], [7], [8, 9], 96) == ([CLS, 5, 6, SEP, 7, SEP, 8, 9, SEP], 6)


def test_a_long_sentence_is_cut_and_still_closed():
    ids, first = pair([5], [], list(range(1000, 1100)), 20)
    assert (len(ids), ids[-1], ids[first]) == (20, SEP, 1000)


def test_of_a_heading_the_beginning_counts_and_of_the_sentence_before_the_end():
    found = around(list(range(100)), list(range(200, 300)))
    assert found == [*range(HEADING), *range(300 - BEFORE, 300)]
    assert around([], []) == []


def by_hand(starts, ends):
    """Try every span."""
    spans = [
        (starts[a] + ends[b], a, b) for a in range(len(starts)) for b in range(a, min(len(ends), a + LONGEST_SPAN))
    ]
    return max(score for score, _, _ in spans)


logits = st.integers(1, 70).flatmap(
    lambda n: st.tuples(*(arrays(np.float32, n, elements=st.floats(-8, 8, width=32)) for _ in range(2)))
)


@given(logits)
def test_the_best_span_is_the_best_of_all(both):
    starts, ends = both
    start, end, score = best_span(starts, ends)
    assert 0 <= start <= end < len(starts)
    assert end - start < LONGEST_SPAN
    assert score == pytest.approx(by_hand(starts, ends), abs=1e-4) == pytest.approx(starts[start] + ends[end], abs=1e-4)


def test_nothing_has_an_empty_span():
    nothing = np.zeros(0, dtype=np.float32)
    assert best_span(nothing, nothing) == (0, -1, 0.0)


def test_answerability_is_a_probability_and_a_sum_of_logits():
    assert Reading(0.0, 0.0, 2.5, Span(0, 1)).answerability == pytest.approx(3.0)
