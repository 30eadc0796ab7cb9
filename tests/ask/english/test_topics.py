"""Topics: which a question names, and what sentences say of them."""

from __future__ import annotations

import pytest

from smallprint.ask.english.topics import topic_of, unnamed
from smallprint.assistant.across.parsing import matter_of, topic_first


def said(question, sentence):
    return topic_of(question).denials(sentence)


def test_to_refuse_is_no_denial_of_refusing():
    assert said("let me refuse cookies", "You can refuse or delete cookies in your browser.")[:2] == [False, False]


def test_a_limit_is_affirmed_by_a_denial():
    assert said("keep data only as long as necessary", "We do not keep it longer than we need.") == [False]


def test_what_is_named_first_may_be_denied_later():
    assert said("store card numbers", "Card numbers pass straight to our bank, and we do not store them.") == [True]
    assert said("delete my account", "You can delete it, and we do not mind.") == [False]


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("use my data for marketing", "marketing"),
        ("share my data for marketing", None),
        ("change without telling me", "silent-change"),
        ("tell me where to complain", "complaint"),
        ("turn off personalised ads", "refuse-ads"),
        ("show personalised ads", None),
    ],
)
def test_a_topic_leads_where_its_own_deed_is_named(question, topic):
    assert (topic_of(question).id if topic_first(question) else None) == topic


def test_what_names_a_topic_denies_nothing():
    assert "without" not in unnamed("change without telling me", topic_of("change without telling me"))


def test_what_one_is_told_is_not_shared():
    assert matter_of("tell me if my data is stolen") is None
    assert matter_of("tell others where I am") is not None


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("share data with service providers", "We do not share your data with service providers."),
        ("use data for analytics", "We do not use your data for analytics."),
        ("turn off location", "You cannot switch off location in this app."),
        ("opt out of targeted ads", "You cannot opt out of interest-based advertising."),
    ],
)
def test_a_denial_is_never_taken_for_an_affirmation(question, sentence):
    assert set(said(question, sentence)) == {True}
