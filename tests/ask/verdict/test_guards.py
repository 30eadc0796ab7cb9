"""The rules that hold whatever the models say, each with sentences like those that were answered wrongly."""

from __future__ import annotations

import pytest

from smallprint.ask.verdict.guards import (
    Guarded,
    Limit,
    Rule,
    Witness,
    Witnesses,
    admits,
    denies,
    guarded,
    is_limited_denial,
    is_merger_sale,
    is_open_question,
    is_other_sense,
    limits,
    same_scope,
)
from smallprint.card import Verdict

SELL = "Do you sell my data?"
PLAIN = "We do not sell your personal information."
# A shop that says under one heading that it sells, and under another whose data it does not.
COUNTS = "In the language of the CCPA, these disclosures to advertising companies are a “sale” of personal information."
UNDER_16 = "We have not sold the personal information of consumers we know to be under 16."


def witnesses(yes=(), no=(), limits=()):
    return Witnesses(*(tuple(Witness(text, 0.9) for text in texts) for texts in (yes, no, limits)))


@pytest.mark.parametrize(
    ("sentence", "limit"),
    [
        (UNDER_16, Limit.GROUP),
        ("We do not sell the personal information of California residents.", Limit.GROUP),
        ("Premium subscribers' information is not sold.", Limit.GROUP),
        ("We do not sell your e-mail address.", Limit.KIND),
        ("Your health information will never be sold.", Limit.KIND),
        ("We never sell Google user data to anyone.", Limit.KIND),
        ("We do not sell personal information as defined by the CCPA.", Limit.LAW),
        ("We do not “sell” your data, as that term is defined in Nevada law.", Limit.LAW),
        ("We do not sell data in the sense of the California Consumer Privacy Act.", Limit.LAW),
        ("We do not sell personal information in the conventional sense of the term.", Limit.SENSE),
        ("We do not sell your information for money.", Limit.MONEY),
        ("We do not disclose your data in exchange for monetary consideration.", Limit.MONEY),
        ("Except for the list exchange, we do not sell your data.", Limit.EXCEPTION),
        ("We sell no personal data other than to our list partners.", Limit.EXCEPTION),
        ("We will not sell your data without your consent.", Limit.CONSENT),
        ("We do not sell your data unless you agree.", Limit.CONSENT),
        ("We do not knowingly sell your information.", Limit.KNOWING),
    ],
)
def test_a_denial_that_is_limited_says_how(sentence, limit):
    assert limit in limits(sentence, "sells")
    is_left_to_models = limits(sentence, "sells").keys() <= {Limit.CONSENT, Limit.KNOWING}
    told = Guarded(Verdict.NO) if is_left_to_models else Guarded(Verdict.DEPENDS, Rule.LIMITED_DENIAL)
    assert guarded("sells", SELL, Verdict.NO, witnesses(no=[sentence])) == told


@pytest.mark.parametrize(
    "sentence",
    [
        PLAIN,
        "We never sell your personal data, including that of children.",
        "We do not sell your name, e-mail address or any other personal information.",
        "We do not sell your data; we use service providers.",
        "We do not sell your data, except as required by law.",
        "We do not share your data with anyone other than our service providers.",
        "We do not sell your personal data for money or other valuable consideration.",
        "Your information is not for sale.",
        "We do not sell personal data, nor do we knowingly sell that of children under 16.",
        "We sell the data of people under 16.",  # which denies nothing
    ],
)
def test_a_denial_stays_one_when_its_exceptions_are_not_what_was_asked_about(sentence):
    assert not is_limited_denial(sentence, "sells")


@pytest.mark.parametrize(
    "sentence",
    ["We do not knowingly collect data from children under 13.", "Our services are not directed to minors."],
)
def test_of_children_their_age_and_what_is_known_are_no_limits(sentence):
    assert not is_limited_denial(sentence, "children")
    question = "Can my kid use it?"
    assert guarded("children", question, Verdict.NO, witnesses(no=[sentence])) == Guarded(Verdict.NO)


def test_consent_of_a_parent_limits_the_denial_on_children_too():
    assert is_limited_denial("We collect no data from children under 13 without a parent's consent.", "children")


def test_one_denial_without_a_limit_is_enough_for_no():
    no = [UNDER_16, PLAIN]
    assert guarded("sells", SELL, Verdict.NO, witnesses(no=no)) == Guarded(Verdict.NO)


