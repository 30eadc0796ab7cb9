"""The papers' tables on policies written here, with the models that are shipped."""

from __future__ import annotations

import pytest

from smallprint.ask.model_set import kit
from smallprint.datasets.questions import Question, Sheet
from smallprint.evaluate.papers import METHODS, PARAGRAPH, _items, bm25, by_confidence, by_length, expansion
from smallprint.records import Sentence

SAID = (
    ("Sharing", "We never sell your personal information to anybody."),
    ("Sharing", "Your photographs and images are passed to the printers who make your albums."),
    ("Keeping", "We keep your orders for seven years."),
    ("Keeping", "After that time they are deleted."),
    ("Security", "Your card number is encrypted whenever it is sent."),
)
ASKED = (("Do you sell my data?", {0}), ("who gets my pics?", {1}), ("How long are my orders kept?", {2, 3}))


def sheet(name: str, more: int) -> Sheet:
    rows = [*SAID, *[("Cookies", f"We use cookie number {number} to count our visitors.") for number in range(more)]]
    sentences = tuple(Sentence(text, (heading,), len(heading)) for heading, text in rows)
    every = tuple(range(len(rows)))
    questions = tuple(Question(f"{name}{n}", text, every, frozenset(at)) for n, (text, at) in enumerate(ASKED))
    return Sheet(name, sentences, every, questions)


@pytest.fixture(scope="module")
def items():
    return list(_items([sheet("a", 0), sheet("b", 5), sheet("c", 12)], kit()))


def test_every_way_of_paraphrasing_has_a_row(items):
    found = expansion(items, kit())
    assert list(found) == [*METHODS, "all"]
    assert found["rules, one at a time"]["paraphrases"] >= found["rules, all at once"]["paraphrases"] > 0
    assert found["all"]["pairs"] == 12
    for row in found.values():
        assert all(0 <= row[name] <= 1 for name in ("failed pairs recovered", "answerable") if name in row)


def test_bm25_finds_passages_and_cuts_them(items):
    found = bm25(items, kit())
    assert list(found) == ["with expansion", "without"]
    for row in found.values():
        assert 0.3 < row["MRR"] <= 1
        assert 0 <= row["sentences"] <= min(PARAGRAPH, row["words"])


def test_policies_are_parted_by_length(items):
    found = by_length(items, kit())
    assert list(found) == ["short (5 to 5 sentences)", "middling (10 to 10 sentences)", "long (17 to 17 sentences)"]
    for row in found.values():
        assert row["combined"] > row["random"]


def test_the_surer_the_fewer(items):
    found = by_confidence(items, kit())
    shares = [row["share"] for row in found.values()]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 1
