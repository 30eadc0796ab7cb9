"""What a question names, and how much of it stands in a policy."""

from __future__ import annotations

import pytest

from smallprint.ask.model_set import kit
from smallprint.ask.question.analysis import ask
from smallprint.ask.verdict.coverage import Coverage, coverage
from smallprint.records import Sentence

POLICY = (Sentence("We keep recordings of calls for a year."), Sentence("We use cookies.", ("Advertisers",)))


def covered(question, sentences=POLICY):
    return coverage(ask(question, kit()), sentences, kit())


def test_what_stands_in_one_sentence_is_there_altogether():
    found = covered("do you record my calls?")
    assert (found.exact, found.near, found.together, found.missing) == (1.0, 1.0, 1.0, 0.0)


def test_words_of_several_sentences_are_there_but_not_together():
    found = covered("do advertisers get recordings of calls?")
    assert found.exact == 1.0
    assert 0 < found.together < 1


def test_a_thing_that_the_policy_never_names_is_missing():
    found = covered("do you take my fingerprints?")
    assert (found.exact, found.together) == (0.0, 0.0)
    assert found.missing > 5
    assert found.near <= 1


def test_a_heading_names_things_too():
    assert covered("advertisers?").exact == 1.0


@pytest.mark.parametrize("question", ["what do you know about me?", ""])
def test_a_question_that_names_nothing_rare_is_covered(question):
    assert covered(question) == Coverage(1.0, 1.0, 1.0, 0.0, 0.0)


def test_a_policy_without_sentences_has_nothing():
    assert covered("do you record my calls?", ()).exact == 0.0
