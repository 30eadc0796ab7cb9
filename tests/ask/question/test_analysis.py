from __future__ import annotations

import numpy as np
import pytest

from smallprint.ask.model_set import kit
from smallprint.ask.question.analysis import COMPARED, ask, expanded
from smallprint.models.labels import COLUMNS, column
from smallprint.taxonomy import Label


def test_all_that_answering_takes_is_made():
    asked = ask("do u sell my pics??", kit())
    assert asked.question.words[:3] == ("do", "you", "sell")
    assert len(asked.vectors) == 1 + min(COMPARED, len(asked.paraphrases))
    assert np.linalg.norm(asked.vectors, axis=1) == pytest.approx(1, abs=0.01)
    assert asked.labels.shape == (len(COLUMNS),)
    assert asked.labels[column(Label("third-party"))] > 0.5
    assert asked.foreign < 0.5
    assert asked.known == 1


def test_words_that_no_policy_uses_are_counted():
    assert ask("do you sell my zxqvw?", kit()).known == pytest.approx(0.8)


def test_a_question_without_words_is_made_too():
    asked = ask("", kit())
    assert (asked.question.words, asked.known, len(asked.stems)) == ((), 0.0, 0)


def test_the_nearest_words_weigh_less_than_the_question_s_own():
    asked = ask("do you sell my location?", kit())
    weights = expanded(asked, kit())
    assert all(weights[stem] == 1 for stem in asked.stems)
    added = [weight for stem, weight in weights.items() if stem not in asked.stems]
    assert len(added) > 5
    assert 0 < max(added) < 1
