from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint import limits
from smallprint.records import Span
from smallprint.text import (
    _RUN,
    SHINGLE_WORDS,
    _splitter,
    _trimmed,
    _without_ends,
    hashed,
    jaccard,
    ngrams,
    sentences,
    shingles,
    word_hashes,
    words,
)

# A few words, so that texts made of them share shingles and sentences end where a splitter has to think.
VOCABULARY = st.lists(st.sampled_from("we use your data and share it never".split()), max_size=30)
PROSE = st.lists(
    st.sampled_from([*'We share data. e.g. Inc. Why? "No!" (See Art. 5.) U.S. …'.split(), "\n", "\n\n", " "]),
    max_size=40,
).map(" ".join)


def said(text: str, start: int = 0, end: int | None = None) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text, start, end)]


def shingle_set(tokens: list[str]) -> set[tuple[str, ...]]:
    width = min(SHINGLE_WORDS, len(tokens))
    return {tuple(tokens[i : i + width]) for i in range(len(tokens) - width + 1)} if width else set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n—!", []),
        ("We DON’T sell, or rent, data.", ["we", "don't", "sell", "or", "rent", "data"]),
        ("don't e-mail us", ["don't", "e", "mail", "us"]),
        ("'quoted' users' rights", ["quoted", "users", "rights"]),
        ("Article 6(1)(f) GDPR", ["article", "6", "1", "f", "gdpr"]),
        ("Größe naïve 個人情報", ["größe", "naïve", "個人情報"]),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("We sell nothing", ["We sell nothing"]),
        ("  We sell nothing.  ", ["We sell nothing."]),
        ("We collect data. We keep it.", ["We collect data.", "We keep it."]),
        ("Do you share it? No! Never.", ["Do you share it?", "No!", "Never."]),
        (
            "We are Acme Inc. and we share data with Foo Ltd. and others. See Sec. 5 for more.",
            ["We are Acme Inc. and we share data with Foo Ltd. and others.", "See Sec. 5 for more."],
        ),
        (
            "We rely on Art. 6(1)(f) of the GDPR. You may object.",
            ["We rely on Art. 6(1)(f) of the GDPR.", "You may object."],
        ),
        (
            "We keep some data, e.g. your name, i.e. what you told us. Ask Dr. Smith.",
            ["We keep some data, e.g. your name, i.e. what you told us.", "Ask Dr. Smith."],
        ),
        ("Write to privacy@acme.example. Thank you.", ["Write to privacy@acme.example.", "Thank you."]),
        ("Data are kept in the U.S. Congress made a law.", ["Data are kept in the U.S. Congress made a law."]),
        ("See 15 U.S.C. § 6501 for children. We comply.", ["See 15 U.S.C. § 6501 for children.", "We comply."]),
    ],
)
def test_sentences(text, expected):
    assert said(text) == expected


def test_sentences_of_a_stretch_are_placed_in_the_whole_text():
    text = "Heading\n\nWe collect data. We keep it.\n\nBye."
    assert sentences(text, 9, 38) == [Span(9, 25), Span(26, 37)]
    assert sentences(text, 0, 9) == [Span(0, 7)]
    assert sentences(text, 7, 9) == []


@settings(deadline=None)
@given(PROSE | st.text(max_size=80))
def test_sentences_leave_nothing_out_and_do_not_overlap(text):
    spans = sentences(text)
    assert all(before.end <= after.start for before, after in pairwise(spans))
    assert "".join("".join(text[s.start : s.end].split()) for s in spans) == "".join(text.split())
    assert all(text[s.start : s.end] == text[s.start : s.end].strip() != "" for s in spans)


@settings(deadline=None)
@given(PROSE, PROSE, PROSE)
def test_a_stretch_is_split_as_if_it_stood_alone(before, text, after):
    whole = f"{before}{text}{after}"
    start, end = len(before), len(before) + len(text)
    assert said(whole, start, end) == said(text)


def test_hashes_are_the_same_on_every_machine():
    assert hashed(["privacy", "policy", "privacy"]).tolist() == [
        0x0C0A02FFC3841908,
        0x08FB0291F07D0516,
        0x0C0A02FFC3841908,
    ]


