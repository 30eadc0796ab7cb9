from __future__ import annotations

from smallprint.records import Place, Span
from smallprint.search.snippets import LENGTH, places, snippets

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
        (text[one.start : one.end], [text[mark.start : mark.end] for mark in one.marks], one.ordinal)
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
