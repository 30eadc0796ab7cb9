from __future__ import annotations

import json

import numpy as np
import pytest

from smallprint.ask.model_set import Kit, kit
from smallprint.ask.ranking.rankers import RANKERS
from smallprint.datasets.questions import Question, Sheet, only, sentences
from smallprint.evaluate.answering import Answerer, measured
from smallprint.records import Sentence

from ..ask.shop import SENTENCES
from .answerers import Decided, Overlap, ask_all

TEXTS = ("We sell your email.", "We keep logs.", "Ads use cookies.", "Email us.", "We keep your email a year.")
SHEET = Sheet(
    "shop",
    sentences(("", text) for text in TEXTS),
    (0, 2, 4, 6, 8),
    (
        Question("q1", "do you sell my email", (0, 1, 2, 4), frozenset({0, 4})),
        Question("q2", "how long do you keep logs", (0, 1, 2, 4), frozenset()),
        Question("q3", "is it good weather", (0, 1, 2, 4), None),
    ),
)


def test_sentences_know_their_heading_and_place():
    found = sentences([("", "One."), ("", "Two here."), ("Ads", "Three."), ("", "Four.")])
    assert found == (
        Sentence("One.", (), 0, 0, 4),
        Sentence("Two here.", (), 0, 5, 14),
        Sentence("Three.", ("Ads",), 1, 15, 21),
        Sentence("Four.", (), 2, 22, 27),
    )


def test_every_question_on_a_policy_is_asked_with_the_same_sentences():
    by = Overlap()
    replies = ask_all(by, [SHEET], ("combined", "nothing"))
    assert [one.question.id for one in replies] == ["q1", "q2", "q3"]
    assert {where for _, where in by.asked} == {id(SHEET.sentences)}
    assert [system for system, _ in by.asked] == ["combined", "nothing", "combined"] * 3  # the third to decide


def test_only_the_default_path_decides():
    assert all(one.decision is None for one in ask_all(Overlap(), [SHEET], ("backwards",)))
    assert [one.decision.state for one in ask_all(Overlap(), [SHEET], ("combined",))] == [
        "answered", "answered", "not a privacy question",
    ]  # fmt: skip


def test_only_candidates_are_ranked_and_counted_as_chosen():
    reply = ask_all(Overlap(), [SHEET], ("combined", "backwards"))[0]
    # "Email us." has a common word but is no candidate; equal ones stand in the policy's order.
    assert reply.ranking("combined", frozenset({4})).tolist() == [False, True, False, False]
    assert reply.ranking("backwards", frozenset({0})).tolist() == [False, False, False, True]
    assert reply.marks((0, 3)).tolist() == [True, False, False, False]


def test_measures_of_each_system_and_what_was_chosen_by_the_first():
    replies = ask_all(Overlap(), [SHEET], ("combined", "backwards"))[:2]
    found = measured(replies, [frozenset({0, 4}), frozenset()], "x/")
    assert found["combined"]["x/top-1"] == 0.5
    assert found["combined"]["x/top-1_answerable"] == 1
    assert found["backwards"]["x/MRR_answerable"] == pytest.approx(1 / 3)
    assert "x/selection_F1" in found["combined"]
    assert "x/selection_F1" not in found["backwards"]


def test_some_policies_and_some_questions():
    other = Sheet("other", SHEET.sentences, SHEET.numbers, (Question("o1", "?", (0,), None),))
    assert only([SHEET, other], None) == [SHEET, other]
    assert only([SHEET, other], frozenset({"shop"})) == [SHEET]
    (kept,) = only([SHEET, other], frozenset({"q2", "nobody"}))
    assert [one.id for one in kept.questions] == ["q2"]
    assert kept.sentences is SHEET.sentences


def test_predictions_name_sentences_as_the_data_do():
    lines = [reply.prediction() for reply in ask_all(Overlap(), [SHEET], ("combined", "backwards"))]
    assert json.loads(json.dumps(lines)) == lines
    assert lines[0] == {
        "id": "q1", "policy": "shop", "chosen": [0, 6], "bearing": [0, 6], "state": "answered", "verdict": "told",
        "confidence": 0.5, "answerable": 2.0, "relevant": [0, 8],
        "scores": {
            "combined": {"0": 2.0, "2": 0.0, "4": 0.0, "6": 1.0, "8": 1.0},
            "backwards": {"0": -2.0, "2": 0.0, "4": 0.0, "6": -1.0, "8": -1.0},
        },
    }  # fmt: skip
    assert lines[1]["relevant"] == []
    assert "relevant" not in lines[2]
    first = ask_all(Overlap(), [SHEET], ("backwards",))[0]
    assert list(first.prediction()) == ["id", "policy", "relevant", "scores"]


class Broken(Overlap):
    def __init__(self, scores, state="answered"):
        super().__init__()
        self.said, self.state = scores, state

    def scores(self, system, question, sentences):
        return self.said

    def decide(self, question, sentences):
        return Decided((), self.state, 0.5, 0.5)


@pytest.mark.parametrize("scores", [np.zeros(4), np.zeros((5, 1)), np.array([0, 1, np.nan, 0, 0])])
def test_scores_that_cannot_be_ranked_are_a_mistake(scores):
    with pytest.raises(ValueError, match="for 5 sentences"):
        ask_all(Broken(scores), [SHEET], ("combined",))


def test_a_state_that_nobody_knows_is_a_mistake():
    with pytest.raises(ValueError, match="'perhaps' is no state"):
        ask_all(Broken(np.zeros(5), "perhaps"), [SHEET], ("combined",))


SELL = "Do you sell my data?"


class Counting:
    """The reader, counting what it reads."""

    def __init__(self) -> None:
        self.read_so_far = 0

    def read(self, question, sentences, window=128):
        self.read_so_far += len(sentences)
        return kit().reader.read(question, sentences, window)


def test_rankers_side_by_side_read_nothing_twice():
    models, counting = Kit(), Counting()
    models.reader = counting
    answerer = Answerer(models)
    first = answerer.scores("reader without spans", SELL, SENTENCES)
    assert counting.read_so_far == len(SENTENCES)
    again = answerer.scores("combined", SELL, SENTENCES)
    assert counting.read_so_far == len(SENTENCES)
    assert first.shape == again.shape
    assert np.array_equal(answerer.decide(SELL, SENTENCES).scores, again)


def test_another_policy_and_another_question_are_not_mixed_up():
    answerer = Answerer()
    other = SENTENCES[::-1]
    one = answerer.scores("dense", SELL, SENTENCES)
    assert np.allclose(answerer.scores("dense", SELL, other)[::-1], one, atol=0.05)
    assert not np.allclose(answerer.scores("dense", "Is my card safe?", SENTENCES), one, atol=0.05)
    assert answerer.systems == tuple(RANKERS)
