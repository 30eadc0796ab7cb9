from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make test-train'")

from smallprint.datasets.opp115 import Span
from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.finder import SEMVEC, SemVec
from smallprint.models.mapper import BASELINES, Nearest
from smallprint.taxonomy import CATEGORIES, LABELS, Label
from smallprint.train import baselines
from smallprint.train.baselines import MORE_THAN, bag_of_clusters, bag_of_words, count_words, usable_spans

from .research import WIDTH, annotations, mark, read

KIND = "Personal Information Type"
HEALTH, LOCATION = Label("first-party", KIND, "Health"), Label("first-party", KIND, "Location")
CONTACT = Label("contact")
SPANS = [
    *[Span(HEALTH, "your pulse and your weight", "one")] * 3,
    *[Span(LOCATION, "where you are: your position", "one")] * 3,
    *[Span(CONTACT, "write to our office", "two")] * 3,
    Span(CONTACT, "seldom", "two"),
]


class Vectors:
    """Three kinds of words."""

    version = "toy"
    words = ("pulse", "heartbeat", "position", "place", "office", "you")

    def vectors(self, words):
        return np.repeat(np.eye(3, dtype=np.float32), 2, axis=0)[[self.words.index(word) for word in words]]


def best(mapped):
    place = int(mapped[: len(CATEGORIES)].argmax())
    return LABELS[place].category


def test_words_are_counted_for_each_label_without_stop_words():
    found = dict(zip(LABELS, count_words(SPANS), strict=True))
    assert found[HEALTH] == Counter(pulse=3, weight=3)
    assert found[LOCATION] == Counter(position=3)
    assert found[CONTACT] == Counter(write=3, office=3, seldom=1)
    assert sum(map(bool, found.values())) == 3


def test_the_label_with_the_nearest_words(tmp_path):
    store.save(BASELINES, bag_of_words(count_words(SPANS)), tmp_path)
    made = Nearest("words", tmp_path)
    said = made.map("Do you know my PULSE?")
    assert best(said) == "first-party"
    assert said[LABELS.index(HEALTH)] == pytest.approx(1)
    assert said[LABELS.index(LOCATION)] == 0
    assert best(made.map("where is your office")) == "contact"
    assert not made.map("seldom heartbeat").any()  # marked once, and never


def test_the_label_with_the_nearest_clusters(tmp_path, monkeypatch):
    monkeypatch.setattr(baselines, "CLUSTERS", 3)
    store.save(BASELINES, bag_of_clusters(count_words(SPANS), Vectors()), tmp_path)
    made = Nearest("clusters", tmp_path)
    said = made.map("my heartbeat")  # nobody marked it, but words that are like it
    assert best(said) == "first-party"
    assert said[LABELS.index(HEALTH)] == pytest.approx(1)
    assert made.map("place")[LABELS.index(LOCATION)] == pytest.approx(1)
    assert not made.map("you").any()


@pytest.mark.parametrize("own", [True, False])
def test_weights_and_card(tmp_path, monkeypatch, own):
    def vectors(where=None):
        if where is not None and not own:
            raise NoModel("there are none")
        return Vectors()

    monkeypatch.setattr(baselines, "CLUSTERS", 3)
    monkeypatch.setattr(baselines, "Vectors", vectors)
    (tmp_path / "exclude.txt").write_text("", encoding="utf-8")
    rows = [("First Party Collection/Use", {KIND: mark("Health", "your pulse")})] * 3
    annotations(tmp_path, "1_a.example", *rows)
    said = []
    card = baselines.train_mappings(tmp_path, tmp_path / "out", said.append)
    assert said == ["3 words marked for 1 labels"]
    assert json.loads((tmp_path / "out" / f"{BASELINES}.json").read_text(encoding="utf-8")) == card
    assert (card["version"], card["labels"]) == (store.version(BASELINES, tmp_path / "out"), 1)
    for counting in ("words", "clusters"):
        assert best(Nearest(counting, tmp_path / "out").map("pulse")) == "first-party"


# SemVec


def test_values_with_more_than_twenty_annotations():
    often = [Span(HEALTH, "pulse", "one")] * (MORE_THAN + 1)
    seldom = [Span(LOCATION, "place", "one")] * MORE_THAN
    whole = [Span(Label("contact"), "office", "one")] * (MORE_THAN + 1)
    assert MORE_THAN == 20
    assert usable_spans([*often, *seldom, *whole]) == often


def test_texts_on_one_value_come_near(tmp_path, monkeypatch):
    monkeypatch.setattr(baselines, "reader", lambda where, say: (read, "words"))
    monkeypatch.setattr(baselines, "EPOCHS", 30)
    monkeypatch.setattr(baselines, "BATCH", 16)
    (tmp_path / "exclude.txt").write_text("", encoding="utf-8")
    for number in range(10):
        rows = [
            ("First Party Collection/Use", {KIND: mark(value, text)})
            for value, texts in (("Health", ("your pulse", "your weight")), ("Location", ("the place", "the map")))
            for text in texts * 2
        ]
        annotations(tmp_path, f"{number}_a.example", *rows)
    said = []
    card = baselines.train_semvec(tmp_path, tmp_path / "out", said.append)
    assert said == ["80 spans of 2 values; vectors of words"]
    assert json.loads((tmp_path / "out" / f"{SEMVEC}.json").read_text(encoding="utf-8")) == card
    assert (card["version"], card["values"]) == (store.version(SEMVEC, tmp_path / "out"), 2)
    assert card["right on one policy in 5, left out"] == 1
    made = SemVec(tmp_path / "out")
    assert made.hidden(np.zeros((3, WIDTH), dtype=np.float32)).shape == (3, baselines.HIDDEN)
    question, *sentences = read(["your pulse", "your weight", "the map"])
    near, far = made.scores(question, np.stack(sentences))
    assert far < near < 0
