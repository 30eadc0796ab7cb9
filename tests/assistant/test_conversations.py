"""Twenty conversations over the sample, each played as somebody would have it."""

from __future__ import annotations

import json
import sys
from collections import Counter

from smallprint.ask.dialogue.conversation import Conversation, from_json
from smallprint.ask.question import analysis
from smallprint.library import reading
from smallprint.pipeline.ingest import Outcome


def kinds(said):
    return [one.kind for one in said]


def test_1_a_company_is_named_and_follow_ups_stay_with_it(talk):
    said = talk("does Kitegram sell my data?", "and my location?", "why?", "who else?")
    assert kinds(said) == ["answer"] * 4
    assert {one.whose for one in said} == {"kitegram"}
    assert [one.question for one in said] == [
        "do you sell my data?", "do you sell my location?", "Why do you sell my location?",
        "Who else do you share my location with?",
    ]  # fmt: skip


def test_2_a_domain_is_as_good_as_a_name(talk):
    (said,) = talk("Does tidemarkbank.example sell my data?")
    assert (said.kind, said.whose) == ("answer", "tidemarkbank")
    assert "We do not sell personal information." in said.quotes


def test_3_of_several_policies_one_is_chosen_by_number(talk):
    which, answer = talk("does Brightwithy sell my data?", "the second one")
    assert which.kind == "which"
    assert len(which.reply.options) == 3
    assert (answer.kind, answer.question) == ("answer", "do you sell my data?")
    assert answer.whose in which.reply.options[1]


def test_4_or_by_name(talk):
    _, answer = talk("does Brightwithy sell my data?", "Millbrook")
    assert (answer.kind, answer.whose) == ("answer", "brightwithy-millbrook")


def test_5_without_a_policy_the_question_waits_for_its_name(talk):
    which, answer = talk("do you sell my data?", "Nestchat")
    assert (which.kind, which.now.asked_back) == ("which", True)
    assert (answer.kind, answer.whose, answer.question) == ("answer", "nestchat", "do you sell my data?")


def test_6_nobody_is_asked_back_twice_in_a_row(talk):
    said = talk("do you sell my data?", "do you track me?", "do you sell my photos?")
    assert [one.now.asked_back for one in said] == [True, False, True]
    said = talk("does Brightwithy sell my data?", "Brightwithy of course")
    assert [one.now.asked_back for one in said] == [True, False]
    assert said[1].whose.startswith("brightwithy")


def test_7_a_policy_that_is_not_there_can_be_added(talk):
    (said,) = talk("does Fitbit sell my data?")
    assert (said.kind, said.now.pending) == ("note", None)
    assert "smallprint add" in said.reply.lines[0]


def test_7b_even_in_small_letters_and_while_another_is_spoken_of(talk):
    said = talk("does kitegram sell my data?", "does fitbit sell my data", "compare kitegram and fitbit", "why?")
    assert kinds(said) == ["answer", "note", "note", "answer"]
    assert all("fitbit is not in the library" in one.reply.lines[0] for one in said[1:3])
    assert said[3].whose == "kitegram"


def test_8_an_address_is_fetched_only_after_yes(talk):
    fetched = []

    def fetch(address):
        fetched.append(address)
        return Outcome(address, None, "not fetched", "the site is down")

    offer, no = talk("does fitbit.example.com/privacy sell my data?", "no", fetch=fetch)
    assert (offer.kind, no.kind, fetched) == ("offer", "note", [])
    offer, yes = talk("does fitbit.example.com/privacy sell my data?", "yes", fetch=fetch)
    assert (yes.kind, fetched) == ("note", ["https://fitbit.example.com/privacy"])
    assert "the site is down" in yes.reply.lines[0]


def test_9_what_was_fetched_is_asked_at_once(talk):
    kept = talk("Nestchat")[0].reply.policy.policy_id
    _, answer = talk(
        "does other.example.org sell my data?", "yes please", fetch=lambda address: Outcome(address, kept, None, "Kept")
    )
    assert (answer.kind, answer.whose, answer.question) == ("answer", "nestchat", "do you sell my data?")


def test_10_more_goes_on_until_all_is_told(talk):
    said = talk("Who does Kitegram share my data with?", *["more"] * 5)
    told = [one.quotes for one in said if one.kind == "answer"]
    assert len(told) > 1
    assert len(set(told)) == len(told)
    assert said[-1].kind == "note"


def test_11_yes_is_as_good_as_more(talk):
    first, second = talk("Who does Kitegram share my data with?", "yes")
    assert first.reply.more
    assert second.quotes
    assert second.quotes != first.quotes


