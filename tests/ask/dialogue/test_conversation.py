"""Conversations as JSON: out and in again, bounded, and one clear line for what is none."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint import limits
from smallprint.ask.dialogue.conversation import (
    LONGEST_LINE,
    MOST_PAST,
    Conversation,
    Exchange,
    Option,
    Pending,
    from_json,
)
from smallprint.errors import BadConversation

FULL = Conversation(
    "shop.example-1",
    "do you sell my data?",
    3,
    over_library=False,
    asked_back=True,
    pending=Pending("which", (Option("A (a.example)", "q", "a"), Option("B (b.example)", "q", "b")), "q"),
    past=(Exchange("hello", "I did not hear a question."),),
)


def test_a_conversation_comes_back_as_it_went():
    assert from_json(json.dumps(FULL.to_json())) == FULL
    assert from_json(FULL.to_json()) == FULL


@pytest.mark.parametrize("nothing", [None, "", {}])
def test_nothing_is_a_new_conversation(nothing):
    assert from_json(nothing) == Conversation()


@pytest.mark.parametrize(
    "given",
    [
        "{",
        "[]",
        "[" * 5_000,
        '"text"',
        "{}x",
        '{"version": 2}',
        {"version": 1, "told": -1},
        {"version": 1, "told": True},
        {"version": 1, "question": 7},
        {"version": 1, "asked_back": "yes"},
        {"version": 1, "surprise": 1},
        {"version": 1, "pending": {"waits": "money"}},
        {"version": 1, "pending": {"waits": "which", "options": [{"label": "x"}] * 6}},
        {"version": 1, "pending": 4},
        {"version": 1, "past": [1]},
        {"version": 1, "policy_id": "x" * 501},
        "x" * (limits.MAX_CONVERSATION + 1),
    ],
)
def test_what_is_no_conversation_is_one_line(given):
    with pytest.raises(BadConversation) as caught:
        from_json(given)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_only_so_much_is_remembered():
    now = Conversation()
    for number in range(20):
        now = Conversation(past=now.remember(f"{number} " + "x" * 900, "said"))
    assert [one.asked[:2].strip() for one in now.past] == [str(number) for number in range(20 - MOST_PAST, 20)]
    assert all(len(one.asked) <= LONGEST_LINE for one in now.past)
    assert len(json.dumps(now.to_json())) < limits.MAX_CONVERSATION
    assert from_json(json.dumps(now.to_json())) == now


KEYS = st.sampled_from(["version", "pending", "past", "told", "waits", "options", "question"])
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=20)


@given(st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner)))
def test_whatever_is_handed_in_is_read_or_refused(given):
    with suppress(BadConversation):
        assert isinstance(from_json(json.dumps(given)), Conversation)
