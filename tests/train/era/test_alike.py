from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.evaluate.smallprint_qa import Asked
from smallprint.train.era import alike, material, search, sentences, sets
from smallprint.train.era.bench import collection
from smallprint.train.era.questions import OWN, Wording
from smallprint.train.era.rows import named
from smallprint.train.era.search import Found
from smallprint.train.labelled import Labelled
from smallprint.train.pairs import Tokens

ROW = named("grown, in other words")


def asked(policy, answers, related=()):
    return Asked(f"{policy}#1", policy, "why?", "own", tuple(answers), tuple(related), "answered")


@pytest.fixture
def labelled():
    """Two policies of three sentences, the same question of both: answered by the first, and by the second."""
    questions = [asked("a", [0], [2]), asked("b", [1])]
    tokens = {name: Tokens([[1], [2], [3]], [[], [], []]) for name in ("a", "b")}
    nearness = {one.id: np.zeros(3, dtype=np.float32) for one in questions}
    return Labelled(questions, tokens, {one.id: [5] for one in questions}, nearness)


def test_what_is_near_an_answer_is_right_and_what_is_near_the_rest_is_wrong(labelled):
    rows = np.array([[10, 11], [12, -1], [13, -1], [14, -1], [15, 16], [-1, -1]])
    found = Found(rows, np.ones(rows.shape, dtype=np.float32))
    right, wrong = alike.taken(found, [Wording("why?", tuple(labelled.questions))], labelled)
    assert right == {(0, 10), (0, 11), (0, 15), (0, 16)}
    assert wrong == {(0, 12), (0, 14)}  # what is related is neither


def test_it_is_counted_how_often_a_label_holds_in_another_policy(labelled):
    one, other, third = np.eye(3, dtype=np.float32)
    told = alike.agreement(
        np.stack([one, other, third, third, one, other]), [Wording("why?", tuple(labelled.questions))], labelled
    )
    # b's second sentence is near a's first, which answers, and b's third near a's second, which does not bear.
    assert told == {"near an answer": {"n": 2, "share": 1.0}, "near what does not bear": {"n": 3, "share": 0.3333}}


def test_the_same_words_are_no_other_words(bench, monkeypatch):
    monkeypatch.setattr(alike, "NEAR", -1.0)
    made = alike.step(bench)
    rows = search.load(made).rows
    texts = sentences.load(sentences.step(bench))
    assert made.counts["found"] == (rows >= 0).sum() > 0
    names = sorted(material.load(bench, material.step(bench)).policies)
    own = [one.text for name in names for one in collection(bench.data).policies[name].sentences]
    for text, some in zip(own, rows, strict=True):
        for row in some[some >= 0]:
            assert not alike._same(text, texts[row])


def test_a_row_takes_what_was_found_by_answers(bench, monkeypatch):
    monkeypatch.setattr(alike, "NEAR", -1.0)
    texts = sentences.load(sentences.step(bench))
    found, parts, steps = sets.added(bench, ROW, texts)
    assert list(parts) == ["alike"]
    assert steps == [alike.step(bench)]
    assert found.kept
    assert set(found.kept.values()) == {1.0}
    assert not found.kept.keys() & found.dropped
    wordings = search.asked_of(bench, material.step(bench), OWN)
    assert {question for question, _ in found.kept} <= set(range(len(wordings)))
