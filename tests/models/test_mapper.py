from __future__ import annotations

import numpy as np
import pytest

from smallprint.evaluate.labels import top
from smallprint.models import store
from smallprint.models.finder import Finder
from smallprint.models.labels import COLUMNS as PRACTICES
from smallprint.models.logistic import folded
from smallprint.models.mapper import (
    BASELINES,
    COLUMNS,
    FOREIGN,
    KINDS,
    LONGEST,
    NAME,
    Mapper,
    Nearest,
    Words,
    grams,
    kind,
    spread,
)
from smallprint.taxonomy import LABELS, POLARITY, VALUE_LABELS, Label
from smallprint.text import hashed

KIND = "Personal Information Type"
HEALTH, SHARED = Label("first-party", KIND, "Health"), Label("third-party", KIND, "Health")
CONTACT, SECURITY = Label("contact"), Label("security")


def test_rows_are_as_those_of_passages():
    assert len(PRACTICES) == len(LABELS) + len(POLARITY)
    assert PRACTICES[: len(LABELS)] == LABELS


def test_values_of_one_name_share_a_column():
    assert kind(HEALTH) == kind(SHARED)
    assert kind(Label("first-party", KIND, "User profile")) == kind(Label("third-party", KIND, "User Profile"))
    assert kind(HEALTH) != kind(Label("first-party", KIND, "Financial"))
    assert {kind(label) for label in VALUE_LABELS} == set(range(FOREIGN + 1, COLUMNS))
    assert len(KINDS) == len(set(KINDS))


def test_columns_are_spread_to_labels():
    said = np.zeros((2, COLUMNS), dtype=np.float32)
    said[1, [LABELS.index(SECURITY), FOREIGN, kind(HEALTH)]] = 0.25, 0.5, 0.75
    found = spread(said)
    assert not found[0].any()
    told = {PRACTICES[place]: float(found[1, place]) for place in np.flatnonzero(found[1])}
    assert told.pop(SECURITY) == 0.25
    assert {HEALTH, SHARED} < set(told) == {label for label in VALUE_LABELS if label[1:] == HEALTH[1:]}
    assert set(told.values()) == {0.75}


def test_words_and_pairs_once_each():
    assert len(grams("we sell, WE sell")) == 4  # we, sell, "we sell", "sell we"
    assert grams("data").tolist() == folded(hashed(["data"])).tolist()
    assert len(grams("")) == 0
    assert grams("word " * LONGEST).tolist() == grams("word word").tolist()


def test_words_are_weighed_by_rarity():
    known = Words(grams("sell my data"), np.arange(1, 6, dtype=np.float32))
    places, weights = known.weigh("my data, please")
    assert set(known.known[places]) == set(grams("my data"))
    assert float((weights**2).sum()) == pytest.approx(1)
    assert weights / weights[0] == pytest.approx(known.rarity[places] / known.rarity[places[0]])
    assert [len(part) for part in known.weigh("nothing here")] == [0, 0]


class Reads:
    """Knows one direction."""

    def vectors(self, texts):
        return np.array([[1.0, 0.0] for _ in texts], dtype=np.float32)


def test_vector_and_words_are_added(tmp_path):
    of_vector, of_words = np.zeros((2, COLUMNS), dtype=np.int8), np.zeros((1, COLUMNS), dtype=np.int8)
    of_vector[0, LABELS.index(SECURITY)], of_words[0, LABELS.index(SECURITY)] = 20, 10
    of_words[0, FOREIGN] = -40
    store.save(NAME, {
        "grams": grams("safe"), "rarity": np.array([2], dtype=np.float16), "of_vector": of_vector, "of_words": of_words,
        "steps": np.full(COLUMNS, 0.1, dtype=np.float32), "bias": np.full(COLUMNS, -1, dtype=np.float32),
    }, tmp_path)  # fmt: skip
    made = Mapper(Reads(), tmp_path)
    safe, other = made.map("is it safe"), made.map("is it fun")
    place = LABELS.index(SECURITY)
    assert (safe[place], other[place]) == pytest.approx((1 / (1 + np.exp(-2)), 1 / (1 + np.exp(-1))))
    labels, foreign = made.map_vector(np.array([1, 0], dtype=np.float32), "is it safe")
    assert (labels.tolist(), foreign) == (safe.tolist(), pytest.approx(1 / (1 + np.exp(5))))
    assert not safe[len(LABELS) :].any()
    assert len(safe) == len(LABELS) + len(POLARITY)


