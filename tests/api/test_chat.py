"""A conversation over HTTP: turn by turn, with nothing kept on the server, and what is no conversation refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from .test_ask import ODD
from .test_description import is_problem

SELL = "does Kitegram sell my data?"
COMPANIES = ("Kitegram", "Nestchat", "Tidemark Bank", "PulseWell")


@pytest.fixture
def say(client):
    """Give a function that says something."""
    return lambda said, conversation=None, **more: client.post(
        "/api/v1/chat", json={"said": said, "conversation": conversation, **more}
    )


def test_a_conversation_goes_on_from_what_is_handed_back(say):
    first = say(SELL).json()
    then = say("and my location?", first["conversation"]).json()
    assert (first["reply"]["kind"], then["reply"]["kind"]) == ("answer", "answer")
    assert then["reply"]["answer"]["question"] == "do you sell my location?"
    assert then["reply"]["policy"]["domain"] == "kitegram.example"
    assert then["conversation"]["past"][0]["asked"] == SELL


def test_citations_are_addresses_of_the_site(client, say):
    found = say("which medical sites do not share data with advertisers?").json()["reply"]
    assert len(found["policies"]) >= 3
    for one in found["policies"]:
        text = client.get(f"/api/v1/policies/{one['policy_id']}/text?version={one['version_id']}").json()["text"]
        assert text[one["start"] : one["end"]] == one["text"]
        assert client.get(one["permalink"]).status_code == 200


def test_a_policy_may_be_named_to_begin_with(say):
    found = say("how long do you keep my data?", policy="tidemarkbank.example").json()
    assert found["reply"]["policy"]["domain"] == "tidemarkbank.example"
    assert is_problem(say("hello", policy="nowhere.example"), 404)
    then = say("and Kitegram?", found["conversation"]).json()
    back = say("how long?", then["conversation"], policy="tidemarkbank.example").json()
    assert [one["reply"]["policy"]["name"] for one in (then, back)] == ["Kitegram", "Tidemark Bank"]


def test_conversations_do_not_mix(say):
    def talk(company):
        first = say(f"does {company} sell my data?").json()
        return [first, *(say(said, first["conversation"]).json() for said in ("and my location?", "how long?"))]

    with ThreadPoolExecutor(8) as threads:
        talks = list(threads.map(talk, COMPANIES * 3))
    for company, found in zip(COMPANIES * 3, talks, strict=True):
        assert {one["reply"]["policy"]["name"].lower() for one in found} == {company.lower()}
        assert [one["conversation"]["question"] for one in found[1:]] == [
            "do you sell my location?", "How long do you keep my data?",
        ]  # fmt: skip


@pytest.mark.parametrize("said", [one for one in ODD if len(one) < 4_000], ids=lambda one: ascii(one)[1:20])
def test_whatever_is_said_gets_a_reply(say, said):
    found = say(said, policy="tidemarkbank.example")
    assert found.status_code == 200
    assert found.json()["reply"]["lines"]


@pytest.mark.parametrize(
    "given",
    [
        {"version": 2}, {"version": 1, "told": -1}, {"version": 1, "other": 1}, {"version": 1, "pending": {}},
        {"version": 1, "past": [1]}, {"version": 1, "pending": {"waits": "which", "options": [{"label": 1}]}},
        [], "x", 7,
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_conversation_is_a_problem(say, given):
    assert is_problem(say(SELL, given), 400)


def test_what_is_too_long_is_a_problem(say):
    assert say("a" * 4_000).status_code == 200
    assert is_problem(say("a" * 4_001), 400)
    long = {"version": 1, "question": "a" * 4_001}
    assert is_problem(say(SELL, long), 400)


def test_nothing_is_fetched_unless_the_server_may(say):
    found = say("does nowhere.invalid sell my data?").json()
    assert (found["reply"]["kind"], found["conversation"]["pending"]) == ("note", None)
    pending = {"waits": "fetch", "question": "do you sell my data?", "address": "nowhere.invalid"}
    found = say("yes", {"version": 1, "pending": pending}).json()
    assert "smallprint add nowhere.invalid" in found["reply"]["lines"][0]
