"""PriBot's formulas, against sums written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.annotate.practices import COLUMNS, column
from smallprint.ask.scorers.pribot import certainty, confidence, practice_vector, scores
from smallprint.taxonomy import CATEGORIES, LABELS, Label

LIMITED = Label("retention", "Retention Period", "Limited")


def labels(**said):
    """Give probabilities by the label's name; underlines stand for what a keyword cannot hold."""
    found = np.zeros(len(COLUMNS), dtype=np.float32)
    for name, probability in said.items():
        found[column(LIMITED if name == "limited" else Label(name.replace("_", "-")))] = probability
    return found


def by_hand(question, sentence):
    """Write the score out, value by value."""

    def vector(of):
        return [of[column(Label(label.category))] ** 2 * of[place] for place, label in enumerate(LABELS) if label.value]

    asked, said = vector(question), vector(sentence)
    shares = [p / sum(sentence[: len(CATEGORIES)]) for p in sentence[: len(CATEGORIES)]]
    entropy = -sum(p * math.log(p) for p in shares if p > 0)
    covered = sum(b * min(b, a) for b, a in zip(asked, said, strict=True)) / sum(b * b for b in asked)
    return covered * (1 - entropy / math.log(len(CATEGORIES)))


@given(st.integers(0, 2**32 - 1))
def test_the_score_is_the_one_written_out(seed):
    asked, said = np.random.default_rng(seed).uniform(0.05, 1, (2, len(COLUMNS))).astype(np.float32)
    assert scores(asked, said[None])[0] == pytest.approx(by_hand(asked, said), rel=1e-3, abs=1e-5)


def test_a_value_counts_by_its_category_squared():
    found = practice_vector(labels(retention=0.5, limited=0.8))
    assert found.sum() == pytest.approx(0.25 * 0.8)
    assert np.count_nonzero(found) == 1


def test_one_practice_is_certain_and_all_alike_are_not():
    even = np.zeros(len(COLUMNS), dtype=np.float32)
    even[: len(CATEGORIES)] = 0.5
    assert certainty(labels(retention=0.9)) == pytest.approx(1.0)
    assert certainty(even) == pytest.approx(0.0, abs=1e-6)
    assert certainty(labels()) == pytest.approx(0.0, abs=1e-6)


def test_a_sentence_on_the_practice_beats_one_on_another_and_none_is_found_for_nothing():
    asked = labels(retention=0.9, limited=0.9)
    said = np.stack([labels(security=0.9), labels(retention=0.9, limited=0.9), labels(retention=0.9)])
    found = scores(asked, said)
    assert found.argmax() == 1
    assert found[1] == pytest.approx(1.0, rel=1e-4)
    assert not scores(labels(), said).any()


def test_confidence_falls_with_an_unclear_question_and_unknown_words():
    asked = labels(retention=0.9, limited=0.9)
    found = scores(asked, asked[None])
    assert confidence(found, asked, 1.0)[0] == pytest.approx(1.0, rel=1e-4)
    assert confidence(found, asked, 0.0)[0] == pytest.approx(0.5, rel=1e-4)
    assert confidence(found, labels(retention=0.5, security=0.5), 1.0)[0] < confidence(found, asked, 1.0)[0]
