from __future__ import annotations

import numpy as np
import pytest

from smallprint.annotate import card
from smallprint.annotate.card import KIND, Entry, Place, annotator, make, quality_of
from smallprint.annotate.kinds import CARD, CARD_STUDENT
from smallprint.card import CODES, Verdict
from smallprint.clean.segments import compose
from smallprint.records import Block, Document

SALE = "We do not sell, rent or trade your personal information to anybody."
CONTACT = "If you have questions about this policy, write to our privacy officer at privacy@shop.example."


def document(*blocks):
    text, segments = compose([Block(kind, text) for kind, text in blocks])
    return Document("v", "https://shop.example/privacy", "Privacy", text, text, segments)


both_qualities = pytest.mark.parametrize("model", [CARD, CARD_STUDENT])
PLAIN = document(("heading", "Sharing"), ("paragraph", SALE), ("heading", "Contact"), ("paragraph", CONTACT))


def by_code(entries):
    return {entry.code: entry for entry in entries}


@both_qualities
def test_a_plain_policy(model):
    found = by_code(make(PLAIN, model))
    assert list(found) == list(CODES)
    assert (found["sells"].verdict, found["contact"].verdict, found["ai"].verdict) == ("no", "yes", "silent")
    place = found["sells"].places[0]
    assert PLAIN.text[place.start : place.end] == SALE
    assert PLAIN.segments[place.segment].headings == ("Sharing",)
    assert found["ai"].places == ()


@both_qualities
@pytest.mark.parametrize("of", [
    document(), document(("paragraph", "Privacy.")), document(("row", "Data | Purpose"), ("row", "Name | Billing")),
    document(("paragraph", "我们不会出售您的个人信息。")), document(*[("paragraph", SALE)] * 400),
], ids=["nothing", "a word", "tables alone", "another language", "hundreds of sentences"])  # fmt: skip
def test_any_document_has_a_card(of, model):
    found = make(of, model)
    assert [entry.code for entry in found] == list(CODES)
    assert all(0 <= entry.confidence <= 1 for entry in found)
    assert all(0 <= p.start < p.end <= len(of.text) for entry in found for p in entry.places)


@both_qualities
def test_an_empty_policy_is_silent(model):
    assert {entry.verdict for entry in make(document(), model)} == {"silent"}


def test_a_card_in_fast_quality_needs_no_vectors(monkeypatch):
    monkeypatch.setattr(card, "vectors", None)
    assert by_code(make(PLAIN, CARD_STUDENT))["sells"].verdict == "no"


def test_each_quality_has_its_own_annotator():
    fast, full = annotator("fast"), annotator("full")
    assert (fast.model, full.model) == (CARD_STUDENT, CARD)
    assert (quality_of(fast.model), quality_of(full.model)) == ("fast", "full")


def test_what_is_stored_is_read_back():
    entries = tuple(
        Entry(code, Verdict.NOT_SURE, Verdict.DEPENDS, 0.375, (Place(3, 10, 20), Place(4, 21, 30))) for code in CODES
    )
    assert KIND.decode(KIND.encode(entries)) == entries
    assert KIND.rows(entries)[0] == (CODES[0], "not sure", 0.375)


@pytest.mark.parametrize("content", [b"", b"{}1", b'[["sells", "perhaps", "yes", 0.5, []]]', b'[["sells"]]', b"[5]"])
def test_what_cannot_be_read_is_refused(content):
    with pytest.raises((ValueError, TypeError, KeyError)):
        KIND.decode(content)


@both_qualities
def test_a_card_says_the_same_again(model):
    first, second = (make(PLAIN, model) for _ in range(2))
    assert first == second
    assert np.isfinite([entry.confidence for entry in first]).all()
