from __future__ import annotations

import pytest

from smallprint.card import CODES
from smallprint.cli.card import in_words

BANK = "tidemarkbank.example"


@pytest.fixture(scope="module")
def library(copy_sample, tmp_path_factory):
    return copy_sample(tmp_path_factory.mktemp("card"))


def test_a_card_in_the_terminal(run, library):
    out = run("card", BANK, "sells", "ai", "--library", library).out
    assert "Does it sell my personal data? (sells)" in out
    assert "No (" in out
    assert "We do not sell personal information." in out
    assert "Read in full quality by card " in out
    assert "Not legal advice." in out
    assert "(cookies)" not in out


def test_a_card_in_fast_quality(run, copy_sample, tmp_path):
    library = copy_sample(tmp_path)
    out = run("card", BANK, "sells", "--fast", "--library", library).out
    assert "Read in fast quality by card-student " in out
    assert "No (" in out


def test_a_card_for_programs(run, library):
    card = run("card", BANK, "--library", library, "--json").json
    assert [answer["code"] for answer in card["answers"]] == list(CODES)
    assert card["answers"][0]["verdict"] == "no"
    assert card["answers"][0]["quotes"][0]["text"]


def test_an_unknown_question_is_told_in_a_line(run, library):
    result = run("card", BANK, "weather", "--library", library)
    assert result.code == 1
    assert result.err.startswith("smallprint: 'weather' is not a question of the card; choose from: sells, ad-sharing")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(("confidence", "words"), [
    (0.95, "Yes (sure)."), (0.8, "Yes (fairly sure)."), (0.6, "Yes (not sure)."),
])  # fmt: skip
def test_how_sure_a_verdict_is_stands_in_words(confidence, words):
    assert in_words("yes", confidence) == words
