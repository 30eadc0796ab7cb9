from __future__ import annotations

import json

import pytest

from smallprint.datasets.policyqa import load
from smallprint.errors import NoData
from smallprint.evaluate.questions import exact, f1, find_span, score

from .answerers import evaluator

evaluate = evaluator("policyqa")

CONTEXT = "We keep the logs for a year. After that, we delete them."


@pytest.mark.parametrize(
    ("said", "truth", "em", "overlap"),
    [
        ("The logs!", "logs", 1, 1),
        ("for a year", "For year.", 1, 1),
        ("logs for a year", "the logs", 0, 2 * 1 / (3 + 1)),
        ("keep keep", "keep", 0, 2 / 3),
        ("delete", "logs", 0, 0),
        ("", "logs", 0, 0),
        ("", "", 1, 1),
        ("the", "", 1, 1),
        ("another theme", "other theme", 0, 0.5),
        ("year-long", "yearlong", 1, 1),
    ],
)
def test_squads_normalisation(said, truth, em, overlap):
    assert exact(said, truth) == em
    assert f1(said, truth) == pytest.approx(overlap)


def test_the_best_over_all_answers():
    assert score("keep the logs", ("year", "logs", "keep logs for")) == (0, pytest.approx(4 / 5))
    assert score("logs", ("keep", "The logs.")) == (1, 1)


def find_word(question, context):
    """Find a word of the question; else nothing."""
    for word in question.split():
        if (start := context.find(word)) >= 0:
            return start, start + len(word)
    return 0, 0


def question(name, text, *answers, **more):
    return {"id": name, "question": text, "answers": [{"text": one, "answer_start": 0} for one in answers], **more}


@pytest.fixture
def file(tmp_path):
    questions = [
        question("a", "year", "a year", type="Data Retention|||Retention Period|||Stated Period"),
        question("b", "logs", "year", "the logs for", type="Data Retention|||x|||y"),
        question("c", "price", "", is_impossible=True, type="Other|||x|||y"),
        {"id": "d", "question": "delete"},
    ]
    path = tmp_path / "policyqa" / "dev.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"data": [{"title": "shop", "paragraphs": [{"context": CONTEXT, "qas": questions}]}]}))
    return path


def test_the_benchmark(file, tmp_path):
    result = evaluate(file, predictions=tmp_path / "said.jsonl", by=find_word)
    assert [result[name] for name in ("task", "data", "n")] == ["policyqa", "policyqa/dev.json", 3]
    found = result["systems"]["default"]
    assert found["EM"] == pytest.approx(2 / 3)
    assert found["F1"] == pytest.approx((1 + 2 / 3 + 1) / 3)
    assert len(found["F1_ci"]) == 2
    assert result["by_category"] == {
        "Data Retention": {"n": 2, "EM": 0.5, "F1": pytest.approx(5 / 6)},
        "Other": {"n": 1, "EM": 1, "F1": 1},
    }
    said = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text().splitlines()]
    assert said[0] == {"id": "a", "policy": "shop", "span": [23, 27], "text": "year"}
    assert [line["id"] for line in said] == ["a", "b", "c", "d"]


def test_places_of_answers_are_given_where_they_hold_the_text(tmp_path):
    answers = [{"text": "a year", "answer_start": 21}, {"text": "logs", "answer_start": 3}, {"text": "We"}]
    questions = [{"id": "a", "question": "?", "answers": answers}]
    path = tmp_path / "dev.json"
    path.write_text(json.dumps({"data": [{"paragraphs": [{"context": CONTEXT, "qas": questions}]}]}))
    (found,) = load(path)
    assert found.answers == ("a year", "logs", "We")
    assert found.spans == ((21, 27),)


def test_some_ids_and_no_labels(file):
    assert evaluate(file, ids=frozenset({"b"}), by=find_word)["n"] == 1
    assert evaluate(file, ids=frozenset({"shop"}), by=find_word)["n"] == 3
    assert evaluate(file, ids=frozenset({"d"}), by=find_word) == {
        "task": "policyqa",
        "data": "policyqa/dev.json",
        "n": 0,
    }


def test_the_research_data_and_what_is_none(file, tmp_path):
    (tmp_path / "labelled").mkdir()
    file.parent.rename(tmp_path / "labelled" / "policyqa")
    assert evaluate(tmp_path, by=find_word)["n"] == 3
    (tmp_path / "x.json").write_text('{"data": [{"title": "x"}]}')
    with pytest.raises(NoData, match="SQuAD's layout"):
        load(tmp_path / "x.json")
    with pytest.raises(NoData, match="SQuAD's layout"):
        load(tmp_path / "nowhere.json")


@pytest.mark.real_data("labelled/policyqa/dev.json")
def test_the_development_set(data_dir):
    found = load(data_dir / "labelled" / "policyqa" / "dev.json")
    assert (len(found), len({one.policy for one in found})) == (3809, 20)
    assert found[0].answers == ("Effective July 20, 2012 (last updated October 08, 2013)",)
    assert all(one.spans for one in found)


def test_a_span_is_found_in_a_passage():
    passage = "Our shop is old. We keep your orders for seven years. We like tea."
    start, end = find_span("How long do you keep my orders?", passage)
    assert "seven years" in passage[start:end]