def test_the_nearest_label(tmp_path):
    words = ["office", "pulse", "weight"]
    hashes = folded(hashed(words))
    order = np.argsort(hashes)
    labels = np.zeros((len(LABELS), 3), dtype=np.float16)
    labels[LABELS.index(CONTACT), 0] = 1
    labels[LABELS.index(HEALTH), 1:] = 0.6, 0.8
    labels[LABELS.index(SHARED), 2] = 1
    parts = {"hashes": hashes[order], "places": np.arange(3, dtype=np.uint16)[order], "labels": labels}
    store.save(BASELINES, {f"words_{name}": part for name, part in parts.items()}, tmp_path)
    made = Nearest("words", tmp_path)
    said = made.map("weight! Weight?")
    told = {str(PRACTICES[place]): round(float(said[place]), 3) for place in np.flatnonzero(said)}
    assert told == {"first-party": 0.8, "third-party": 1.0, str(HEALTH): 1.0, str(SHARED): 1.0}
    assert made.map("the office")[LABELS.index(CONTACT)] == 1
    for nothing in ("", "nobody knows these"):
        assert not made.map(nothing).any()


# What is shipped

PLAIN = {
    "what information do you gather about me": "first-party",
    "do you track my location": "first-party",
    "do you sell my personal information to other companies": "third-party",
    "who do you share my data with": "third-party",
    "can i opt out of marketing emails": "choice",
    "how can i delete my account": "access",
    "how long do you store my data": "retention",
    "is my data encrypted": "security",
    "will you tell me when this policy changes": "change",
    "do you honor do not track signals": "do-not-track",
    "can children under 13 use this": "audiences",
    "how do i contact your privacy team": "contact",
}
FOREIGN_QUESTIONS = (
    "what is the weather in paris tomorrow",
    "who won the football match yesterday",
    "write a python function that sorts numbers",
    "how do i bake bread",
    "what is the capital of australia",
    "tell me a joke",
)
SHORT = ("why?", "cookies?", "GPS", "location", "how long?", "third parties", "encryption", "ads?")


@pytest.fixture(scope="module")
def finder():
    return Finder()


@pytest.fixture(scope="module")
def shipped(finder):
    return Mapper(finder)


@pytest.mark.parametrize(("question", "category"), PLAIN.items())
def test_a_plain_question_is_about_its_category(shipped, question, category):
    assert top(shipped.map(question))[0] == category


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("do you collect my location", "Location"),
        ("do you use cookies", "Cookies and tracking elements"),
        ("do you know my credit card number", "Financial"),
        ("how can i delete my account", "Delete account (full)"),
    ],
)
def test_a_plain_question_is_about_its_value(shipped, question, value):
    assert top(shipped.map(question))[2] == value


def test_questions_on_other_things_are_foreign_and_short_ones_on_privacy_are_not(shipped, finder):
    def foreign(texts):
        rows = finder.vectors(list(texts))
        return [shipped.map_vector(row, text)[1] for row, text in zip(rows, texts, strict=True)]

    assert min(foreign(FOREIGN_QUESTIONS)) > 0.5 > max(foreign(PLAIN))
    assert max(foreign(SHORT)) < 0.5


@pytest.mark.parametrize("question", ["", "???", "你好吗", "word " * 5000])
def test_any_question_can_be_mapped(shipped, question):
    said = shipped.map(question)
    assert said.shape == (len(PRACTICES),)
    assert ((said >= 0) & (said <= 1)).all()


@pytest.mark.parametrize("counted", ["words", "clusters"])
def test_baselines_are_shipped(counted):
    made = Nearest(counted)
    assert top(made.map("encryption of stored passwords"))[0] == "security"
    assert not made.map("").any()
