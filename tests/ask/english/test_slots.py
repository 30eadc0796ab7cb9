"""What is pulled out of a sentence as the answer, word for word, and what is left there."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.ask.english.slots import Slot, SlotKind, kinds_asked, kinds_of_card, slots
from smallprint.card import CODES


def texts(kind, sentence, lead_in=""):
    return [slot.text for slot in slots([SlotKind(kind)], sentence, lead_in)]


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("How long do you keep my data?", ["period"]),
        ("until when are my messages stored", ["period"]),
        ("i wrote to your helpdesk, when do you bin that message", ["period"]),
        ("how many weeks till you answer a request", ["deadline"]),
        ("how soon will you tell me of a breach", ["deadline"]),
        ("what's the minimum age", ["age"]),
        ("how old do i have to be", ["age"]),
        ("how much does a copy cost", ["amount"]),
        ("who do I contact about privacy?", ["contact"]),
        ("what is the email address for requests", ["contact"]),
        ("which companies get my data", ["recipient"]),
        ("who do you share it with?", ["recipient"]),
        ("which country is it kept in", ["place"]),
        ("do you sell my data", []),
        ("", []),
    ],
)
def test_a_question_asks_for_kinds(question, kinds):
    assert [kind.value for kind in kinds_asked(question)] == kinds


def test_questions_of_the_card_have_fixed_kinds():
    assert kinds_of_card("retention") == (SlotKind.PERIOD,)
    assert kinds_of_card("children") == (SlotKind.AGE,)
    assert kinds_of_card("contact") == (SlotKind.CONTACT,)
    assert kinds_of_card("sells") == ()
    assert all(isinstance(kind, SlotKind) for code in CODES for kind in kinds_of_card(code))


@pytest.mark.parametrize(
    ("sentence", "period"),
    [
        ("We keep invoices for 7 years.", "for 7 years"),
        ("Logs are deleted after thirteen (13) months.", "after thirteen (13) months"),
        ("Backups are kept for at least ninety days.", "for at least ninety days"),
        ("We retain it for up to one hundred and eighty (180) days.", "for up to one hundred and eighty (180) days"),
        ("We store it for a maximum period of 24 hours.", "for a maximum period of 24 hours"),
        ("It can be kept for 12 months maximum.", "for 12 months maximum"),
        ("We hold it for 6 years after you close your account.", "for 6 years after you close your account"),
        ("Accounts are erased after one year of inactivity.", "after one year of inactivity"),
        ("We keep it until you delete your account, and no longer.", "until you delete your account"),
        ("We keep your data as long as your account is active.", "as long as your account is active"),
        ("The cookie is deleted when you close your browser.", "when you close your browser"),
        ("Data is kept for the life of the account + 2 years.", "for the life of the account + 2 years"),
    ],
)
def test_a_period_of_keeping(sentence, period):
    (slot,) = slots([SlotKind.PERIOD], sentence)
    assert (slot.text, slot.is_definite) == (period, True)


@pytest.mark.parametrize(
    ("sentence", "period"),
    [
        ("We keep it as long as necessary for our purposes.", "as long as necessary for our purposes"),
        ("We store it for no longer than is needed.", "no longer than is needed"),
        ("Messages are kept indefinitely.", "indefinitely"),
        ("When we no longer need your data, we delete it.", "When we no longer need your data"),
        ("It is retained for a reasonable period of time.", "for a reasonable period of time"),
    ],
)
def test_a_period_that_nobody_can_count_is_not_definite(sentence, period):
    (slot,) = slots([SlotKind.PERIOD], sentence)
    assert (slot.text, slot.is_definite) == (period, False)


@pytest.mark.parametrize(
    ("sentence", "period"),
    [
        ("We do not keep your data for more than 30 days.", "do not keep your data for more than 30 days"),
        ("We never store logs for longer than a week.", "never store logs for longer than a week"),
        ("If you haven't logged in for 12 months, we delete it.", "haven't logged in for 12 months"),
        ("We do not keep it (not even logs) after you leave.", "do not keep it (not even logs) after you leave"),
        ("Data that does not name you is kept for a year.", "for a year"),  # another verb is denied
    ],
)  # fmt: skip
def test_no_denial_is_dropped_from_a_period(sentence, period):
    assert period in texts("period", sentence)[0]


@pytest.mark.parametrize(
    "sentence",
    [
        "We answer your request within 30 days.",
        "We have not sold data in the preceding 12 months.",
        "We do not collect data from children under 13 years of age.",
        "The subscription costs $5 for 3 months.",
        "You have the right to ask us to delete your data when you leave.",
        "We keep you informed for the duration of the project.",
        "We store what you enter when you register.",
        "Data is stored on our servers.",
    ],
)
def test_what_is_no_period_of_keeping(sentence):
    assert texts("period", sentence) == []


def test_a_lead_in_makes_a_period_of_its_items_and_a_heading_is_context():
    assert texts("period", "your account is active; or", "We keep your data for as long as:") == [
        "your account is active"
    ]
    assert texts("period", "Invoices: for 10 years.") == []
    assert texts("period", "Invoices: for 10 years.", "How long we keep data") == ["for 10 years"]


def test_a_deadline_is_the_time_of_an_answer():
    assert texts("deadline", "We will respond within forty-five (45) days of receipt.") == [
        "within forty-five (45) days of receipt"
    ]
    assert texts("deadline", "We keep invoices for 7 years.") == []


@pytest.mark.parametrize(
    ("sentence", "age"),
    [
        ("We do not knowingly collect data from children under 16.", "under 16"),
        ("Our service is not directed to anyone under the age of thirteen (13).", "under the age of thirteen (13)"),
        ("You must be at least 18 years old.", "at least 18 years old"),
        ("It is for users aged 13 or over.", "aged 13 or over"),
        ("Members are 16 years of age or older.", "16 years of age or older"),
        ("Teens between 13 and 17 need a parent.", "between 13 and 17"),
    ],
)
def test_an_age(sentence, age):
    assert texts("age", sentence) == [age]


def test_an_age_without_a_number_is_not_definite():
    assert slots([SlotKind.AGE], "No minors may use it.") == (Slot(SlotKind.AGE, 3, 9, "minors", False),)


@pytest.mark.parametrize(
    "sentence",
    [
        "We keep users' records for at least 7 years.",
        "Users may have more than one device.",
        "See Children's Online Privacy Protection Act, 15 U.S.C. 6501.",
        "People who visit between 1 January and 3 March.",
    ],
)
def test_what_is_no_age(sentence):
    assert texts("age", sentence) == []


@pytest.mark.parametrize(
    ("sentence", "amounts"),
    [
        ("A second copy costs $25.", ["$25"]),
        ("We may charge up to £10 per request.", ["up to £10 per request"]),
        ("You get a copy free of charge.", ["free of charge"]),
        ("We do not charge a reasonable fee.", ["do not charge a reasonable fee"]),
    ],
)
def test_an_amount(sentence, amounts):
    assert texts("amount", sentence) == amounts


@pytest.mark.parametrize(
    ("sentence", "contacts"),
    [
        ("Write to privacy@shop.example.", ["privacy@shop.example"]),
        ("E-mail privacy [at] shop [dot] example.", ["privacy [at] shop [dot] example"]),
        ("Call us on +44 (0) 1295 701 810 or 1-800-345-7669.", ["+44 (0) 1295 701 810", "1-800-345-7669"]),
        (
            "Write to Oak & Ember, 77 Kiln Road, Ashby Mills or call us.",
            ["Oak & Ember, 77 Kiln Road, Ashby Mills"],
        ),
        ("Ask our Data Protection Officer, Ada Byrne.", ["Data Protection Officer, Ada Byrne"]),
        ("Contact us by our web form at www.shop.example/privacy.", ["web form", "www.shop.example/privacy"]),
        ("We take privacy seriously.", []),
        ("The cookie has the number 123456789012.", []),
    ],
)
def test_a_contact(sentence, contacts):
    assert texts("contact", sentence) == contacts


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("We share data with Acme Analytics, Beta Ads and Gamma.", ["Acme Analytics", "Beta Ads", "Gamma"]),
        ("We use service providers such as Stripe (payments) and Mailgun.", ["Stripe", "Mailgun"]),
        ("We do not share your data with Facebook.", ["do not share your data with Facebook"]),
        ("We share Personal Information with Service Providers.", []),
        ("Oak & Ember respects your privacy.", []),
    ],
)
def test_a_named_recipient(sentence, names):
    assert texts("recipient", sentence) == names


@pytest.mark.parametrize(
    ("sentence", "places"),
    [
        ("Our servers are in Ireland and the United States.", ["Ireland", "the United States"]),
        ("We may transfer it outside the EEA.", ["outside the EEA"]),
        ("We do not send data outside the European Union.", ["do not send data outside the European Union"]),
        ("Tell us about it; a turkey is a bird.", []),
    ],
)
def test_a_place(sentence, places):
    assert texts("place", sentence) == places


WORDS = "we do not keep delete data for up to 30 days until you leave under 13 a@b.example $5 the EU, . (".split()


@given(st.lists(st.sampled_from(WORDS), max_size=30))
def test_every_slot_is_words_of_the_sentence_and_none_overlap(words):
    sentence = " ".join(words)
    found = slots(tuple(SlotKind), sentence, "How long we keep data")
    assert all(sentence[slot.start : slot.end] == slot.text != "" for slot in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
