from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint.index.words import _ASCII, _segmenter, url_words, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We don't share.", ["we", "don't", "share"]),
        ("We don’t share", ["we", "don't", "share"]),
        ("e-mail, opt-out", ["e", "mail", "opt", "out"]),
        ("U.S.A. and 3.14 or 1,000.50", ["u.s.a", "and", "3.14", "or", "1,000.50"]),
        ("Address:Main Street", ["address", "main", "street"]),
        ("user_name@example.com", ["user_name", "example.com"]),
        ("'quoted' (text)", ["quoted", "text"]),
        ("naïve café’s", ["naïve", "café's"]),
        ("日本 カタカナ", ["日", "本", "カタカナ"]),
        ("😀 ... !!", []),
        ("", []),
        ("a" * 300, []),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


@settings(deadline=None)  # the machine may be busy
@given(st.text(alphabet=st.characters(codec="ascii"), max_size=60))
def test_the_quick_pattern_cuts_ascii_as_unicode_does(text):
    folded = text.replace(":", " ").lower()
    assert _ASCII.findall(folded) == _segmenter().analyze(folded)


@settings(deadline=None)  # the machine may be busy
@given(st.text(max_size=60))
def test_no_text_fails_and_words_have_no_blanks(text):
    assert all(word and not any(letter.isspace() for letter in word) for word in words(text))


BLANKS = " \t\n\x1c\x1f\x85\xa0\u2003\u3000"


@settings(deadline=None)  # the machine may be busy
@given(st.text(alphabet=st.sampled_from(f"aB.',;:_1\x00\x7fé’日ΑΣ\u0301\u200b{BLANKS}"), max_size=60))
def test_what_stands_between_blanks_is_cut_by_itself(text):
    folded = text.replace("’", "'").replace(":", " ").lower()
    expected = [
        word
        for stretch in folded.split()
        for word in (_ASCII.findall(stretch) if stretch.isascii() else _segmenter().analyze(stretch))
    ]
    assert words(text) == expected


def test_words_of_addresses():
    assert url_words("https://www.Example.com/legal/privacy-policy.html?x=1") == [
        "https", "www", "example", "com", "legal", "privacy", "policy", "html", "x", "1"
    ]  # fmt: skip
