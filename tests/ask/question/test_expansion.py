from __future__ import annotations

from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint.ask.question import expansion
from smallprint.ask.question.expansion import (
    MOST,
    NEIGHBOURS,
    Paraphrase,
    by_all_rules,
    by_rules,
    by_translation,
    by_vectors,
    expand,
    rules,
)
from smallprint.ask.question.normalising import normalise
from smallprint.models.vectors import Neighbour, shipped


class Near:
    """Vectors that know a few words."""

    parts: ClassVar = {"phone": "NN", "app": "NN", "sell": "VB", "do": "VB", "quickly": "RB"}
    near: ClassVar = {
        "phone": (Neighbour("telephone", 0.9), Neighbour("phones", 0.8), Neighbour("fax", 0.6), Neighbour("far", 0.2)),
        "app": (Neighbour("application", 0.9),),
        "sell": (Neighbour("rent", 0.9), Neighbour("trade", 0.8)),
    }

    def part(self, word):
        return self.parts.get(word, "")

    def nearest(self, word, count):
        return self.near.get(word, ())[:count]


def texts(found):
    return [one.text for one in found]


def test_there_are_more_than_fifty_rules():
    assert len(rules()) > 50
    for asked, rule in rules().items():
        assert asked == rule.asked == asked.lower() == " ".join(asked.split())
        assert rule.written
        assert asked not in {rule.written, rule.spoken}


def test_rules_one_at_a_time():
    assert list(by_rules("can kids use my phone?")) == [
        Paraphrase("can children use my phone?", "rule: kids -> children"),
        Paraphrase("can kids use the user's phone?", "rule: my -> the user's"),
        Paraphrase("can kids use your phone?", "rule: my -> your"),
        Paraphrase("can kids use my device?", "rule: phone -> device"),
    ]


def test_all_rules_at_once():
    assert list(by_all_rules("Do you sell my info?")) == [
        Paraphrase("Does the company disclose to third parties the user's information?", "all rules"),
        Paraphrase("Do we disclose to third parties your information?", "all rules, as a policy speaks"),
    ]
    assert list(by_all_rules("nothing of the kind")) == []


def test_the_longest_words_of_a_rule_are_taken():
    assert texts(by_all_rules("my data"))[0] == "the user's personal information"
    assert texts(by_all_rules("do i pay"))[0] == "does the user make a payment"


def test_a_rule_is_for_whole_words():
    assert list(by_rules("myth, phoney and i'd")) == []


def test_what_is_sold_to_somebody_is_not_disclosed_twice():
    assert texts(by_rules("is it sold to advertisers"))[0] == "is it disclosed to advertisers"
    assert texts(by_rules("is it sold"))[0] == "is it disclosed to third parties"


def test_words_by_their_neighbours_the_nearest_of_each_first():
    assert list(by_vectors("do you sell a phone app quickly", Near())) == [
        Paraphrase("do you rent a phone app quickly", "vectors: sell -> rent"),
        Paraphrase("do you sell a telephone app quickly", "vectors: phone -> telephone"),
        Paraphrase("do you sell a phone application quickly", "vectors: app -> application"),
        Paraphrase("do you trade a phone app quickly", "vectors: sell -> trade"),
        Paraphrase("do you sell a fax app quickly", "vectors: phone -> fax"),
    ]


def test_articles_and_capitals_follow():
    assert (
        texts(by_vectors("An app? Phone. A phone's app", Near()))[0] == "An application? Phone. A phone's application"
    )
    assert texts(by_vectors("a app", Near())) == ["an application"]
    assert texts(by_vectors("Phone's cover", Near()))[0] == "Telephone's cover"


def test_shipped_neighbours_have_the_word_s_form():
    known = shipped()
    found = list(by_vectors("are my photos shared with advertisers", known))
    assert 5 <= len(found) <= 3 * NEIGHBOURS
    for one in found:
        word, _, near = one.source.removeprefix("vectors: ").partition(" -> ")
        assert known.part(word) == known.part(near)
        assert one.text == "are my photos shared with advertisers".replace(word, near)


def test_a_question_in_other_words():
    found = expand(normalise("do u sell my phone number??"))
    sources = [one.source for one in found]
    assert sources[:2] == ["all rules", "all rules, as a policy speaks"]
    assert any(source.startswith("rule: ") for source in sources)
    assert any(source.startswith("vectors: ") for source in sources)
    assert len({one.text.casefold() for one in found} | {"do you sell my phone number?"}) == len(found) + 1
    assert expand(normalise("do u sell my phone number??")) == found


def test_there_is_a_bound():
    things = "photos messages contacts purchases searches videos names addresses passwords payments friends devices"
    long = normalise(f"do you sell my {things} or share them with advertisers, partners, the police and my employer")
    assert len(expand(long)) == MOST
    assert [len(expand(long, most)) for most in (0, -1, 1, 7)] == [0, 0, 1, 7]
    assert expand(long, 7) == expand(long)[:7]


@pytest.mark.parametrize("asked", ["", "???", "你好吗", "qqqqq zzzzz"])
def test_nothing_to_say_otherwise(asked):
    assert expand(normalise(asked)) == ()


def test_translation_is_asked_for(monkeypatch):
    monkeypatch.setattr(expansion, "there_and_back", lambda text: f"to wit: {text}")
    assert list(by_translation("do you?")) == [Paraphrase("to wit: do you?", "back-translation")]
    assert list(by_translation("")) == []
    said = Paraphrase("to wit: can i pay?", "back-translation")
    assert said in expand(normalise("can i pay?"), translate=True)
    assert said not in expand(normalise("can i pay?"))


@given(st.text(max_size=200))
@settings(deadline=None)
def test_any_question_can_be_said_otherwise(asked):
    question = normalise(asked)
    found = expand(question)
    assert len(found) <= MOST
    assert all(one.text and one.text.casefold() != question.text.casefold() for one in found)
