from __future__ import annotations

import numpy as np
import pytest

from smallprint.ask.verdict.card import MOST_SHOWN, Verdict, card_of, stances_of
from smallprint.card import CODES, STANCES, VERDICTS


class Says:
    """A rule that says the same on every question."""

    def __init__(self, verdict):
        self.told = np.where(np.array(VERDICTS) == verdict, 0.9, 0.025).astype(np.float32)

    def probabilities(self, features):
        return np.repeat(self.told[None], len(features), axis=0)


def probabilities(*rows):
    whole = np.array([[1 - sum(row), *row] for row in rows], dtype=np.float32).reshape(-1, 1, len(STANCES))
    return np.repeat(whole, len(CODES), axis=1)


@pytest.mark.parametrize(("verdict", "places"), [
    ("yes", (2, 0)), ("no", (1,)), ("depends", (3,)), ("both", (2, 1, 3, 0)), ("silent", ()),
])  # fmt: skip
def test_a_verdict_rests_on_the_sentences_that_speak_for_it(verdict, places):
    stances = probabilities((0.4, 0.05, 0), (0.05, 0.8, 0), (0.9, 0.05, 0), (0.1, 0.0, 0.6))
    found = card_of(stances, Says(verdict))
    assert [own.code for own in found] == list(CODES)
    assert {(own.verdict, own.leaning) for own in found} == {(Verdict(verdict), Verdict(verdict))}
    assert found[0].places == places
    assert found[0].confidence == pytest.approx(0.9)


def test_the_likeliest_sentence_is_shown_however_unlikely_it_is():
    assert card_of(probabilities((0.01, 0, 0), (0.02, 0, 0)), Says("yes"))[0].places == (1,)


def test_not_all_of_many_sentences_are_shown():
    assert len(card_of(probabilities(*[(0.9, 0, 0)] * 50), Says("yes"))[0].places) == MOST_SHOWN


def test_a_policy_without_sentences_rests_on_none():
    assert {own.places for own in card_of(probabilities(), Says("yes"))} == {()}


def test_logits_are_turned_into_probabilities():
    found = stances_of(np.array([[[800.0, 0.0, 0.0, 800.0]]], dtype=np.float32))
    assert found.tolist() == [[[0.5, 0.0, 0.0, 0.5]]]
