"""Verbs by their forms; terms: which stand in a text and where; and that the lists of them are sound."""

from __future__ import annotations

import tomllib
from collections import Counter
from importlib import resources

import pytest

from smallprint.ask.english.lexicon import deeds, label_of, spellings, table, terms
from smallprint.taxonomy import Label
from smallprint.text import words


def found(text):
    return [(one.sort, one.id, one.start, one.end) for one in terms(words(text))]


def test_terms_have_their_places():
    assert found("we share your location with advertisers") == [
        ("things", "location", 3, 4),
        ("whom", "advertisers", 5, 6),
    ]


def test_the_longest_term_holds():
    assert found("tell us where you are") == [("things", "location", 2, 5)]
    assert found("where are you") == []


def test_a_term_has_its_label_under_the_categories_that_know_it():
    own = Label("first-party", "Personal Information Type", "Location")
    assert label_of("first-party", "things", "location") == own
    assert label_of("security", "things", "location") is None


def test_every_way_to_say_a_term_finds_it():
    for said in spellings("things", "location"):
        assert [(one.sort, one.id) for one in terms(said)] == [("things", "location")]


def test_nothing_stands_for_two_terms():
    table = tomllib.loads(
        resources.files("smallprint.ask.english").joinpath("lexicon.toml").read_text(encoding="utf-8")
    )
    owners: dict[tuple[str, ...], set[str]] = {}
    for group in table.values():
        for name, entry in group.items():
            for said in entry["terms"]:
                owners.setdefault(tuple(words(said)), set()).add(name)
    assert {said: names for said, names in owners.items() if len(names) > 1} == {}


@pytest.mark.parametrize("text", ["", "?", "a word of the kind"])
def test_most_words_are_no_terms(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Do you sell my data?", {"sell"}),
        ("It is disclosed, and then erased.", {"share", "delete"}),
        ("Kept and encrypted.", {"store", "encrypt"}),
        ("We provide, process and access it.", set()),
        ("", set()),
    ],
)
def test_a_text_speaks_of_deeds(text, named):
    assert deeds(text) == named


def test_no_form_is_of_two_deeds():
    every = Counter(form for row in table("verbs").values() for forms in row.values() for form in forms.split())
    assert max(every.values()) == 1
