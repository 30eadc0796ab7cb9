from __future__ import annotations

import pytest

from smallprint.ask.question.normalising import mended


class Words:
    """Words by how common they are, the commonest first."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def rank(self, word):
        return self.words.index(word) + 1 if word in self.words else None


KNOWN = Words(
    "the", "data", "access", "address", "encrypted", "follow", "their", "free", "stickers", "launched", "repercussions",
    "photo", "phone", "marry", "merry", "statement", "together", "company",
)  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("hte", "the"), ("thier", "their"), ("acess", "access"), ("adress", "address"), ("addresss", "address"),
        ("folow", "follow"), ("excrypted", "encrypted"), ("encrpted", "encrypted"), ("repercutions", "repercussions"),
        ("statemenrt", "statement"), ("encryyypted", "encrypted"),
    ],
)  # fmt: skip
def test_what_is_surely_meant(typed, meant):
    assert mended(typed, KNOWN) == meant


@pytest.mark.parametrize(
    "typed",
    ["data", "freep", "tickers", "launcher", "phont", "tether", "companys", "dta", "", "th3", "it's", "Adress",
     "ädress", "mxrry", "zzzzzzzzzzzz"],
)  # fmt: skip
def test_what_nobody_can_tell(typed):
    assert mended(typed, KNOWN) is None


def test_of_two_that_are_as_common_neither_is_taken():
    assert mended("stationxry", Words("stationary", "stationery")) is None
    assert mended("stationxry", Words("stationary", *"abcdefg", "stationery")) == "stationary"


def test_rare_words_are_no_help():
    far = Words(*(f"w{number}" for number in range(400)), "address")
    assert mended("adress", far) == "address"
    assert mended("adress", far, commonest=300) is None


LONG = "repercussion"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("rxpercussoin", LONG),  # a letter mistaken, two turned round
        ("reprcusssion", LONG),  # one left out, one put in
        ("reprcusssxion", None),  # three slips
        ("erpercusion", None),  # another beginning
    ],
)
def test_up_to_two_slips_are_mended_in_a_long_word_that_begins_and_ends_rightly(typed, meant):
    assert mended(typed, Words(LONG)) == meant
