from __future__ import annotations

from smallprint.card import CODES, QUESTIONS


def test_the_card_has_28_questions():
    assert len(CODES) == 28
    assert all(question.endswith("?") for question in QUESTIONS.values())
    assert (CODES[0], CODES[-1]) == ("sells", "contact")
