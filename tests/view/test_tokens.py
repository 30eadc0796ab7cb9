from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.records import Span
from smallprint.view.pairing import is_word, tokens


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("We keep it.", ["We", "keep", "it", "."]),
        ("don’t opt‑out and/or a@b.example", ["don't", "opt-out", "and/or", "a@b.example"]),
        ("“Data” – yes…", ['"', "Data", '"', "-", "yes", "…"]),
        ("**bold** ----", ["**", "bold", "**", "----"]),
        (" \n ", []),
        ("", []),
    ],
)
def test_words_and_marks(text, keys):
    assert tokens(text).keys == keys


def test_only_the_shape_of_marks_is_folded():
    assert tokens("It’s “so” – now").keys == tokens('It\'s "so" - now').keys
    assert tokens("Data").keys != tokens("data").keys


def test_sentences_begin_where_they_are_said_to():
    text = "One. Two. Three"
    assert tokens(text).firsts == [0, 2, 4, 5]
    assert tokens(text, [Span(0, 9), Span(10, 15)]).firsts == [0, 4, 5]
    # What lies outside of all sentences belongs to the one before, or to the first.
    assert tokens(text, [Span(5, 9)]).firsts == [0, 2, 5]
    assert tokens("", []).firsts == [0]


def test_a_line_ends_a_sentence():
    assert tokens("Cookies\nWe use them").firsts == [0, 1, 4]


def test_words_are_counted_and_weighed():
    found = tokens("We, considerately, keep it.")
    assert [found.words(0, 7), found.words(1, 4), found.words(3, 3)] == [4, 1, 0]
    assert [found.weight(0, 7), found.weight(1, 4)] == [2 + 10 + 4 + 2, 10]
    assert found.worth == [2, 1, 10, 1, 4, 2, 1]
    assert tokens("May 2024, 555-0148").worth == [3, 1, 1, 1]


@given(st.text(max_size=60))
def test_tokens_lie_end_to_end(text):
    found = tokens(text)
    assert found.starts == sorted(set(found.starts))
    assert text[: found.starts[0]].strip() == ""
    for place in range(len(found.keys)):
        span = found.span(place, place + 1)
        shown = text[span.start : span.end]
        assert shown[:1].strip() == shown[:1]
        assert len(shown.split()) == 1
        assert is_word(shown) == is_word(found.keys[place])
