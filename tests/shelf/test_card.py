from __future__ import annotations

import shutil

import pytest

import smallprint
from smallprint.card import CODES, QUESTIONS
from smallprint.errors import NoSuchPolicy
from smallprint.library import Library
from smallprint.shelf import shelf as module

BANK = "tidemarkbank.example"


@pytest.fixture
def shelf(copy_sample, tmp_path):
    with smallprint.open(copy_sample(tmp_path)) as shelf:
        yield shelf


def stored(shelf):
    with Library(shelf.path) as library:
        return library.db.column(
            "SELECT model FROM annotations a JOIN policies p ON a.version_id = p.current_version "
            "WHERE kind = 'card' AND p.domain = ?",
            BANK,
        )


def test_a_card_has_the_policys_own_words(shelf):
    card = shelf.card(BANK)
    assert (card.model, card.quality) == ("card", "full")
    assert [answer.code for answer in card.answers] == list(CODES)
    sells = card.answers[0]
    assert (sells.question, sells.verdict) == (QUESTIONS["sells"], "no")
    text = shelf.text(BANK)
    for answer in card.answers:
        for quote in answer.quotes:
            assert text[quote.start : quote.end] == quote.text
            assert quote.permalink.startswith("/policies/tidemarkbank.example-")
    assert "We do not sell personal information." in {quote.text for quote in sells.quotes}


def test_a_card_is_made_once(shelf):
    first = shelf.card(BANK)
    assert first.made_on
    assert shelf.card(BANK) == first
    assert stored(shelf) == ["card"]


def test_a_fast_card_is_stored_and_upgraded_when_the_card_is_asked_for(shelf):
    fast = shelf.card(BANK, fast=True)
    assert (fast.model, fast.quality, fast.answers[0].verdict) == ("card-student", "fast", "no")
    assert stored(shelf) == ["card-student"]
    full = shelf.card(BANK)
    assert (full.model, full.quality) == ("card", "full")
    assert stored(shelf) == ["card"]
    # What is better is not given away for something quick.
    assert shelf.card(BANK, fast=True) == full


def test_a_stored_fast_card_is_shown_without_reading(shelf, monkeypatch):
    first = shelf.card(BANK, fast=True)
    monkeypatch.setattr(module, "make_card", None)
    assert shelf.card(BANK, fast=True) == first


def test_an_older_version_has_a_card_of_its_own(shelf):
    assert shelf.card(BANK, "2021").version_id != shelf.card(BANK).version_id


def test_a_policy_that_is_not_there(shelf):
    with pytest.raises(NoSuchPolicy):
        shelf.card("nowhere.example")


def test_a_library_that_nobody_may_write_to_has_cards_too(copy_sample, tmp_path):
    path = copy_sample(tmp_path)
    path.chmod(0o400)
    with smallprint.open(path) as shelf:
        assert shelf.card(BANK).answers[0].verdict == "no"
    shutil.rmtree(tmp_path, ignore_errors=True)
