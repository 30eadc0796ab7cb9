from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.windows import BITS, REACH, SUFFIXES, TEMPLATES, Windows, features

WORDS = "we may share some of it with partners".split()


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Give a marker whose weights are 0 but for those told by their places; each counts half."""

    def made(weights: dict[int, int], bias: float = 0.0) -> Windows:
        known = np.zeros(1 << BITS, dtype=np.int8)
        for place, weight in weights.items():
            known[place] = weight
        arrays = {"weights": known, "scale": np.float32(0.5), "bias": np.float32(bias), "threshold": np.float64(0.3)}
        store.save("toy", arrays, tmp_path)
        return Windows("toy")

    monkeypatch.setattr(store, "folder", lambda: tmp_path)
    return made


def sigmoid(score: float) -> float:
    return 1 / (1 + np.exp(-score))


# Features


def test_a_row_a_word_and_a_column_a_feature():
    found = features(WORDS)
    assert (found.dtype, found.shape) == (np.int64, (8, len(TEMPLATES) + len(SUFFIXES)))
    assert ((found >= 0) & (found < 1 << BITS)).all()
    assert features([]).shape == (0, len(TEMPLATES) + len(SUFFIXES))
    assert np.array_equal(features([word.upper() for word in WORDS]), found)


def test_features_are_the_same_on_every_machine():
    # Weights are learnt for these very places: a change here asks for a new training.
    assert features(["may"])[0].tolist() == [
        112227, 125399, 80319, 57826, 13160, 108543, 65761, 106003, 102757, 125210, 1010, 100905, 40986, 27751,
    ]  # fmt: skip


def test_a_word_is_seen_with_its_neighbours_and_no_further():
    found = features(WORDS)
    for distance in range(1, REACH + 2):
        other = list(WORDS)
        other[3 + distance] = "zebra"
        seen = [place for place, template in enumerate(TEMPLATES) if distance in template]
        assert np.flatnonzero(features(other)[3] != found[3]).tolist() == seen
        assert bool(seen) == (distance <= REACH)


def test_an_edge_is_no_word():
    alone, amid = features(["may"])[0], features(["x", "x", "may", "x", "x"])[2]
    same = [place for place, template in enumerate(TEMPLATES) if template == (0,)]
    assert np.flatnonzero(alone == amid).tolist() == [*same, len(TEMPLATES), len(TEMPLATES) + 1]


def test_endings_are_seen():
    one, other = features(["possibly"])[0], features(["ably"])[0]
    assert one[-2] == other[-2]  # "ly"
    assert one[-1] == other[-1]  # "bly"
    assert features(["duly"])[0, -2] == one[-2]
    assert features(["duly"])[0, -1] != one[-1]


@given(st.lists(st.text(max_size=4), max_size=6))
def test_any_words(words):
    found = features(words)
    assert len(found) == len(words)
    assert ((found >= 0) & (found < 1 << BITS)).all()


# Marks


def test_scores_are_summed_scaled_and_made_probabilities(toy):
    places = features(WORDS)[1]
    marker = toy({places[0]: 6, places[3]: 2}, bias=-1.0)
    said = marker.mark(WORDS)
    assert (said.dtype, said.shape) == (np.float32, (8,))
    assert said[1] == pytest.approx(sigmoid(6 * 0.5 + 2 * 0.5 - 1))
    assert np.delete(said, 1) == pytest.approx(sigmoid(-1))
    # By itself "may" has the one feature and not the other.
    assert marker.mark(["May"]) == pytest.approx(sigmoid(6 * 0.5 - 1))


def test_no_words_have_no_marks(toy):
    assert toy({}).mark([]).tolist() == []


def test_the_marker_says_its_threshold(toy):
    assert toy({}).threshold == 0.3


def test_a_marker_nobody_made(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "folder", lambda: tmp_path)
    with pytest.raises(NoModel, match="no model 'toy'"):
        Windows("toy")
