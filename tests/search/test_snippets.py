from __future__ import annotations

import pytest

from smallprint.records import Place, Span
from smallprint.search.language import parse_query
from smallprint.search.snippets import LENGTH, lacking, places, snippets, telling_places

TEXT = (
    "Privacy\n"
    "We collect your name. We never sell data to anyone.\n"
    "A data breach is reported at once; every data breach is written down.\n"
    "Nothing here."
)


def laid_out(text):
    found, at = [], 0
    for number, line in enumerate(text.split("\n")):
        found.append(Place(number, "heading" if number == 0 else "paragraph", at, at + len(line)))
        at += len(line) + 1
    return found


def shown(text, highlights, **how):
    return [
        (text[one.start : one.end], [text[mark.start : mark.end] for mark in one.marks], one.segment)
        for one in snippets(text, laid_out(text), highlights, **how)
    ]


def test_the_passage_with_most_of_the_words_comes_first():
    assert shown(TEXT, (("data",), ("breach",)), most=1) == [
        ("A data breach is reported at once; every data breach is written down.",
         ["data", "breach", "data", "breach"], 2)
    ]  # fmt: skip


def test_several_passages_stand_in_the_order_of_the_text():
    assert [ordinal for _, _, ordinal in shown(TEXT, (("data",), ("breach",)))] == [1, 2]


def test_a_snippet_starts_with_the_sentence_of_its_word():
    assert shown(TEXT, (("sell",),))[0][:2] == ("We never sell data to anyone.", ["sell"])


def test_whole_words_and_runs_only():
    assert [word for _, word in places("database DATA data-breach data, breach", (("data",), ("data", "breach")))] == [
        "data", "data-breach", "data, breach"
    ]  # fmt: skip
    assert places("nodata data_x", (("data",),)) == [(Span(7, 11), "data")]
    assert places("don’t", (("don't",),)) == [(Span(0, 5), "don't")]


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("do not track", "We do not sell. Do Not Track is not heeded.", ["do not track"]),
        ("do not track", "We do not sell.", ["do", "not"]),
        ('data "do not track" not', "We do not sell data. Do Not Track is not heeded.", ["data", "do not track"]),
        ('"do not track"', "We do not sell.", []),
        ("data breach retention", "Data here, a breach there.", ["data", "breach"]),
    ],
)
def test_where_words_stand_together_they_are_not_found_one_by_one(query, text, found):
    assert [word for _, word in telling_places(text, parse_query(query).highlights)] == found


def test_passages_where_words_stand_together_go_before_all_others():
    together = parse_query("data breach").highlights
    assert [(marks, ordinal) for _, marks, ordinal in shown(TEXT, together)] == [(["data breach", "data breach"], 2)]
    text = "Do not track\nWe do not sell.\nNothing here."
    assert shown(text, parse_query("do not track").highlights) == [("We do not sell.", ["do", "not"], 1)]


def test_what_is_lacking():
    asked = parse_query('data third-party "data breach" -no title:bank').wanted
    assert asked == (("data",), ("third", "party"), ("data", "breach"))
    assert lacking(("Third", "party data"), asked) == (("third", "party"), ("data", "breach"))
    assert lacking(("", "A third party’s DATA breach"), asked) == ()


def test_without_a_match_the_beginning_is_shown():
    ((text, marks, _),) = shown(TEXT, (("absent",),))
    assert (text, marks) == ("A data breach is reported at once; every data breach is written down.", [])
    assert snippets("", [], (("x",),)) == ()


def test_long_passages_are_cut_between_words_around_the_match():
    text = "Title\n" + "word " * 500 + "needle " + "word " * 500
    ((found, marks, _),) = shown(text, (("needle",),))
    assert marks == ["needle"]
    assert len(found) <= LENGTH
    assert set(found.split()) == {"word", "needle"}


def test_places_are_right_where_letters_change_their_number():
    text = "İstanbul data"
    ((span, _),) = places(text, (("data",),))
    assert text[span.start : span.end] == "data"


def test_a_hostile_text_takes_no_longer_than_its_length_asks():
    text = "a " * 200_000
    assert len(places(text, (("a",), ("a", "a"), ("a", "a", "b")))) > 1
