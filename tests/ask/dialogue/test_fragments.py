"""Follow-ups that are no whole questions, made whole; and when to ask back, where a question is open."""

from __future__ import annotations

import pytest

from smallprint.ask.dialogue.conversation import Option
from smallprint.ask.dialogue.fragments import CERTAIN, clarification, complete, is_bare, is_fragment, is_whole, thing_of
from smallprint.records import Quote
from smallprint.taxonomy import category

SELL = "Do you sell my contacts?"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("and my location?", "Do you sell my location?"),
        ("what about my e-mail address", "Do you sell my e-mail address?"),
        ("why?", "Why do you sell my contacts?"),
        ("what for?", "Why do you sell my contacts?"),
        ("who else?", "Who else do you share my contacts with?"),
        ("how long?", "How long do you keep my contacts?"),
        ("and with advertisers?", "Do you sell my contacts to advertisers?"),
        ("and share them?", "Do you share my contacts?"),
        ("can I delete them?", "can I delete my contacts?"),
        ("for marketing?", "Do you sell my contacts for marketing?"),
        ("and children?", "What do you say about children?"),
        ("and cookies?", "What do you say about cookies?"),
        ("why not?", "Why do you not sell my contacts?"),
        ("with whom?", "Who do you share my contacts with?"),
    ],
)
def test_a_fragment_is_made_whole(said, meant):
    assert is_fragment(said)
    assert complete(said, SELL) == meant


def test_what_nobody_foresaw_is_put_in_and_replaced_too():
    assert complete("and my name?", SELL) == "Do you sell my name?"
    assert complete("and my location?", "Do you sell my name to brands?") == "Do you sell my location to brands?"
    assert complete("how long?", "Do you sell my name?") == "How long do you keep my name?"


def test_a_recipient_takes_the_place_of_another():
    assert (
        complete("and the police?", "Do you share my data with advertisers?") == "Do you share my data with the police?"
    )
    assert (
        complete("and to the police?", "do they sell my data to advertisers") == "do they sell my data to the police?"
    )


@pytest.mark.parametrize("said", ["Do you use cookies?", "How long do you keep my photos?", "what do you collect"])
def test_a_whole_question_is_no_fragment(said):
    assert is_whole(said)
    assert not is_fragment(said)


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("Do you sell my data?", "my data"),
        ("Where is my location stored?", "my location"),
        ("Is it safe?", "my data"),
        ("Are my keystrokes recorded?", "my keystrokes"),
        ("Do you share my shoe size with brands?", "my shoe size"),
        ("Who are you?", "my data"),
    ],
)
def test_what_a_question_is_about(question, thing):
    assert thing_of(question) == thing


def quote(practice, probability):
    plain = category(practice).plain if practice else None
    return Quote(
        policy_id=None, version_id=None, segment=0, start=0, end=0, text="", probability=probability, practice=plain
    )


BOTH = [quote("first-party", 0.9), quote("first-party", 0.85), quote("third-party", 0.8)]


def test_a_bare_thing_with_evidence_of_two_practices_is_asked_back():
    assert clarification("my location?", 0.9, BOTH) == (
        Option("how they use your location", "How do you use my location?"),
        Option("with whom they share your location", "Who do you share my location with?"),
    )


def test_an_uncertain_question_is_asked_back():
    assert len(clarification("Do you care about privacy at all?", CERTAIN - 0.1, BOTH)) == 2
    assert clarification("Do you care about privacy at all?", CERTAIN + 0.1, BOTH) == ()


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Do you sell my location?", BOTH),
        ("Can I delete my location?", BOTH),
        ("my location?", BOTH[:2]),
        ("my location?", [quote("first-party", 0.9), quote("third-party", 0.2)]),
        ("my location?", [quote("first-party", 0.9), quote(None, 0.9), quote("introduction", 0.9)]),
        ("my location?", []),
    ],
)
def test_what_is_plain_is_not_asked_back(question, best):
    assert clarification(question, 0.1, best) == ()


@pytest.mark.parametrize(
    ("question", "bare"),
    [("location?", True), ("what about my health data?", True), ("Is my location safe?", False), ("why?", False)],
)
def test_a_bare_question_names_a_thing_and_no_more(question, bare):
    assert is_bare(question) is bare
