from __future__ import annotations

import math

import pytest

from smallprint.ask.scorers.lexical import okapi_idf, reduced, scores


def test_bm25_is_the_one_written_out():
    sentences = [["sell", "data"], ["data", "data", "keep", "long"], []]
    found = scores({"data": 1.0, "sell": 0.5, "absent": 1.0}, sentences, {"data": 2.0, "sell": 3.0, "absent": 9.0})
    mean = 2.0

    def part(count, length):
        return count * 2.2 / (count + 1.2 * (1 - 0.75 + 0.75 * length / mean))

    assert found.tolist() == pytest.approx([2 * part(1, 2) + 0.5 * 3 * part(1, 2), 2 * part(2, 4), 0.0])


def test_nothing_to_score():
    assert scores({"a": 1.0}, [], {"a": 1.0}).tolist() == []
    assert scores({"a": 1.0}, [[], []], {"a": 1.0}).tolist() == [0.0, 0.0]


def test_okapis_idf_is_negative_for_what_most_sentences_have():
    idf = okapi_idf([["we", "sell"], ["we", "keep"], ["we"]])
    assert idf["we"] == pytest.approx(math.log(0.5 / 3.5))
    assert idf["sell"] == pytest.approx(math.log(2.5 / 1.5))


def test_a_passage_is_reduced_to_what_does_not_count_against_it():
    passage = [["we", "share", "name"], ["we", "sell", "it"], ["cookie", "help"], ["we", "like", "you"]]
    assert reduced(["we", "sell"], passage, passage) == [1, 2]
    assert reduced(["we", "sell"], passage, [*passage, *([["other"]] * 20)]) == [1, 0, 3, 2]
