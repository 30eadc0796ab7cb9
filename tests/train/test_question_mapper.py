from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make test-train'")

from smallprint.datasets import privacyqa as dataset
from smallprint.datasets.opp115 import Span
from smallprint.evaluate.labels import top
from smallprint.models import store
from smallprint.models.mapper import COLUMNS, FOREIGN, KINDS, NAME, Mapper, Words, grams
from smallprint.taxonomy import LABELS, Label
from smallprint.train import baselines, heads, question_mapper
from smallprint.train.heads import Linear
from smallprint.train.question_mapper import Material, chosen_spans, fit_values, out_of_fold, packed

from .research import annotations, mark, own_questions, policyqa, privacyqa, read

KIND = "Personal Information Type"
HEALTH, SHARED = Label("first-party", KIND, "Health"), Label("third-party", KIND, "Health")
PROFILE, PROFILE_SHARED = Label("first-party", KIND, "User profile"), Label("third-party", KIND, "User Profile")
LOCATION = Label("first-party", KIND, "Location")
HELD = "Chess"
ASKED = (
    *((app, f"is my {thing} safe", "datasecurity") for app in ("Cake", "Maps") for thing in ("data", "photo", "name")),
    *((app, f"do you sell my {thing}", "third") for app in ("Cake", "Maps") for thing in ("data", "photo", "name")),
    ("Cake", "is it fun", ""),
    ("Maps", "who may join", "other"),
    (HELD, "at what rate does my heart beat", "first"),
)


class Reads:
    """Vectors of words, for the mapper."""

    def vectors(self, texts):
        return read(texts)


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr(dataset, "held_apps", lambda: frozenset({HELD}))
    monkeypatch.setattr(heads, "STEPS", 30)
    monkeypatch.setattr(question_mapper, "LEAST_QUESTIONS", 2)
    # A few wordings and everyday questions will do.
    few = question_mapper.everyday_questions()[0:100:10]
    monkeypatch.setattr(question_mapper, "everyday_questions", lambda: few)
    monkeypatch.setattr(question_mapper, "own_wordings", lambda: {"where am i": Counter([LOCATION])})
    (tmp_path / "exclude.txt").write_text("", encoding="utf-8")
    privacyqa(tmp_path, *ASKED)
    health = "First Party Collection/Use|||Personal Information Type|||Health"
    wordings = (
        "do you know my pulse",
        "do you log my pulse and weight",
        "At what rate does my heart beat?",
        "my weight",
    )
    policyqa(tmp_path, *(("one.example", wording, health) for wording in wordings))
    own_questions(tmp_path, ["We use encryption."], ("is all safe", "answered", [0]), ("will it rain", "off-topic", []))
    rows = [("First Party Collection/Use", {KIND: mark("Location", "your position")})]
    annotations(tmp_path, "1_a.example", *rows)
    return tmp_path


def test_short_spans_of_every_kind_are_chosen(monkeypatch):
    monkeypatch.setattr(question_mapper, "SPANS_A_KIND", 2)
    found = [Span(HEALTH, text, "one") for text in ("pulse", "weight", "height", "blood")]
    found += [Span(HEALTH, "long " * 31, "one"), Span(Label("first-party", KIND, "Unspecified"), "data", "one")]
    found += [
        Span(Label("contact"), "office", "one"),
        Span(PROFILE, "page", "one"),
        Span(PROFILE_SHARED, "page", "two"),
    ]
    chosen = dict(chosen_spans(found))
    assert len(chosen) == 3
    assert "page" in chosen
    assert chosen == {text: pytest.approx(shares) for text, shares in chosen_spans(found[::-1])}  # whatever the order
    assert chosen["page"][KINDS.index((KIND, "user profile"))] == 1  # the two spellings are one kind
    assert chosen["page"].sum() == 1


def test_a_span_s_values_share_their_attribute():
    found = [Span(HEALTH, "pulse", "1"), Span(HEALTH, "pulse", "2"), Span(LOCATION, "pulse", "3")]
    found += [Span(Label("first-party", "Purpose", "Marketing"), "pulse", "3")]
    ((_, shares),) = chosen_spans(found)
    told = {KINDS[place]: round(float(shares[place]), 2) for place in np.flatnonzero(shares)}
    assert told == {(KIND, "health"): 0.67, (KIND, "location"): 0.33, ("Purpose", "marketing"): 1.0}


