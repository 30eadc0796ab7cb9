from __future__ import annotations

import shutil

import pytest

import smallprint
from smallprint.card import CODES, QUESTIONS
from smallprint.errors import NoSuchPolicy
from smallprint.library import Library

BANK = "tidemarkbank.example"


@pytest.fixture
def shelf(copy_sample, tmp_path):
    with smallprint.open(copy_sample(tmp_path)) as shelf:
        yield shelf


def stored(shelf):
    with Library(shelf.path) as library:
        return library.db.execute("SELECT model FROM annotations WHERE kind = 'card'").fetchall()


def test_a_card_has_the_policys_own_words(shelf):
    card = shelf.card(BANK)
    assert card.model == "card"
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
    assert [model for (model,) in stored(shelf)] == ["card"]


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
