"""Scorers by words and labels, against sums written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.ask.ranking.scorers import (
    best_label,
    bm25,
    certainty,
    chance,
    closed,
    confidence,
    okapi_idf,
    practice_vector,
    pribot,
    reduced,
)
from smallprint.models.labels import COLUMNS, column
from smallprint.taxonomy import CATEGORIES, LABELS, Label

LIMITED, STATED = (Label("retention", "Retention Period", value) for value in ("Limited", "Stated Period"))


def labels_of(said):
    found = np.zeros(len(COLUMNS), dtype=np.float32)
    for label, probability in said.items():
        found[column(label)] = probability
    return found


def test_a_question_gets_the_likeliest_value_under_its_likeliest_category():
    asked = labels_of({Label("retention"): 0.6, Label("security"): 0.4, LIMITED: 0.2, STATED: 0.7})
    assert COLUMNS[best_label(asked)] == STATED
    assert COLUMNS[best_label(labels_of({Label("contact"): 0.9}))] == Label("contact")


def test_the_value_beats_the_category_alone_and_that_beats_others():
    asked = labels_of({Label("retention"): 0.9, STATED: 0.9})
    retention = Label("retention")
    said = np.stack([
        labels_of({Label("security"): 0.9}), labels_of({retention: 0.8}), labels_of({retention: 0.8, STATED: 0.5})
    ])  # fmt: skip
    assert closed(asked, said).tolist() == pytest.approx([0.0, 0.4, 0.6])


def test_chance_is_the_same_for_the_same_question():
    assert chance("why?", 5).tolist() == chance("why?", 5).tolist() != chance("who?", 5).tolist()


def test_bm25_is_the_one_written_out():
    sentences = [["sell", "data"], ["data", "data", "keep", "long"], []]
    found = bm25({"data": 1.0, "sell": 0.5, "absent": 1.0}, sentences, {"data": 2.0, "sell": 3.0, "absent": 9.0})
    mean = 2.0

    def part(count, length):
        return count * 2.2 / (count + 1.2 * (1 - 0.75 + 0.75 * length / mean))

    assert found.tolist() == pytest.approx([2 * part(1, 2) + 0.5 * 3 * part(1, 2), 2 * part(2, 4), 0.0])


def test_nothing_to_score():
    assert bm25({"a": 1.0}, [], {"a": 1.0}).tolist() == []
    assert bm25({"a": 1.0}, [[], []], {"a": 1.0}).tolist() == [0.0, 0.0]


def test_okapis_idf_is_negative_for_what_most_sentences_have():
    idf = okapi_idf([["we", "sell"], ["we", "keep"], ["we"]])
    assert idf["we"] == pytest.approx(math.log(0.5 / 3.5))
    assert idf["sell"] == pytest.approx(math.log(2.5 / 1.5))


def test_a_passage_is_reduced_to_what_does_not_count_against_it():
    passage = [["we", "share", "name"], ["we", "sell", "it"], ["cookie", "help"], ["we", "like", "you"]]
    assert reduced(["we", "sell"], passage, passage) == [1, 2]
    assert reduced(["we", "sell"], passage, [*passage, *([["other"]] * 20)]) == [1, 0, 3, 2]


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
    assert pribot(asked, said[None])[0] == pytest.approx(by_hand(asked, said), rel=1e-3, abs=1e-5)


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
    found = pribot(asked, said)
    assert found.argmax() == 1
    assert found[1] == pytest.approx(1.0, rel=1e-4)
    assert not pribot(labels(), said).any()


def test_confidence_falls_with_an_unclear_question_and_unknown_words():
    asked = labels(retention=0.9, limited=0.9)
    found = pribot(asked, asked[None])
    assert confidence(found, asked, 1.0)[0] == pytest.approx(1.0, rel=1e-4)
    assert confidence(found, asked, 0.0)[0] == pytest.approx(0.5, rel=1e-4)
    assert confidence(found, labels(retention=0.5, security=0.5), 1.0)[0] < confidence(found, asked, 1.0)[0]
