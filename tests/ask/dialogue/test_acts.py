"""What is to be done next, by what was said and where a conversation stands."""

from __future__ import annotations

import pytest

from smallprint.ask.dialogue.acts import Act, choice_of, next_act, unnamed
from smallprint.ask.dialogue.conversation import Conversation, Option, Pending
from smallprint.records import Span

ASKED = Conversation(policy_id="kitegram", question="do you sell my data?")
BRANCHES = (Option("North (north.example)", "", "n"), Option("South (south.example)", "", "s"))
WHICH = Conversation(pending=Pending("which", BRANCHES, "do you sell it?"), asked_back=True)
USES = (Option("how they use your location", "How?"), Option("with whom they share your location", "Who?"))
MEANT = Conversation("k", "my location?", pending=Pending("clarify", USES, "my location?"), asked_back=True)
OPTIONS = (Option("Heron (heron.example)", "", "heron.example"), Option("Blue Kite (kite.example)", "", "kite.example"))
FETCH = Conversation(pending=Pending("fetch", (), "do you sell my data?", "shop.example"), asked_back=True)


def names(text, *said):
    return [Span(text.index(one), text.index(one) + len(one)) for one in said]


@pytest.mark.parametrize(
    ("said", "where", "act"),
    [
        ("Do you use cookies?", ASKED, Act("ask", "Do you use cookies?")),
        ("and my location?", ASKED, Act("ask", "do you sell my location?")),
        ("more", ASKED, Act("more")),
        ("yes", ASKED, Act("more")),
        ("no", ASKED, Act("decline")),
        ("that's not what I meant", ASKED, Act("decline")),
        ("no, I meant my photos", ASKED, Act("ask", "do you sell my photos?")),
        ("actually, how long do you keep it?", ASKED, Act("ask", "how long do you keep my data?")),
        ("thanks!", ASKED, Act("thanks")),
        ("thanks a lot", ASKED, Act("thanks")),
        ("?", ASKED, Act("help")),
        ("...", ASKED, Act("nothing")),
        ("no, sorry, I meant", ASKED, Act("decline")),
        ("for how long?", ASKED, Act("ask", "How long do you keep my data?")),
        ("for how long?", Conversation(), Act("ask", "for how long?")),
        ("bye", ASKED, Act("bye")),
        ("help", ASKED, Act("help")),
        ("start over", ASKED, Act("restart")),
        ("  ", ASKED, Act("nothing")),
        ("the second", ASKED, Act("nothing")),
        ("what is it vague about?", ASKED, Act("of one", "what is it vague about?", kind="vaguest")),
        ("anything surprising?", ASKED, Act("of one", "anything surprising?", kind="surprising")),
        ("which companies get my data?", ASKED, Act("ask", "which companies get my data?")),
        ("which sites sell my data?", ASKED, Act("library", "which sites sell my data?", kind="list")),
        ("which policies are vaguest?", ASKED, Act("library", "which policies are vaguest?", kind="vaguest")),
        ("2", WHICH, Act("ask", "do you sell it?", "s")),
        ("the south one", WHICH, Act("ask", "do you sell it?", "s")),
        ("yes", WHICH, Act("ask", "do you sell it?", "n")),
        ("with whom they share it", MEANT, Act("ask", "Who?", "k")),
        ("the former", MEANT, Act("ask", "How?", "k")),
        ("yes please", FETCH, Act("fetch", "do you sell my data?")),
        ("no", FETCH, Act("decline")),
    ],
)
def test_what_is_done_next(said, where, act):
    assert next_act(said, where) == act


@pytest.mark.parametrize(
    ("said", "named", "act"),
    [
        ("Kitegram", ["Kitegram"], Act("take up", "do you sell my data?")),
        ("no, I meant Kitegram", ["Kitegram"], Act("take up", "do you sell my data?")),
        ("what about the policy of Kitegram?", ["Kitegram"], Act("take up", "do you sell my data?")),
        ("does Kitegram track me?", ["Kitegram"], Act("ask", "do you track me?")),
        ("compare Kitegram and Pip", ["Kitegram", "Pip"], Act("library", "compare Kitegram and Pip", kind="compare")),
    ],
)
def test_what_is_done_about_names(said, named, act):
    assert next_act(said, ASKED, names(said, *named)) == act


@pytest.mark.parametrize(
    ("said", "named", "plain"),
    [
        ("Does Kitegram sell my data?", "Kitegram", "Do you sell my data?"),
        ("How long is Kitegram's data kept?", "Kitegram", "How long is your data kept?"),
        ("what about my location at Kitegram?", "Kitegram", "what about my location?"),
        ("What does Kitegram collect?", "Kitegram", "What do you collect?"),
    ],
)
def test_a_company_is_spoken_to(said, named, plain):
    assert unnamed(said, names(said, named)) == plain


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