def test_12_an_open_question_is_asked_back_and_chosen(talk):
    which, answer = talk("what about my location at PulseWell?", "the first")
    assert (which.kind, len(which.reply.options)) == ("clarify", 2)
    assert which.reply.lines[0].startswith("Do you mean how they use your location, or ")
    assert (answer.kind, answer.question) == ("answer", "How do you use my location?")


def test_13_an_answer_to_it_may_be_another_question(talk):
    said = talk("what about my location at PulseWell?", "do you sell it?", "cookies?")
    assert [one.kind for one in said[:2]] == ["clarify", "answer"]
    assert said[1].question == "do you sell my location?"
    assert not (said[1].now.asked_back and said[2].now.asked_back)


def test_14_no_i_meant_something_else(talk):
    said = talk("Does Waymoss share my location?", "no, I meant my e-mail address", "no, I meant Trundle")
    assert [(one.whose, one.question) for one in said] == [
        ("waymossmaps", "Do you share my location?"),
        ("waymossmaps", "Do you share my e-mail address?"),
        ("trundlerides", "Do you share my e-mail address?"),
    ]


def test_15_policies_of_a_sector_that_deny_something(talk):
    said, more = talk("which medical sites do not share data with advertisers?", "more")
    assert said.kind == "policies"
    assert {"harbourlightclinic", "stbrannoc", "dozewell"} <= set(said.domains)
    assert "pulsewell" not in said.domains
    assert all(one.text and one.permalink.startswith("/policies/") for one in said.reply.policies)
    assert not set(more.domains) & set(said.domains)


def test_16_silence_is_no_denial(talk):
    (said,) = talk("an app that does not share my location")
    assert {"dozewell", "nestchat", "drizzlecast"} <= set(said.domains)
    assert "porchlightmessenger" not in said.domains  # which says nothing of it
    assert "puddlewatch" not in said.domains  # which says both


def test_17_two_policies_are_compared(talk):
    keep, cookies = talk("compare what Kitegram and Nestchat keep", "compare Kitegram and Tidemark Bank on cookies")
    assert keep.kind == "comparison"
    assert "What information do you keep?" in keep.reply.lines[0]
    assert set(cookies.domains) == {"kitegram", "tidemarkbank"}


def test_18_vague_and_surprising(talk):
    said = talk("which policies are vaguest about retention?", "what is Kitegram vague about?", "anything surprising?")
    assert kinds(said) == ["policies", "vague", "surprising"]
    assert said[1].whose == said[2].whose == "kitegram"
    assert said[1].reply.policies


def test_19_courtesies_and_a_new_start(talk):
    said = talk("help", "does Nestchat sell my data?", "thanks", "start over", "do you sell my data?", "", "bye")
    assert kinds(said) == ["help", "answer", "note", "note", "which", "note", "bye"]
    assert said[3].now.policy_id == ""
    assert said[-1].reply.ends
    assert said[-1].now.ended


def test_20_a_conversation_is_handed_over_and_two_do_not_mix(talk):
    one = talk("does Kitegram sell my data?")[-1].now
    other = talk("does Tidemark Bank keep my data?")[-1].now
    one, other = (from_json(json.dumps(now.to_json())) for now in (one, other))
    first, second = talk("and my location?", now=one)[0], talk("how long?", now=other)[0]
    assert (first.whose, first.question) == ("kitegram", "do you sell my location?")
    assert (second.whose, second.question) == ("tidemarkbank", "How long do you keep my data?")


def test_what_is_no_question_on_privacy_is_said_to_be_none(talk):
    (said,) = talk("what is the weather today?")
    assert said.reply.lines[0] == "This does not look like a question that a privacy policy answers."


def test_a_policy_that_is_gone_is_asked_for_again(talk):
    (said,) = talk("do you sell my data?", now=Conversation(policy_id="gone.example-1"))
    assert said.kind == "which"


def test_a_question_is_analysed_once_a_turn_and_the_policy_is_not_looked_up_again(talk):
    (first,) = talk("Does Tidemark Bank sell my data?")
    calls = Counter()

    def count(frame, event, _):
        if event == "call":
            calls[frame.f_code] += 1

    sys.setprofile(count)
    try:
        talk("and my location?", now=first.now)
    finally:
        sys.setprofile(None)
    assert calls[analysis.ask.__code__] == 1
    assert calls[reading.find_policy.__code__] == 0
    assert calls[reading.text.__code__] == 0
