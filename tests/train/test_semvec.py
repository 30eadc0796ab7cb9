from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make test-train'")

from smallprint.models import store
from smallprint.models.semvec import NAME, SemVec
from smallprint.taxonomy import Label
from smallprint.train import semvec
from smallprint.train.semvec import MORE_THAN, usable
from smallprint.train.spans import Span

from .research import WIDTH, annotations, mark, read

KIND = "Personal Information Type"
HEALTH, LOCATION = Label("first-party", KIND, "Health"), Label("first-party", KIND, "Location")


def test_values_with_more_than_twenty_annotations():
    often = [Span(HEALTH, "pulse", "one")] * (MORE_THAN + 1)
    seldom = [Span(LOCATION, "place", "one")] * MORE_THAN
    whole = [Span(Label("contact"), "office", "one")] * (MORE_THAN + 1)
    assert MORE_THAN == 20
    assert usable([*often, *seldom, *whole]) == often


def test_texts_on_one_value_come_near(tmp_path, monkeypatch):
    monkeypatch.setattr(semvec, "reader", lambda where, say: (read, "words"))
    monkeypatch.setattr(semvec, "EPOCHS", 30)
    monkeypatch.setattr(semvec, "BATCH", 16)
    (tmp_path / "exclude.txt").write_text("", encoding="utf-8")
    for number in range(10):
        rows = [
            ("First Party Collection/Use", {KIND: mark(value, text)})
            for value, texts in (("Health", ("your pulse", "your weight")), ("Location", ("the place", "the map")))
            for text in texts * 2
        ]
        annotations(tmp_path, f"{number}_a.example", *rows)
    said = []
    card = semvec.train(tmp_path, tmp_path / "out", said.append)
    assert said == ["80 spans of 2 values; vectors of words"]
    assert json.loads((tmp_path / "out" / f"{NAME}.json").read_text(encoding="utf-8")) == card
    assert (card["version"], card["values"]) == (store.version(NAME, tmp_path / "out"), 2)
    assert card["right on one policy in 5, left out"] == 1
    made = SemVec(tmp_path / "out")
    assert made.hidden(np.zeros((3, WIDTH), dtype=np.float32)).shape == (3, semvec.HIDDEN)
    question, *sentences = read(["your pulse", "your weight", "the map"])
    near, far = made.scores(question, np.stack(sentences))
    assert far < near < 0
