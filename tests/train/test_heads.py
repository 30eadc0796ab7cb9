from __future__ import annotations

import sys

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make test-train'")

from smallprint.models import store
from smallprint.models.mapper import grams
from smallprint.models.towers import HOLDER
from smallprint.train import heads
from smallprint.train.heads import UNTRAINED, fit, learn_words, matrix, reader

TEXTS = ["sell my data", "sell my name", "keep my data", "keep it"]
NO_WORDS = np.zeros((4, 0), dtype=np.float32)
SOLD = np.array([[1.0], [1.0], [0.0], [0.0]], dtype=np.float32)
EQUAL = np.ones((4, 1), dtype=np.float32)


def weights_of(text, least=1):
    words = learn_words(TEXTS, least)
    return {int(words.known[place]): float(value) for place, value in enumerate(matrix(words, [text]).toarray()[0])}


def test_words_and_pairs_that_are_common_enough():
    assert set(learn_words(TEXTS, 2).known) == set(grams("sell my")) | set(grams("my data")) | set(grams("keep"))
    assert len(learn_words(TEXTS, 5).known) == 0
    assert (np.diff(learn_words(TEXTS, 1).known.astype(np.int64)) > 0).all()


def test_what_is_rare_weighs_more():
    found = weights_of("my data")
    mine, data, pair = (found[int(gram)] for gram in (grams("my")[0], grams("data")[0], _pair("my data")))
    assert 0 < mine < data == pytest.approx(pair)
    assert mine**2 + data**2 + pair**2 == pytest.approx(1)


def test_a_text_without_known_words_is_an_empty_row():
    words = learn_words(TEXTS, 1)
    made = matrix(words, ["", "sell", "other things"])
    assert made.shape == (3, len(words.known))
    assert made.toarray().sum(axis=1).tolist() == [0, 1, 0]


def test_words_alone_tell():
    words = matrix(learn_words(TEXTS, 1), TEXTS)
    nothing = np.zeros((4, 1), dtype=np.float32)
    said = fit(nothing, words, SOLD, EQUAL, 0.01).tell(nothing, words)
    assert (said[:2] > 0.9).all()
    assert (said[2:] < 0.1).all()


def test_vectors_alone_tell():
    vectors = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=np.float32)
    said = fit(vectors, _none(4), SOLD, EQUAL, 0.01).tell(vectors, _none(4))
    assert (said[:2] > 0.9).all()
    assert (said[2:] < 0.1).all()


def test_shares_are_met():
    nothing = np.zeros((4, 1), dtype=np.float32)
    targets = np.array([[0.2, 1.0], [0.4, 1.0], [0.2, 1.0], [0.4, 0.0]], dtype=np.float32)
    said = fit(nothing, _none(4), targets, np.ones_like(targets), 0.1).tell(nothing, _none(4))
    assert said == pytest.approx(np.tile([0.3, 0.75], (4, 1)), abs=1e-3)


def test_what_has_no_weight_is_not_learnt():
    nothing = np.zeros((4, 1), dtype=np.float32)
    weights = np.array([[1.0], [0.0], [1.0], [0.0]], dtype=np.float32)
    said = fit(nothing, _none(4), np.array([[1.0], [0.0], [1.0], [0.0]], dtype=np.float32), weights, 0.1)
    assert (said.tell(nothing, _none(4)) > 0.95).all()


def test_weights_are_held_back_and_the_bias_is_not():
    vectors = np.array([[1], [1], [1], [-1]], dtype=np.float32)
    targets = np.array([[1.0], [1.0], [1.0], [0.0]], dtype=np.float32)
    loose, tight = (fit(vectors, _none(4), targets, EQUAL, hold) for hold in (0.01, 1000.0))
    assert abs(tight.of_vector[0, 0]) < 0.01 < 1 < loose.of_vector[0, 0]
    assert tight.bias[0] == pytest.approx(np.log(3), abs=0.01)


def _none(rows):
    return matrix(learn_words([], 1), [""] * rows)


def _pair(text):
    alone = {gram for word in text.split() for gram in grams(word).tolist()}
    (found,) = set(grams(text).tolist()) - alone
    return found


# What makes the vectors


class Finder:
    """Says where it and its embeddings were taken from."""

    def __init__(self, base, where):
        self.taken = (base, where)

    def vectors(self, texts):
        return [self.taken for _ in texts]


@pytest.fixture
def folders(tmp_path, monkeypatch):
    own, shipped = tmp_path / "own", tmp_path / "shipped"
    for folder in (own, shipped):
        folder.mkdir()
    monkeypatch.setattr(store, "folder", lambda: shipped)
    monkeypatch.setattr(heads, "Finder", Finder)
    monkeypatch.setattr(heads, "Base", lambda where: where)
    monkeypatch.setattr(heads, "_untrained", lambda: "what is untrained")
    return own, shipped


def save(name, where):
    store.save(name, {"vector": np.zeros(1)}, where)


def test_the_finder_in_the_folder_comes_first(folders):
    own, shipped = folders
    save("finder", own)
    save("finder", shipped)
    read, name = reader(own, pytest.fail)
    assert name == f"finder {store.version('finder', own)}"
    assert read(["one"]) == [(None, own)]  # with the shipped embeddings
    save(HOLDER, own)
    assert reader(own, pytest.fail)[0](["one"]) == [(own, own)]


def test_else_the_shipped_one(folders):
    own, shipped = folders
    save("finder", shipped)
    save(HOLDER, shipped)
    assert reader(own, pytest.fail)[0](["one"]) == [(shipped, shipped)]


def test_without_any_it_says_so(folders):
    said = []
    assert reader(folders[0], said.append) == ("what is untrained", UNTRAINED)
    assert said == [f"no finder is trained yet, so vectors are of {UNTRAINED}; train again when there is one"]


def test_finding_out_what_reads_needs_no_torch():
    assert heads.__name__ in sys.modules
    assert "torch" not in vars(heads)