def test_a_limit_that_the_question_names_is_none():
    denial = "We do not sell your e-mail address."
    assert guarded("sells", "do you sell my e-mail address", Verdict.NO, witnesses(no=[denial])).rule is None
    denial = "We do not knowingly sell data of people under 18."
    assert guarded(None, "i'm 16, is my stuff sold", Verdict.NO, witnesses(no=[denial])).rule is None


def test_of_weak_denials_none_saves_a_no():
    evidence = Witnesses(no=(Witness(UNDER_16, 0.9), Witness(PLAIN, 0.1)))
    assert guarded("sells", SELL, Verdict.NO, evidence).verdict is Verdict.DEPENDS


@pytest.mark.parametrize(
    "sentence",
    [
        COUNTS,
        "Some disclosures for advertising may be considered a “sale” of personal information under certain laws.",
        "This processing may constitute a “sale” under some state laws.",
        "In some US states, this data sharing may be deemed a sale.",
        "The definition of “sale” is broad and may include sharing identifiers with advertisers.",
    ],
)
def test_what_may_count_as_a_sale_forbids_a_bare_no(sentence):
    assert admits("sells", sentence)
    told = guarded("sells", SELL, Verdict.NO, witnesses(no=[PLAIN], limits=[sentence]))
    assert told == Guarded(Verdict.DEPENDS, Rule.COUNTS_AS_SALE)


def test_the_furniture_shop_is_no_longer_said_not_to_sell():
    told = guarded("sells", "Does Oak & Ember sell my data?", Verdict.NO, witnesses(yes=[COUNTS], no=[UNDER_16]))
    assert told.verdict is Verdict.DEPENDS


@pytest.mark.parametrize(
    "sentence",
    [
        PLAIN,
        "We do not consider the ways we share your information as a “sale”.",
        "Sharing with our processors is not a sale of personal information under the CCPA.",
        "If the company is sold, your data may be considered one of its assets.",
    ],
)
def test_a_denial_or_a_merger_admits_no_sale(sentence):
    assert not admits("sells", sentence)


def test_only_the_question_on_sale_can_be_admitted():
    assert not admits("cookies", COUNTS)


def test_yes_rests_on_more_than_that_it_may_count_as_a_sale():
    may = "This may be considered a “sale” of personal information under certain laws."
    assert guarded("sells", SELL, Verdict.YES, witnesses(yes=[may])) == Guarded(Verdict.DEPENDS, Rule.COUNTS_AS_SALE)
    assert guarded("sells", SELL, Verdict.YES, witnesses(yes=[COUNTS])) == Guarded(Verdict.YES)
    assert guarded("sells", SELL, Verdict.YES, witnesses(yes=[may, "We sell it to brokers."])).verdict is Verdict.YES


@pytest.mark.parametrize(
    "sentence",
    [
        "If our business is sold, your personal information is transferred to the buyer.",
        "In the event of a merger, acquisition or sale of all or part of our assets, user data may be transferred.",
        "If we sell or transfer all or a portion of our business, your data goes with it.",
        "Your information may be sold as part of the assets of the company in a bankruptcy.",
    ],
)
def test_the_sale_of_a_business_is_no_sale_of_data(sentence):
    assert is_merger_sale(sentence)
    assert guarded("sells", SELL, Verdict.YES, witnesses(yes=[sentence])) == Guarded(Verdict.NOT_SURE, Rule.OTHER_SENSE)


