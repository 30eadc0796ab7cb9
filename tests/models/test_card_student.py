"""The card student as it is shipped: what it says of plain sentences, and that it says nothing of what is none."""

from __future__ import annotations

import numpy as np
import pytest

from smallprint.ask.verdict.card import stances_of
from smallprint.card import CODES, STANCES
from smallprint.models import store
from smallprint.models.card_student import NAME, TOGETHER, CardStudent
from smallprint.records import Sentence

PLAIN = [
    ("sells", "-", "We do not sell your personal information to anybody."),
    ("cookies", "+", "We use cookies and similar technologies on our website."),
    ("contact", "+", "Write to our privacy officer at privacy@shop.example with any question."),
    ("breach", "+", "If there is a data breach that affects you, we will notify you by e-mail."),
]


@pytest.fixture(scope="module")
def student():
    return CardStudent()


def stance(student, code, text):
    return STANCES[int(student.read([Sentence(text)])[0, CODES.index(code)].argmax())]


@pytest.mark.parametrize(("code", "said", "text"), PLAIN)
def test_plain_sentences(student, code, said, text):
    assert stance(student, code, text) == said


def test_a_sale_is_not_denied(student):
    assert stance(student, "sells", "We sell your personal information to data brokers.") != "-"


@pytest.mark.parametrize("text", ["", "0123456789 " * 50, "我们不会出售您的个人信息。", "🍪" * 500, "a" * 100_000])
def test_what_cannot_be_read_says_neither_yes_nor_no(student, text):
    flat = [STANCES.index("+"), STANCES.index("-")]
    assert not np.isin(student.read([Sentence(text)]).argmax(axis=-1), flat).any()


def test_nothing_is_read_of_no_sentences(student):
    assert student.read([]).shape == (0, len(CODES), len(STANCES))


def test_neighbours_change_nothing(student):
    sentences = [Sentence(text, ("Sharing",)) for _, _, text in PLAIN] * TOGETHER
    whole, alone = student.read(sentences), student.read(sentences[:1])
    assert np.allclose(whole[:: len(PLAIN)], alone, atol=1e-3)
    assert np.isfinite(stances_of(whole)).all()


def test_weights_are_small():
    assert (store.folder() / f"{NAME}.npz").stat().st_size < 1_500_000