@settings(deadline=None)
@given(st.text(max_size=40) | st.text(alphabet="aéß'’? –個ł\ud800_1", max_size=30))
def test_the_short_way_to_the_hashes_of_words_is_the_long_one(text):
    assert word_hashes(text).tolist() == hashed(words(text)).tolist()


@settings(deadline=None)
@given(st.text(alphabet=st.characters(max_codepoint=255), max_size=40) | st.text(alphabet="ab'’? é_1", max_size=30))
def test_words_are_those_of_a_pattern(text):
    assert words(text) == re.findall(r"\w+(?:'\w+)*", text.lower().replace("’", "'"))


def test_hashes_of_nothing():
    assert hashed([]).tolist() == []
    assert ngrams(hashed([]), 5).tolist() == []
    assert shingles(hashed([])).tolist() == []


def test_a_lone_surrogate_can_be_hashed():
    assert len(hashed(["\ud800", "a"])) == 2


def test_ngrams_know_the_order_of_words():
    ab, ba = ngrams(hashed(["a", "b"]), 2), ngrams(hashed(["b", "a"]), 2)
    assert len(ab) == len(ba) == 1
    assert ab.tolist() != ba.tolist()


@pytest.mark.parametrize(("length", "width", "count"), [(10, 5, 6), (5, 5, 1), (3, 5, 1), (1, 5, 1), (4, 1, 4)])
def test_ngrams_count(length, width, count):
    assert len(ngrams(hashed([str(n) for n in range(length)]), width)) == count


def test_a_short_text_is_one_shingle():
    assert shingles(hashed(["we", "care"])).tolist() == ngrams(hashed(["we", "care"]), 2).tolist()


@settings(deadline=None)
@given(VOCABULARY.filter(lambda tokens: len(tokens) > 1))
def test_ngrams_depend_on_their_own_words_alone(tokens):
    alone = [int(ngrams(hashed(tokens[i : i + 2]), 2)[0]) for i in range(len(tokens) - 1)]
    assert ngrams(hashed(tokens), 2).tolist() == alone


@settings(deadline=None)
@given(VOCABULARY)
def test_shingles_are_distinct_and_sorted(tokens):
    found = shingles(hashed(tokens))
    assert found.dtype == np.uint64
    assert found.tolist() == sorted(set(found.tolist()))
    assert len(found) == len(shingle_set(tokens))  # the words are few: no two of them collide


@settings(deadline=None)
@given(VOCABULARY, VOCABULARY)
def test_jaccard_is_that_of_the_sets_of_shingles(one, other):
    first, second = shingle_set(one), shingle_set(other)
    exact = len(first & second) / len(first | second) if first | second else 1.0
    assert jaccard(shingles(hashed(one)), shingles(hashed(other))) == exact
    assert jaccard(shingles(hashed(other)), shingles(hashed(one))) == exact


def test_jaccard_of_empty_texts():
    empty, some = shingles(hashed([])), shingles(hashed(["we", "care"]))
    assert jaccard(empty, empty) == 1.0
    assert jaccard(empty, some) == jaccard(some, empty) == 0.0
    assert jaccard(some, some) == 1.0


@pytest.mark.parametrize("unit", ["!", "?", "!?", ".)", "].", '."', "…!"])
def test_a_long_run_of_sentence_ends_is_one_word(unit):
    run = unit * 100_000  # minutes, if the splitter weighed each of them
    text = f"We share data. Stop{run} Then we stop."
    assert [text[s.start : s.end] for s in sentences(text)] == ["We share data.", f"Stop{run}", "Then we stop."]


def test_a_run_up_to_the_limit_is_split_as_ever():
    splitter = _splitter()
    for length in (limits.MAX_RUN - 1, limits.MAX_RUN):
        text = f"We share. {'!)' * (length // 2)}{'x' * (length % 2)} Then we stop."
        assert _RUN.search(text) is None
        assert sentences(text) == _trimmed(text, splitter(text))


def test_a_long_address_or_row_of_dots_is_left_alone():
    for run in ("https://shop.example/" + "a.b/c?d=e." * 100, "Introduction" + "." * 500 + "12"):
        assert _RUN.sub(_without_ends, run) == run
