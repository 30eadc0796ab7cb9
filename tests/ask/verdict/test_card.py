from __future__ import annotations

import numpy as np
import pytest

from smallprint.ask.verdict.card import MOST_SHOWN, card_of, stances_of
from smallprint.card import CODES, STANCES, VERDICTS, Verdict
from smallprint.records import Sentence


class Says:
    """A rule that says the same on every question."""

    def __init__(self, verdict):
        self.told = np.where(np.array(VERDICTS) == verdict, 0.9, 0.025).astype(np.float32)

    def probabilities(self, features):
        return np.repeat(self.told[None], len(features), axis=0)


def probabilities(*rows):
    whole = np.array([[1 - sum(row), *row] for row in rows], dtype=np.float32).reshape(1, -1, 1, len(STANCES))
    return np.repeat(whole, len(CODES), axis=2)


def made(stances, verdict, text="We do nothing of the kind with anyone."):
    return card_of([Sentence(text)] * stances.shape[1], stances, Says(verdict))


@pytest.mark.parametrize(("verdict", "places"), [
    ("yes", (2, 0)), ("no", (1,)), ("depends", (3,)), ("silent", ()),
])  # fmt: skip
def test_a_verdict_rests_on_the_sentences_that_speak_for_it(verdict, places):
    stances = probabilities((0.4, 0.05, 0), (0.05, 0.8, 0), (0.9, 0.05, 0), (0.1, 0.0, 0.6))
    found = made(stances, verdict)
    assert [own.code for own in found] == list(CODES)
    assert {(own.verdict, own.leaning) for own in found} == {(Verdict(verdict), Verdict(verdict))}
    assert found[0].places == places
    assert found[0].confidence == pytest.approx(0.9)


def test_the_likeliest_sentence_is_shown_however_unlikely_it_is():
    assert made(probabilities((0.01, 0, 0), (0.02, 0, 0)), "yes")[0].places == (1,)


def test_not_all_of_many_sentences_are_shown():
    assert len(made(probabilities(*[(0.9, 0, 0)] * 50), "yes")[0].places) == MOST_SHOWN


def test_a_policy_without_sentences_rests_on_none():
    assert {own.places for own in made(probabilities(), "yes")} == {()}


def test_both_is_said_of_the_same_thing_alone():
    stances = probabilities((0.9, 0.0, 0.0), (0.0, 0.9, 0.0))
    affirms, denies = Sentence("We sell your personal data."), Sentence("We do not sell your personal data.")
    other = Sentence("If our company is sold, your data are passed on.")
    sells = CODES.index("sells")
    assert card_of([affirms, denies], stances, Says("both"))[sells].verdict == "both"
    told = card_of([other, denies], stances, Says("both"))[sells]
    assert (told.verdict, told.leaning, told.places) == ("depends", "both", (0, 1))


def test_both_readers_are_heard():
    stances = np.concatenate([probabilities((0.9, 0, 0), (0.1, 0, 0)), probabilities((0, 0, 0), (0.9, 0, 0))])
    assert made(stances, "yes")[0].places == (1, 0)
    assert card_of([], probabilities(), Says("silent"))[0].verdict == "silent"


def test_a_rule_leads_from_a_limited_denial_to_depends_and_shows_the_denial():
    stances = probabilities((0.0, 0.9, 0.0))
    sells = made(stances, "no", "We do not sell the personal information of users under 16.")[CODES.index("sells")]
    assert (sells.verdict, sells.leaning, sells.places) == ("depends", "no", (0,))
    assert sells.confidence == pytest.approx(0.025)
    flat = made(stances, "no", "We do not sell your personal information.")[CODES.index("sells")]
    assert (flat.verdict, flat.leaning) == ("no", "no")


def test_logits_are_turned_into_probabilities():
    found = stances_of(np.array([[[800.0, 0.0, 0.0, 800.0]]], dtype=np.float32))
    assert found.tolist() == [[[0.5, 0.0, 0.0, 0.5]]]
