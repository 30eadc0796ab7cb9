"""Questions over many policies: which are ones, and what they ask for."""

from __future__ import annotations

import pytest

from smallprint.ask.dialogue.acts import kind_of, of_one
from smallprint.ask.model_set import kit
from smallprint.assistant.across.parsing import parse, policy_question


@pytest.mark.parametrize(
    ("text", "named", "kind"),
    [
        ("which medical sites do not share data with advertisers?", 0, "list"),
        ("an app that does not share my location", 0, "list"),
        ("Are there banks that don't sell my information?", 0, "list"),
        ("Find me policies that let me export my data", 0, "list"),
        ("which policies are vaguest about retention?", 0, "vaguest"),
        ("compare what Oak & Ember and Kitegram keep", 2, "compare"),
        ("who keeps data indefinitely?", 0, "list"),
        ("who does not sell my data?", 0, "list"),
        ("sites for children that collect location", 0, "list"),
        ("who gets my data?", 0, None),
        ("Do you sell my data?", 0, None),
        ("What services do you share my data with?", 0, None),
        ("What data do you collect?", 0, None),
        ("does Kitegram sell my data?", 1, None),
    ],
)
def test_which_kind_of_question_it_is(text, named, kind):
    assert kind_of(text, named) == kind


def test_who_gets_data_is_asked_of_the_policy_spoken_of():
    assert kind_of("which companies get my data?", 0) == "list"
    assert kind_of("which companies get my data?", 0, spoken_of=True) is None
    assert kind_of("who uses my data?", 0) == "list"
    assert kind_of("who uses my data?", 0, spoken_of=True) is None
    assert kind_of("who keeps data indefinitely?", 0, spoken_of=True) == "list"


def test_one_policy_can_be_vague_or_surprising():
    assert of_one("what is it vague about?") == "vaguest"
    assert of_one("is there anything unusual in it?") == "surprising"
    assert of_one("do you sell my data?") is None


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("which sites do not sell my data?", "Do you sell my data?"),
        ("an app that does not share my location", "Do you share my location?"),
        ("Which policies say that they share data?", "Do you share data?"),
        ("sites for children that collect location", "Do you collect location?"),
        ("who keeps data indefinitely?", "Do you keep data indefinitely?"),
        ("which charities state how long they keep my data", "How long do you keep my data?"),
    ],
)
def test_the_same_is_asked_of_one_policy(text, about):
    assert policy_question(text) == about


def test_a_question_is_parsed_into_its_parts():
    found = parse("Which medical apps do not share my location with advertisers?", "list", kit())
    assert (found.wants, found.sectors, found.of_apps) == ("does not", ("medical",), True)
    assert found.matter is not None
    assert (found.matter.deeds, found.matter.things, found.matter.whom) == ({"share"}, {"location"}, {"advertisers"})
    assert [str(label) for label in found.labels] == [
        "third-party / Personal Information Type / Location",
        "third-party / Purpose / Advertising",
    ]


@pytest.mark.parametrize(
    ("text", "wants", "topic"),
    [
        ("Which sites do not honor do not track?", "does not", "do-not-track"),
        ("Which sites honor do not track?", "does", "do-not-track"),
        ("Which services let me delete my account?", "does", "delete"),
        ("Which policies keep data forever?", "does", "forever"),
        ("Which companies tell me about a breach?", "does", "breach"),
    ],
)
def test_a_topic_is_told_by_its_words(text, wants, topic):
    found = parse(text, "list", kit())
    assert (found.wants, found.topic and found.topic.id, found.matter) == (wants, topic, None)


def test_purposes_and_anybody_are_part_of_what_is_asked():
    cookies = parse("which news sites do not use cookies for advertising?", "list", kit()).matter
    assert cookies is not None
    assert (cookies.things, cookies.ends) == ({"cookies"}, {"advertising"})
    shared = parse("which universities share student data with third parties?", "list", kit()).matter
    assert shared is not None
    assert (shared.things, shared.whom) == (frozenset(), {"anybody"})


@pytest.mark.parametrize(
    ("text", "further"),
    [
        ("which shops let me delete my account?", ("account",)),
        ("which sites keep my data for a stated period?", ()),
        ("who keeps data indefinitely?", ()),
        ("which companies tell me about a breach?", ()),
    ],
)
def test_what_is_asked_beside_a_topic(text, further):
    found = parse(text, "list", kit())
    assert found.topic is not None
    assert found.topic.further(found.about) == further


def test_to_delete_what_is_inaccurate_is_to_correct():
    topic = parse("which shops let me delete my account?", "list", kit()).topic
    assert topic is not None
    assert topic.denials("You may ask us to delete your account.")
    assert not topic.denials("You may ask us to remove information you think is inaccurate.")
