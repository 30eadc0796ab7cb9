from __future__ import annotations

import numpy as np
import pytest

from smallprint.ask.answer.decision import MOST_CHOSEN, QUESTION_FEATURES, State, decide, question_features
from smallprint.ask.model_set import kit
from smallprint.ask.question.analysis import ask
from smallprint.ask.ranking.evidence import Evidence

from ..shop import SENTENCES, shop


def decided(question, evidence=None):
    return decide(ask(question, kit()), shop() if evidence is None else evidence, kit())


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Do you sell my data?", "never sell"),
        ("how long do u keep my orders??", "seven years"),
        ("Do you use cookies?", "cookies"),
    ],
)
def test_what_the_policy_says_is_answered_with_it(question, words):
    found = decided(question)
    assert found.state is State.ANSWERED
    assert any(words in SENTENCES[place].text for place in found.chosen[:2])
    assert 0.3 < found.confidence <= 1
    assert found.answerable > 0.5


@pytest.mark.parametrize("question", ["Who won the world cup in 1998?", "What is the weather in Oslo?", "", "?!"])
def test_what_is_no_question_on_privacy_gets_no_sentences(question):
    found = decided(question)
    assert (found.state, found.chosen) == (State.FOREIGN, ())


@pytest.mark.parametrize(
    "question",
    ["Do you collect my fingerprints?", "Do you read my messages?", "Do you knowingly collect data of children?"],
)
def test_what_the_policy_is_silent_about_is_not_answered(question):
    assert decided(question).state in {State.SILENT, State.UNSURE}


def test_a_policy_without_sentences_is_silent():
    assert decided("Do you sell my data?", Evidence((), shop().labels[:0], shop().vectors[:0])).state is State.SILENT


def test_what_is_chosen_is_the_best_and_in_that_order():
    for question in ("Do you sell my data?", "What do you know about me?", "Do you collect my fingerprints?"):
        found = decided(question)
        scores = found.scores[list(found.chosen)]
        assert len(found.chosen) <= MOST_CHOSEN
        assert (np.diff(scores) <= 0).all()
        assert scores.size == 0 or scores.min() >= np.sort(found.scores)[::-1][len(found.chosen) - 1]


def test_every_feature_of_a_question_has_its_number():
    asked = ask("Do you sell my data?", kit())
    found = decide(asked, shop(), kit())
    features = question_features(asked, shop(), found.scores, found.readings, kit())
    assert features.shape == (len(QUESTION_FEATURES),)
    assert np.isfinite(features).all()
    assert features[QUESTION_FEATURES.index("best")] == pytest.approx(found.scores.max())
