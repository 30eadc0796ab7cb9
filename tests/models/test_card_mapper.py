from __future__ import annotations

import numpy as np
import pytest

from smallprint.card import CODES
from smallprint.models import store
from smallprint.models.card_mapper import (
    COLUMNS,
    MANY,
    MEANT,
    NAME,
    NEAREST,
    NONE,
    OF_MANY,
    SKETCH,
    TURNED,
    CardMapper,
    sketch,
)
from smallprint.models.finder import WIDTH
from smallprint.models.vectors import shipped

QUESTIONS = {
    "do you sell my data": ("sells", "+", "one"),
    "is my data never sold": ("sells", "-", "one"),
    "how long do you keep my files": ("retention", "+", "one"),
    "which shops sell my data": ("sells", "+", "many"),
    "which shops never sell my data": ("sells", "-", "many"),
    "which shops dont say whether they sell": ("sells", "0", "many"),
}


class Still:
    """A finder to which all texts are alike, so that words alone tell questions apart."""

    def vectors(self, texts):
        return np.zeros((len(texts), WIDTH), dtype=np.float32)

    def embedding(self, text):
        return np.zeros(WIDTH, dtype=np.float32)


def weights():
    """Fit weights that tell a few questions apart by their sketches."""
    targets = np.zeros((len(QUESTIONS), COLUMNS), dtype=np.float32)
    for row, (code, polarity, scope) in enumerate(QUESTIONS.values()):
        for scores in (NEAREST, MEANT):
            targets[row, scores.start + CODES.index(code)] = 1
        targets[row, MANY] = 1 if scope == "many" else -1
        targets[row, TURNED] = 1 if polarity == "-" else -1
        targets[row, OF_MANY] = [polarity == other for other in "+-0"]
    features = np.stack([sketch(question) for question in QUESTIONS])
    rows = np.zeros((WIDTH + shipped().width + WIDTH + SKETCH + 1, COLUMNS), dtype=np.float32)
    rows[-SKETCH - 1 : -1] = np.linalg.pinv(features) @ targets
    return rows / 0.7


@pytest.fixture
def mapper(tmp_path):
    arrays = {
        "weights": weights(),
        "centre": np.zeros(WIDTH),
        # Sure where the best question of the card has a higher score than that of being none.
        "certainty": np.array([8.0, 0, 0, 0, -8.0, 0, -4.0]),
        "polarity": np.array([4.0, 4.0]),
        "sure_from": np.float32(0.5),
    }
    store.save(NAME, arrays, tmp_path)
    return CardMapper(Still(), tmp_path)


def test_questions_are_matched_with_what_yes_means(mapper):
    for question, meant in QUESTIONS.items():
        match = mapper.match(question)
        assert (match.code, match.polarity, match.scope) == meant
        assert match.is_sure
        assert match.probability > 0.5
        assert match.polarity_probability > 0.5


def test_a_question_in_other_words_is_nearest_to_what_it_shares_words_with(mapper):
    assert mapper.match("how long do you keep my things").code == "retention"


def test_nobody_is_sure_of_a_question_without_a_known_word(mapper):
    for question in ("", "   ", "wird es morgen regnen", "?" * 10_000):
        assert not mapper.match(question).is_sure


def test_a_vector_at_hand_is_not_computed_anew(mapper, monkeypatch):
    monkeypatch.setattr(Still, "vectors", None)
    question = "do you sell my data"
    assert mapper.match(question, np.zeros(WIDTH, dtype=np.float32)).code == "sells"


def test_sketches_are_near_where_words_are_shared():
    own, near, far = (sketch(text) for text in ("do you sell my data", "do you sell data", "is it encrypted at rest"))
    assert own.shape == (SKETCH,)
    assert np.isclose(np.linalg.norm(own), 1)
    assert own @ near > 0.4 > own @ far
    assert not sketch("").any()
    assert sketch("data").any()


def test_columns_do_not_meet():
    ranges = [range(columns.start, columns.stop) for columns in (NEAREST, MEANT, OF_MANY)]
    assert sorted([*ranges[0], *ranges[1], NONE, MANY, TURNED, *ranges[2]]) == list(range(COLUMNS))
