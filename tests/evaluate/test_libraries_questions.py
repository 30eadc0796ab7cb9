"""Questions over the library, measured on what is true of the sample."""

from __future__ import annotations

import json

import pytest

from smallprint import sample
from smallprint.errors import NoData
from smallprint.evaluate.libraries import questions

from .answerers import evaluator

evaluate = evaluator("library-questions")


def test_every_question_has_a_topic_and_an_answer():
    kept = [one for one in sample.truths() if one.outcome == "kept"]
    for asked in questions():
        assert set(asked.topics) <= set(sample.topics())
        assert any(asked.is_answered_by(truth) for truth in kept), asked.question


def test_a_few_questions_are_measured(annotated_sample, tmp_path):
    said = tmp_path / "said.jsonl"
    result = evaluate(annotated_sample, None, frozenset({"1", "2", "7", "26"}), said)
    assert (result["task"], result["n"]) == ("library-questions", 4)
    found = result["systems"]["default"]
    assert found["precision"] >= 0.9
    assert found["recall"] >= 0.9
    rows = [json.loads(line) for line in said.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["1", "2", "7", "26"]


@pytest.mark.slow
def test_nine_in_ten_are_found_and_right(annotated_sample):
    found = evaluate(annotated_sample)["systems"]["default"]
    assert found["precision_pooled"] >= 0.95
    assert found["recall_pooled"] >= 0.9
    assert found["precision"] >= 0.93
    assert found["recall"] >= 0.89


def test_what_is_no_library_is_said(tmp_path):
    with pytest.raises(NoData, match="ingest --sample"):
        evaluate(tmp_path)
