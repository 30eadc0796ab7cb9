from __future__ import annotations

import numpy as np

from smallprint.ask.answerer import SentenceAnswerer, SpanFinder
from smallprint.ask.kit import Kit, kit
from smallprint.ask.rankers import RANKERS

from .shop import SENTENCES

SELL = "Do you sell my data?"


class Counting:
    """The reader, counting what it reads."""

    def __init__(self) -> None:
        self.read_so_far = 0

    def read(self, question, sentences, window=128):
        self.read_so_far += len(sentences)
        return kit().reader.read(question, sentences, window)


def test_rankers_side_by_side_read_nothing_twice():
    models, counting = Kit(), Counting()
    models.reader = counting
    answerer = SentenceAnswerer(models)
    first = answerer.scores("reader without spans", SELL, SENTENCES)
    assert counting.read_so_far == len(SENTENCES)
    again = answerer.scores("combined", SELL, SENTENCES)
    assert counting.read_so_far == len(SENTENCES)
    assert first.shape == again.shape
    assert np.array_equal(answerer.decide(SELL, SENTENCES).scores, again)


def test_another_policy_and_another_question_are_not_mixed_up():
    answerer = SentenceAnswerer()
    other = SENTENCES[::-1]
    one = answerer.scores("dense", SELL, SENTENCES)
    assert np.allclose(answerer.scores("dense", SELL, other)[::-1], one, atol=0.05)
    assert not np.allclose(answerer.scores("dense", "Is my card safe?", SENTENCES), one, atol=0.05)
    assert answerer.systems == tuple(RANKERS)


def test_a_span_is_found_in_a_passage():
    passage = "Our shop is old. We keep your orders for seven years. We like tea."
    start, end = SpanFinder().read("How long do you keep my orders?", passage)
    assert "seven years" in passage[start:end]
