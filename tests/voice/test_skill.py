"""Each kind of request that is documented, answered over HTTP with the sample's policies."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from smallprint.voice.requests import BUILT_IN, CARRIERS, PHRASES, utterance_of
from smallprint.voice.skill import GOODBYE, HELP, NOTHING_SAID, UNHEARD, WELCOME

from .making import ended, intent, launch, written


def sentences(answer):
    """Give what is said; it is checked against what Alexa takes."""
    assert answer["version"] == "1.0"
    speech = answer["response"]["outputSpeech"]
    assert (speech["type"], len(speech["ssml"]) < 8_000) == ("SSML", True)
    root = ET.fromstring(speech["ssml"])
    assert (root.tag, {one.tag for one in root}) == ("speak", {"s"})
    said = tuple(one.text for one in root)
    assert 1 <= len(said) <= 3
    assert not any(re.search(r"https?:|www\.|[<>&%§]", one) for one in said)
    card = answer["response"].get("card")
    assert card is None or (card["type"] == "Simple" and len(card["title"] + card["content"]) <= 8_000)
    return said


def listens(answer):
    response = answer["response"]
    return response["shouldEndSession"] is False and "<s>" in response["reprompt"]["outputSpeech"]["ssml"]


def test_launch(post):
    answer = post(written(launch())).json()
    assert sentences(answer) == WELCOME
    assert listens(answer)
    assert answer["sessionAttributes"]["conversation"]["policy_id"] == ""


def test_a_question_its_card_and_what_follows(say):
    answer = say("DoesIntent", question="kitegram share my location with advertisers")
    said = sentences(answer)
    assert listens(answer)
    card = answer["response"]["card"]
    assert "“" in card["content"]
    assert re.search(r"Version kitegram\.example\S*@", card["content"])
    assert "characters" in card["content"]
    assert answer["sessionAttributes"]["conversation"]["policy_id"].startswith("kitegram.example")
    follow = say("AboutIntent", question="my contacts")
    assert sentences(follow) != said
    assert follow["sessionAttributes"]["conversation"]["policy_id"].startswith("kitegram.example")


def test_more_goes_on_without_repeating_until_all_is_told(say):
    told = list(sentences(say("WhatIntent", question="data does kitegram collect")))
    for _ in range(12):
        if told[-1] != "Do you want to hear more?":
            break
        told.pop()
        now = sentences(say("AMAZON.YesIntent" if len(told) % 2 else "MoreIntent"))
        assert not set(now[:-1]) & set(told)
        told += now
    assert told[-1] != "Do you want to hear more?"


def test_a_question_over_the_library_names_policies_and_shows_their_sentences(say):
    answer = say("WhichIntent", question="policies do not share data with advertisers")
    said = sentences(answer)
    assert any(" and " in one for one in said)
    assert answer["response"]["card"]["content"].count("“") > 1


@pytest.mark.parametrize("name", ["AMAZON.StopIntent", "AMAZON.CancelIntent", "AMAZON.NavigateHomeIntent"])
def test_the_end(say, name):
    answer = say(name)
    assert sentences(answer) == GOODBYE
    assert answer["response"]["shouldEndSession"] is True
    assert "reprompt" not in answer["response"]


def test_help(say):
    answer = say("AMAZON.HelpIntent")
    assert sentences(answer) == HELP
    assert listens(answer)


def test_what_was_not_understood(say):
    for name, slots in (("AMAZON.FallbackIntent", {}), ("NoIntentOfOurs", {}), ("AskIntent", {"question": " "})):
        answer = say(name, **slots)
        assert sentences(answer) == UNHEARD
        assert listens(answer)


def test_no_is_no_answer_to_be_afraid_of(say):
    say("DoesIntent", question="kitegram sell my data")
    answer = say("AMAZON.NoIntent")
    assert sentences(answer)[0].startswith("All right")
    assert listens(answer)


def test_again(say):
    assert sentences(say("AMAZON.RepeatIntent")) == NOTHING_SAID
    said = sentences(say("DoesIntent", question="kitegram sell my data"))
    assert sentences(say("AMAZON.RepeatIntent")) == said
    assert sentences(say("AMAZON.RepeatIntent")) == said


def test_anew(say):
    say("DoesIntent", question="kitegram sell my data")
    answer = say("AMAZON.StartOverIntent")
    assert answer["sessionAttributes"]["conversation"]["policy_id"] == ""


def test_the_end_of_a_session_takes_no_speech(post):
    answer = post(written(ended(), attributes={"x": 1}))
    assert (answer.status_code, answer.json()) == (200, {"version": "1.0", "response": {}})


def test_what_is_no_request_of_a_conversation_is_answered_with_nothing(post):
    answer = post(written({"type": "System.ExceptionEncountered"}))
    assert answer.json() == {"version": "1.0", "response": {}}


@pytest.mark.parametrize(
    "attributes", [{"conversation": {"version": 99}}, {"conversation": 7, "said": 3, "untold": [1], "waiting": []}]
)
def test_attributes_of_another_kind_begin_anew(post, attributes):
    answer = post(written(intent("AMAZON.HelpIntent"), attributes=attributes))
    assert sentences(answer.json()) == HELP


def test_what_is_heard_is_put_back_into_a_sentence():
    assert utterance_of("DoesIntent", " kitegram  sell my data ").text == "does kitegram sell my data"
    assert utterance_of("AskIntent", "how long data is kept").text == "how long data is kept"
    assert utterance_of("MeanIntent", "kitegram").text == "I mean kitegram"
    assert utterance_of("FirstIntent", "").text == "the first one"
    known = [*CARRIERS, *PHRASES, *BUILT_IN]
    assert len(known) == len(set(known))
