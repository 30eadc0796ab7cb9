"""Replies of each kind as they are told."""

from __future__ import annotations

import pytest

from smallprint.ask.answer.answering import Answer
from smallprint.ask.answer.decision import State
from smallprint.assistant.replies import Compared, NamedCitation, Reply, Spoken
from smallprint.records import Quote
from smallprint.voice.speech import HEAR_MORE, LONGEST_CARD, ON_THE_CARD, first_portion, portion_of

KITE = Spoken("kite-1", "kite-1@2", "Kitegram", "kitegram.example")


def quote(text, *, probability=0.5, earns=False, before=None, start=0):
    return Quote(policy_id="kite-1", version_id="kite-1@2", segment=3, start=start, end=start + len(text), text=text,
                 headings=("Privacy", "Sharing"), lead_in=before, permalink="/policies/kite-1?version=2#s3",
                 probability=probability, earns=earns)  # fmt: skip


def answer(line, *quotes, rest=(), more=False):
    found = Answer("kite-1", "kite-1@2", "https://kitegram.example/privacy", "Privacy", "q", "q", (),
                         State.ANSWERED, line, 0.9, 0.5, quotes, tuple(rest), None, ())  # fmt: skip
    return Reply("answer", (line,), KITE, found, more=more)


def said(name, text):
    return NamedCitation(policy_id=f"{name}-1", version_id=f"{name}-1@2", segment=1, start=0, end=9, text=text,
                         permalink="/policies/x", name=name, domain=f"{name}.example",
                         url=f"https://{name}.example/p")  # fmt: skip


@pytest.mark.parametrize(
    ("line", "heard"),
    [
        ("The policy does not say.", "Kitegram’s policy does not say."),
        ("This is what the policy says.", "This is what Kitegram’s policy says."),
        ("I am not sure; these come closest.", "Kitegram: I am not sure; these come closest."),
        ("It also says:", "Kitegram also says:"),
    ],
)
def test_whose_policy_it_is_is_said(line, heard):
    assert portion_of(answer(line)).sentences == (heard,)


def test_what_the_line_rests_on_comes_first_then_the_likeliest_and_a_colon_joins():
    reply = answer("Yes, it says it sells:", quote("A.", probability=0.6), quote("B.", probability=0.9),
                   quote("C.", probability=0.2, earns=True))  # fmt: skip
    assert portion_of(reply).sentences == ("Yes, Kitegram says it sells: C.", "B.", "A.")


def test_more_than_three_sentences_are_left_for_later():
    now = portion_of(answer("The policy says both.", *(quote(f"{letter}.") for letter in "ABCD")))
    assert now.sentences == ("Kitegram’s policy says both.", "A.", HEAR_MORE)
    assert now.untold == ("B.", "C.", "D.")
    then = first_portion(now.untold, more=False)
    assert (then.sentences, then.untold) == (("B.", "C.", "D."), ())
    with_more = first_portion(now.untold, more=True)
    assert (with_more.sentences, with_more.untold) == (("B.", "C.", HEAR_MORE), ("D.",))


def test_an_item_of_a_list_is_told_with_what_leads_into_it():
    assert portion_of(answer("The policy says so.", quote("names;", before="We collect:"))).sentences[1] == (
        "We collect: names."
    )


def test_the_card_has_every_sentence_with_its_place_and_where_it_is_from():
    card = portion_of(
        answer("This is what the policy says.", quote("We share it.", start=40), rest=[quote("And sell.")])
    ).card
    assert card.title == "Kitegram"
    assert card.text == (
        "This is what the policy says.\n\n“We share it.”\n(Privacy › Sharing; passage 3, characters 40 to 52)\n\n"
        "“And sell.”\n(Privacy › Sharing; passage 3, characters 0 to 9)\n\n"
        "https://kitegram.example/privacy\nVersion kite-1@2"
    )
    long = portion_of(answer("This is what the policy says.", *(quote("word " * 300) for _ in range(20)))).card
    assert len(long.text) <= LONGEST_CARD
    assert long.text.endswith("Version kite-1@2")


def test_policies_are_named_and_their_sentences_shown():
    policies = tuple(said(name, f"{name} does not.") for name in ("a", "b", "c"))
    reply = Reply("policies", ("These say that they do not:",), policies=policies)
    now = portion_of(reply)
    assert now.sentences == ("These say that they do not: A, b and c.", ON_THE_CARD)
    assert "a (a.example): “a does not.”\nhttps://a.example/p, version a-1@2" in now.card.text
    alone = Reply("policies", ("One policy says so.",), policies=(said("a", "x"),))
    assert portion_of(alone).sentences == ("One policy says so.", "It is a.", ON_THE_CARD)


def test_a_comparison_says_who_says_what():
    every = (Compared("A", "", said("A", "We keep it.")), Compared("B", "The policy does not say.", None))
    reply = Reply("comparison", ("Asked of each.",), policies=(said("A", "We keep it."),), compared=every)
    assert portion_of(reply).sentences == ("Asked of each.", "A says: We keep it.", "B: The policy does not say.")


def test_a_choice_is_told_by_number():
    reply = Reply("which", ("There are 2 policies of Kite. Which one do you mean?",),
                  options=("Kite (kite.example)", "Kite Shop (shop.example)"))  # fmt: skip
    assert portion_of(reply).sentences == (
        "There are 2 policies of Kite.",
        "Which one do you mean?",
        "The first is Kite (kite dot example) and the second is Kite Shop (shop dot example).",
    )
    assert portion_of(reply).card is None
