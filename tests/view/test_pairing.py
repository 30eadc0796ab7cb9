from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint import limits
from smallprint.view.alignment import Stretch
from smallprint.view.pairing import paired, tokens

SENTENCES = st.lists(
    st.sampled_from(["We keep data. ", "We keep your data here. ", "Cookies\n", "Write to us. ", "We sell it all. "]),
    max_size=10,
).map("".join)


def told(old: str, new: str) -> list[tuple[str, str, bool]]:
    ours, theirs = tokens(old), tokens(new)
    found = []
    for a, b, c, d, same in paired(ours, theirs):
        one, other = ours.span(a, b), theirs.span(c, d)
        found.append((old[one.start : one.end].strip(), new[other.start : other.end].strip(), same))
    return found


@given(SENTENCES, SENTENCES)
@settings(deadline=None)
def test_every_token_is_in_one_stretch(old, new):
    ours, theirs = tokens(old), tokens(new)
    found = list(paired(ours, theirs))
    assert [place for one in found for place in range(one.a, one.b)] == list(range(len(ours.keys)))
    assert [place for one in found for place in range(one.c, one.d)] == list(range(len(theirs.keys)))
    assert all(ours.keys[one.a : one.b] == theirs.keys[one.c : one.d] for one in found if one.same)


def test_sentences_are_paired_in_order():
    old = "We keep logs for a year. We sell nothing. Write to our officer for questions."
    new = "We keep logs for six months! Cookies are used. Write to our officer for any questions."
    assert told(old, new) == [
        ("We keep logs for a year.", "We keep logs for six months!", False),
        ("We sell nothing.", "", False),
        ("", "Cookies are used.", False),
        ("Write to our officer for questions.", "Write to our officer for any questions.", False),
    ]


def test_what_is_only_cut_differently_is_the_same():
    old = "Our promise\nWe keep your data\nsafe and sound. Nothing is sold to brokers."
    new = "Our promise We keep your data safe and sound. Everything goes to our friends."
    assert told(old, new) == [
        ("Our promise", "Our promise", True),
        ("We keep your data", "We keep your data", True),
        ("safe and sound.", "safe and sound.", True),
        ("Nothing is sold to brokers.", "", False),
        ("", "Everything goes to our friends.", False),
    ]


def test_a_sentence_that_was_split_joins_its_partner():
    one = "We keep your account data for two years"
    other = "we delete all payment details after one month"
    assert told(f"{one}, and {other}.", f"{one}. {other.capitalize()}.") == [
        (f"{one}, and {other}.", f"{one}. {other.capitalize()}.", False)
    ]
    assert told(f"{one}. {other.capitalize()}.", f"{one}, and {other}.") == [
        (f"{one}. {other.capitalize()}.", f"{one}, and {other}.", False)
    ]


def test_a_heading_does_not_join_a_sentence():
    old = "Cookies\nWe use them for many purposes of ours."
    new = "We use cookies for many purposes of ours."
    assert told(old, new) == [
        ("Cookies", "", False),
        ("We use them for many purposes of ours.", "We use cookies for many purposes of ours.", False),
    ]


@pytest.mark.parametrize("most", [0, 10_000])
def test_many_sentences_are_paired_by_what_is_rare(monkeypatch, most):
    monkeypatch.setattr(limits, "MAX_SENTENCE_PAIRS", most)
    old = [f"We share the item called {number}x with partners of kind {number}y." for number in range(40)]
    new = [one.replace("share", "may sell") for one in old[5:]]
    assert [one for one, other, _ in told(" ".join(old), " ".join(new)) if other] == old[5:]


def test_nothing_to_pair():
    assert list(paired(tokens(""), tokens(""))) == []
    assert list(paired(tokens("We keep it."), tokens(" "))) == [Stretch(0, 4, 0, 0)]