@pytest.mark.parametrize(
    "sentence",
    [PLAIN, "We sell your personal information, and would sell it in a merger too.", "We sell your data to brokers."],
)
def test_a_sale_of_data_is_no_merger(sentence):
    assert not is_merger_sale(sentence)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("sells", "We sell furniture and lamps in our stores."),
        ("sells", "Our sales team may call you."),
        ("sells", "Use the app to sell tickets that you cannot use."),
        ("sells", "Shops that sell you a phone tell us its number."),
        ("contacts", "You can contact us at any time."),
        ("contacts", "We may contact you about your order."),
    ],
)
def test_another_sense_of_a_word_answers_nothing(code, sentence):
    assert is_other_sense(code, sentence)
    assert guarded(code, "?", Verdict.YES, witnesses(yes=[sentence])) == Guarded(Verdict.NOT_SURE, Rule.OTHER_SENSE)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("sells", "We sell it to consumer-goods manufacturers."),
        ("sells", "We don't sell it to third parties."),
        ("sells", "We sell products, and information about those who buy them."),
        ("contacts", "We upload your contacts to find your friends."),
        ("contacts", "You may enter the contact information of your neighbours."),
        ("cookies", "Our shop sells cookies."),
    ],
)
def test_another_sense_is_claimed_only_where_it_is_plain(code, sentence):
    assert not is_other_sense(code, sentence)


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("We collect your precise location.", "We do not collect your precise location."),
        ("We share your location with advertisers.", "We do not share personal data with third parties."),
        ("We sell your personal information to data brokers.", "We never sell your personal information."),
        ("We keep your messages on our servers.", "We do not keep your messages."),
    ],
)
def test_both_is_said_of_the_same_thing(yes, no):
    assert same_scope(yes, no)
    assert guarded(None, "is it so?", Verdict.BOTH, witnesses(yes=[yes], no=[no])) == Guarded(Verdict.BOTH)


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("We collect your approximate location.", "We do not collect your precise location."),
        ("If our business is sold, your personal information goes to the buyer.", PLAIN),
        ("We share data with our service providers.", "We do not share personal data with third parties."),
        ("We share your e-mail address with advertisers.", "We do not share your phone number with advertisers."),
        ("We sell personal information.", "We do not sell the personal information of users under 16."),
        ("We share your data if you agree.", "We do not share your data."),
        ("We share your data with advertisers.", "We do not sell your data."),
        ("We share aggregated data with partners.", "We do not share your data with partners."),
        ("We share your data.", "We do not share your data without your consent."),
    ],
)
def test_both_is_not_said_of_another_thing_person_or_scope(yes, no):
    assert not same_scope(yes, no)
    told = guarded(None, "is it so?", Verdict.BOTH, witnesses(yes=[yes], no=[no]))
    assert told == Guarded(Verdict.DEPENDS, Rule.OTHER_SCOPE)


def test_denials_alone_are_not_both():
    told = guarded("sells", SELL, Verdict.BOTH, witnesses(yes=[UNDER_16], no=[PLAIN]))
    assert told == Guarded(Verdict.NOT_SURE, Rule.OTHER_SCOPE)


@pytest.mark.parametrize(
    "question",
    [
        "who gets my data", "What do you collect?", "ok so how long do you keep it", "can you tell me where it is kept",
        "tell me who buys it", "if i leave, when is it gone", "my son is 9, what do you know of him",
    ],
)  # fmt: skip
def test_both_is_never_said_to_who_what_how_when_where_and_why(question):
    assert is_open_question(question)
    evidence = witnesses(yes=["We keep your data."], no=["We do not keep your data."])
    assert guarded(None, question, Verdict.BOTH, evidence) == Guarded(Verdict.NOT_SURE, Rule.OPEN_QUESTION)


@pytest.mark.parametrize(
    "question",
    [SELL, "do you know who i am?", "is it safe", "my location, do you sell it", "when i delete it is it all gone", ""],
)
def test_a_question_for_yes_or_no_is_not_open(question):
    assert not is_open_question(question)


@pytest.mark.parametrize("verdict", [Verdict.NOT_SURE, Verdict.SILENT, Verdict.DEPENDS])
def test_nothing_is_made_a_verdict_that_was_none(verdict):
    assert guarded("sells", SELL, verdict, witnesses(yes=[COUNTS], no=[UNDER_16])) == Guarded(verdict)


@pytest.mark.parametrize("verdict", [Verdict.YES, Verdict.NO])
def test_without_sentences_nothing_is_changed(verdict):
    assert guarded("sells", SELL, verdict, Witnesses()) == Guarded(verdict)


def test_the_name_of_a_link_denies_nothing():
    assert not denies("Use the Do Not Sell My Personal Information page.")
    assert denies("We Do Not Sell Your Personal Information.")


@pytest.mark.parametrize(
    "sentence", ["We do not share your information with advertisers.", "No data goes to advertisers."]
)
def test_a_denial_of_something_else_is_no_denial_of_a_sale(sentence):
    told = guarded("sells", SELL, Verdict.NO, witnesses(no=[sentence]))
    assert told == Guarded(Verdict.NOT_SURE, Rule.UNNAMED)
    assert guarded("ad-sharing", SELL, Verdict.NO, witnesses(no=[sentence])) == Guarded(Verdict.NO)
    closed = witnesses(no=[sentence, "We share it only with the couriers who bring your order."])
    assert guarded("sells", SELL, Verdict.NO, closed) == Guarded(Verdict.NO)


def test_a_denial_of_all_ages_is_not_limited():
    assert not limits("We do not sell or rent information about children or adults.", "sells")
