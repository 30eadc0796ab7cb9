"""Kinds of companies: which a question names, and of which kind a policy is."""

from __future__ import annotations

import pytest

from smallprint.ask.kinds import kind_named


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("which banks sell personal information?", "banks"),
        ("which credit unions sell personal information?", "banks"),
        ("sites for children that collect location", "children"),
        ("which sites share my data with banks?", None),
        ("which sites collect data about kids?", None),
        ("which policies are vaguest?", None),
    ],
)
def test_kinds_of_companies_are_told_by_their_words(text, kind):
    found = kind_named(text)
    assert (found and found.id) == kind


def test_a_policy_is_of_a_kind_by_its_name_or_by_what_it_speaks_of():
    banks = kind_named("which banks sell data?")
    assert banks is not None
    assert banks.is_of("Tidemark Bank tidemarkbank.example", "We sell nothing.")
    assert banks.is_of("Tidemark tidemark.example", "The bank lends. Your bank account. A loan of the bank. " * 3)
    assert not banks.is_of("Oak oak.example", "We sell chairs and take cards of your bank. " + "We sell chairs. " * 300)


def test_a_site_for_children_says_so():
    children = kind_named("sites for children that collect location")
    assert children is not None
    rest = "Parents may ask what a child told us. " * 12
    assert children.is_of("Pebble pebble.example", "Our games are made for children. " + rest)
    assert not children.is_of("Oak oak.example", "Our site is not directed to children. " + rest)
