"""Where a name must stand, where it may, and where none can."""

from __future__ import annotations

import pytest

from smallprint.ask.slots import compares, may_stand_for_a_name, stands_for_a_name, unknown_places


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
