from __future__ import annotations

import numpy as np
import pytest

from smallprint.card import CODES, STANCES
from smallprint.datasets import verdicts
from smallprint.datasets.verdicts import CardItem, Contrast, Labels
from smallprint.records import Sentence
from smallprint.train.card_material import UNKNOWN, invented, learnt_from, units

SELLS, AI = CODES.index("sells"), CODES.index("ai")


def item(code, verdict, earns=(), also=()):
    return CardItem("p", code, verdict, (verdict,), tuple(earns), tuple(also))


def test_sentences_have_the_stances_that_cards_give_them():
    marked = (item("sells", "no", [0], [1]), item("ai", "silent", (), [2]), item("dnt", "both", [3]))
    found = units(Labels({"p": tuple(map(Sentence, "abcd"))}, marked))
    assert [unit.stances[SELLS] for unit in found] == [STANCES.index("-"), UNKNOWN, 0, 0]
    assert [unit.stances[AI] for unit in found] == [0, 0, 0, 0]
    assert found[3].stances[CODES.index("dnt")] == UNKNOWN
    assert np.flatnonzero(found[0].is_silent).tolist() == [AI]
    assert [unit.before for unit in found] == ["", "a", "b", "c"]


def test_a_lead_in_stands_before_its_item():
    found = units(Labels({"p": (Sentence("a"), Sentence("b", lead_in="x"))}))
    assert [unit.before for unit in found] == ["", "x"]


def test_of_an_invented_sentence_one_question_is_known():
    (found,) = invented([Contrast("ai", "~", "", "H", "s", "ai-1")])
    assert found.stances[AI] == STANCES.index("~")
    assert set(np.delete(found.stances, AI).tolist()) == {UNKNOWN}
    assert found.sentence.under_heading == "H. s"


@pytest.mark.real_data
def test_what_is_learnt_from_is_not_measured_on(data_dir):
    known, kept = learnt_from(data_dir), verdicts.kept_out(data_dir)
    assert not known.policies.keys() & kept.policies.keys()
    assert (len(known.policies), len(kept.policies)) == (218, 32)
    asked = {(own.card, own.text.lower()) for own in known.wordings}
    assert not asked & {(own.card, own.text.lower()) for own in kept.wordings}
    twins = {own.sentence.lower() for own in known.contrast}
    assert not twins & {own.sentence.lower() for own in kept.contrast}
    assert (len(known.wordings), len(known.contrast)) == (4350, 4128)
