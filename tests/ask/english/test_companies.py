"""Companies in a question: their kinds and sectors, and where their names stand."""

from __future__ import annotations

import pytest

from smallprint.ask.english.companies import (
    compares,
    kind_named,
    may_stand_for_a_name,
    sectors_in,
    stands_for_a_name,
    unknown_places,
)


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


@pytest.mark.parametrize(
    ("text", "sectors"),
    [
        ("which medical sites", ("medical",)),
        ("banks that sell data", ("finance",)),
        ("which sites share my medical records", ()),
        ("which travel and news sites", ("travel", "media")),
    ],
)
def test_sectors_are_told_by_their_words(text, sectors):
    assert sectors_in(text) == sectors


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("does kitegram sell my data", "kitegram"),
        ("does blue heron still keep my photos", "blue heron"),
        ("is kitegram sharing my contacts", "kitegram"),
        ("is kitegram safe", "kitegram"),
        ("does kitegram or heron keep it longer", "heron"),
        ("can kitegram read my mail", "kitegram"),
    ],
)
def test_a_name_must_stand_there(text, name):
    tokens, own = text.split(), name.split()
    start = tokens.index(own[0])
    assert stands_for_a_name(tokens, start, start + len(own))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("does anybody sell my data", "anybody"),
        ("does encryption protect me", "encryption"),
        ("does california have a law", "california"),
        ("is location shared", "location"),
        ("kitegram does sell my data", "kitegram"),
        ("what does sell mean", "sell"),
    ],
)
def test_no_name_stands_there(text, word):
    tokens = text.split()
    place = tokens.index(word)
    assert not stands_for_a_name(tokens, place, place + 1)


@pytest.mark.parametrize("text", ["what about kitegram", "compare heron and kitegram", "and at kitegram"])
def test_a_name_may_stand_there(text):
    tokens = text.split()
    place = tokens.index("kitegram")
    assert may_stand_for_a_name(tokens, place, place + 1)
    assert not stands_for_a_name(tokens, place, place + 1)


def test_a_sure_place_is_told_from_one_where_a_word_may_be_meant():
    assert unknown_places("does kitegram sell data".split()) == [(1, 2, False)]
    assert unknown_places("will kitegram sell data".split()) == [(1, 2, True)]
    assert unknown_places("which policies are vaguest".split()) == []


@pytest.mark.parametrize(
    ("text", "is_so"),
    [("compare heron and kitegram", True), ("heron or kitegram", True), ("does heron sell data", False)],
)
def test_two_may_be_set_against_each_other(text, is_so):
    assert compares(text) is is_so