def test_nothing_on_apps_held_out_is_learnt(data):
    found = Material(data, read)
    assert HELD not in {one.app for one in found.people}
    every = {one.text for one in (*found.people, *found.others)}
    assert {"do you know my pulse", "will it rain", "where am i"} <= every
    assert not {"at what rate does my heart beat", "At what rate does my heart beat?"} & every
    assert set(found.wordings) == {"do you know my pulse", "do you log my pulse and weight", "my weight", "where am i"}


def test_each_question_is_judged_by_what_other_apps_taught(data):
    found = Material(data, read)
    said = out_of_fold(found, 7)
    assert said.shape == (len(found.people), FOREIGN + 1)
    names = [LABELS[place].category for place in said[:, :FOREIGN].argmax(axis=1)]
    assert names[:12] == ["security"] * 6 + ["third-party"] * 6


def test_spans_teach_what_values_are_called(data):
    found = Material(data, read)
    model = fit_values(found, found.wordings)
    texts = ["your position", "your pulse"]
    said = model.tell(read(texts), heads.matrix(found.words, texts))
    place, pulse = (KINDS.index((KIND, name)) for name in ("location", "health"))
    assert said.shape == (2, len(KINDS))
    assert said[0, place] > said[1, place]
    assert said[1, pulse] > said[0, pulse]


def test_what_is_packed_is_what_was_learnt(tmp_path):
    luck = np.random.default_rng(1)
    known = Words(grams("safe data"), np.ones(3, dtype=np.float32))
    first, second = (
        Linear(
            *(luck.normal(size=(rows, columns)).astype(np.float32) for rows in (16, 3)), np.zeros(columns, np.float32)
        )
        for columns in (FOREIGN + 1, len(KINDS))
    )
    store.save(NAME, packed(known, first, second), tmp_path)
    row, words = read(["safe data"]), heads.matrix(known, ["safe data"])
    labels, foreign = Mapper(Reads(), tmp_path).map_vector(row[0], "safe data")
    expected = np.concatenate([first.tell(row, words), second.tell(row, words)], axis=1)[0]
    assert len(expected) == COLUMNS
    assert labels[:FOREIGN] == pytest.approx(expected[:FOREIGN], abs=0.05)
    assert foreign == pytest.approx(expected[FOREIGN], abs=0.05)
    health = expected[FOREIGN + 1 + KINDS.index((KIND, "health"))]
    assert labels[[LABELS.index(HEALTH), LABELS.index(SHARED)]] == pytest.approx([health] * 2, abs=0.05)


def test_weights_card_and_predictions(data, monkeypatch):
    monkeypatch.setattr(question_mapper, "reader", lambda where, say: (read, "words"))
    monkeypatch.setattr(baselines, "train_mappings", lambda data, where, say: say("baselines too"))
    said = []
    card = question_mapper.train(data, data / "out", said.append, folds=2)
    assert said[0].startswith("14 questions by people, ")
    assert said[-1] == "baselines too"
    assert json.loads((data / "out" / f"{NAME}.json").read_text(encoding="utf-8")) == card
    assert card["version"] == store.version(NAME, data / "out")
    assert card["categories right, 2 folds by app"] >= 0.92
    assert card["wordings left out, 3 folds"]["category_n"] == 4
    rows = [json.loads(line) for line in (data / "out" / f"{NAME}.out-of-fold.jsonl").read_text().splitlines()]
    assert [(row["app"], row["question"]) for row in rows] == [(app, text) for app, text, _ in ASKED if app != HELD]
    assert list(rows[0]["scores"])[-1] == "foreign"
    mapper = Mapper(Reads(), data / "out")
    assert top(mapper.map("is my name safe"))[0] == "security"
    assert top(mapper.map("do you log my pulse"))[1:] == (KIND, "Health")
    foreign = question_mapper.everyday_questions()[0].text
    assert mapper.map_vector(read([foreign])[0], foreign)[1] > 0.5
