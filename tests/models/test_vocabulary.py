from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.models.vocabulary import LEAST_KNOWN, LONGEST, Vocabulary
from smallprint.text import hashed, word_hashes

KNOWN = "we collect your name and share it".split()


def vocabulary(*words: str) -> Vocabulary:
    return Vocabulary(np.unique((hashed(list(words)) & np.uint64(0xFFFFFFFF)).astype(np.uint32)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0.0),
        (" … ", 0.0),
        ("zebra", 0.0),
        ("name", 1.0),
        ("We COLLECT your Name.", 1.0),
        ("we we we zebra", 0.75),
        ("we collect zebra crossings", 0.5),
        ("Wir erheben Daten we", 0.25),
    ],
)
def test_the_share_of_words_that_are_known(text, expected):
    assert vocabulary(*KNOWN).share(word_hashes(text)) == expected


def test_a_text_is_read_where_half_of_its_words_are_known():
    known = vocabulary(*KNOWN)
    assert LEAST_KNOWN == 0.5
    assert known.can_read("we collect zebra crossings")
    assert not known.can_read("we like zebra crossings")
    assert not known.can_read("")
    assert not known.can_read("当社は、お客様の個人情報を適切に取り扱います。")


def test_a_long_text_is_judged_by_its_beginning():
    beginning = "we share it. " * (LONGEST // 13 + 1)
    assert vocabulary(*KNOWN).can_read(beginning + "zebra " * 100_000)


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1), st.lists(st.text("abc", min_size=1, max_size=3)))
def test_shares_are_counted(known, words):
    expected = sum(word in known for word in words) / len(words) if words else 0.0
    assert vocabulary(*known).share(hashed(words)) == pytest.approx(expected)
