"""What is meant by what is said next."""

from __future__ import annotations

import pytest

from smallprint.ask.conversation import Conversation, Option
from smallprint.ask.turns import Turn, choice_of, read_turn

OPTIONS = (Option("Heron (heron.example)", "", "heron.example"), Option("Blue Kite (kite.example)", "", "kite.example"))
ASKED = Conversation(policy_id="heron.example", question="do you sell my data?")


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("2", 1),
        ("the first one please", 0),
        ("I mean Blue Kite", 1),
        ("heron.example", 0),
        ("the fifth", None),
        ("example", None),
        ("does heron sell what I say to others for money", None),
    ],
)
def test_an_option_is_chosen_by_its_number_or_by_words_of_its_own(text, chosen):
    assert choice_of(text, OPTIONS) == chosen


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("?", Turn("help")),
        ("...", Turn("nothing")),
        ("thanks a lot", Turn("thanks", "thanks a lot")),
        ("no, I meant my photos", Turn("repair", "my photos")),
        ("no, sorry, I meant", Turn("no")),
        ("for how long?", Turn("fragment", "for how long?")),
    ],
)
def test_a_turn_is_read_where_a_question_was_asked(text, turn):
    assert read_turn(text, ASKED) == turn


def test_the_same_words_may_mean_another_thing_at_the_beginning():
    assert read_turn("for how long?", Conversation()) == Turn("question", "for how long?")


def test_a_name_alone_is_a_name():
    assert read_turn("Heron", ASKED, 1, is_only_a_name=True) == Turn("name", "Heron")
