"""When to ask back: where a question is open, and what answers it falls into different practices."""

from __future__ import annotations

import pytest

from smallprint.ask.clarifying import CERTAIN, Evident, clarification, is_bare
from smallprint.ask.conversation import Option

BOTH = [Evident("first-party", 0.9), Evident("first-party", 0.85), Evident("third-party", 0.8)]


def test_a_bare_thing_with_evidence_of_two_practices_is_asked_back():
    assert clarification("my location?", 0.9, BOTH) == (
        Option("how they use your location", "How do you use my location?"),
        Option("with whom they share your location", "Who do you share my location with?"),
    )


def test_an_uncertain_question_is_asked_back():
    assert len(clarification("Do you care about privacy at all?", CERTAIN - 0.1, BOTH)) == 2
    assert clarification("Do you care about privacy at all?", CERTAIN + 0.1, BOTH) == ()


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Do you sell my location?", BOTH),
        ("Can I delete my location?", BOTH),
        ("my location?", BOTH[:2]),
        ("my location?", [Evident("first-party", 0.9), Evident("third-party", 0.2)]),
        ("my location?", [Evident("first-party", 0.9), Evident(None, 0.9), Evident("introduction", 0.9)]),
        ("my location?", []),
    ],
)
def test_what_is_plain_is_not_asked_back(question, best):
    assert clarification(question, 0.1, best) == ()


@pytest.mark.parametrize(
    ("question", "bare"),
    [("location?", True), ("what about my health data?", True), ("Is my location safe?", False), ("why?", False)],
)
def test_a_bare_question_names_a_thing_and_no_more(question, bare):
    assert is_bare(question) is bare
