from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from smallprint.datasets import smallprint_qa
from smallprint.datasets.policyqa import wordings
from smallprint.datasets.privacyqa import FLAGS
from smallprint.datasets.questions import LabelledQuestion
from smallprint.errors import NoData
from smallprint.models.mapper import FOREIGN
from smallprint.taxonomy import CATEGORIES, Label

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make test-train'")

from smallprint.train.question_mapper import (
    OWN,
    POOL,
    POOL_FOREIGN,
    REAL_FOREIGN,
    Question,
    apart,
    by_people,
    everyday_questions,
    from_answers,
    from_wordings,
    own_wordings,
    texts_of,
)

from .research import own_questions, policyqa

PLACE = {one.id: place for place, one in enumerate(CATEGORIES)} | {"foreign": FOREIGN}
HEALTH = Label("first-party", "Personal Information Type", "Health")


def told(found: list[Question], row: int) -> dict[str, float]:
    """Give what is to be said of a question, without zeros."""
    return {
        name: round(float(found[row].targets[place]), 3) for name, place in PLACE.items() if found[row].targets[place]
    }


def unweighed(found: list[Question], row: int) -> set[str]:
    return {name for name, place in PLACE.items() if not found[row].weights[place]}


def test_questions_by_people():
    asked = [
        LabelledQuestion("1", "is it safe", frozenset({"security", "retention"}), group="Chess"),
        LabelledQuestion("2", "is it fun", frozenset(), group="Chess"),
        LabelledQuestion("3", "may my son use it", frozenset(FLAGS["other"]), group="Cake"),
    ]
    found = by_people(asked)
    assert [(one.text, one.app) for one in found] == [(one.text, one.group) for one in asked]
    assert told(found, 0) == {"security": 1, "retention": 1}
    assert told(found, 1) == {"foreign": 1}
    assert [unweighed(found, row) for row in range(3)] == [set(), set(), set(FLAGS["other"])]
    assert [float(one.weights[FOREIGN]) for one in found] == pytest.approx([REAL_FOREIGN] * 3)


def test_wordings_with_their_labels(tmp_path):
    (tmp_path / "exclude.txt").write_text("kept.example\n", encoding="utf-8")
    health = "First Party Collection/Use|||Personal Information Type|||Health"
    policyqa(
        tmp_path,
        ("one.example", "do you know my pulse", health),
        ("two.example", "do you know my pulse", health),
        ("two.example", "do you know my pulse", "Data Security|||Odd|||Value"),
        ("kept.example", "a secret", health),
    )
    found = wordings(tmp_path)
    assert found == {"do you know my pulse": Counter({HEALTH: 2, Label("security", "Odd", "Value"): 1})}
    made = from_wordings(found)
    assert (texts_of(made), told(made, 0)) == (["do you know my pulse"], {"first-party": 0.667, "security": 0.333})
    assert made[0].weights[PLACE["access"]] == pytest.approx(POOL)
    assert made[0].weights[FOREIGN] == POOL_FOREIGN


@pytest.mark.parametrize("kind", ["Data Security", "Nothing|||A|||B"])
def test_a_wording_without_a_label(tmp_path, kind):
    (tmp_path / "exclude.txt").write_text("", encoding="utf-8")
    policyqa(tmp_path, ("one.example", "what", kind))
    with pytest.raises(NoData, match=r"PolicyQA's question 0 has the type .* which is no label"):
        wordings(tmp_path)


def test_our_own_wordings_are_all_labelled():
    found = own_wordings()
    assert len(found) > 300
    assert {label.category for labels in found.values() for label in labels} == {one.id for one in CATEGORIES}
    without = {label.category for labels in found.values() for label in labels if label.value is None}
    assert without == {"contact", "introduction", "not-covered"}  # these have no values
    assert found["can i delete my account"] == Counter([Label("access", "Access Type", "Delete account (full)")])


def test_everyday_questions_are_on_anything_but_privacy():
    found = everyday_questions()
    assert len(set(texts_of(found))) == len(found) > 200
    assert all(told(found, row) == {"foreign": 1} for row in range(len(found)))
    assert not set(texts_of(found)) & set(own_wordings())
    assert not re.search(r"privacy|personal data|cookie", " ".join(texts_of(found)))


class Labeller:
    """Thinks that whatever has the word "safe" is on security."""

    def labels(self, texts):
        said = np.zeros((len(texts), 50), dtype=np.float32)
        said[:, PLACE["security"]] = ["safe" in text for text in texts]
        return said


def test_our_own_questions_are_about_what_answers_them(tmp_path):
    own_questions(
        tmp_path,
        ["All is safe.", "We are nice.", "Really safe."],
        ("is it safe", "answered", [0, 2]),
        ("is it half safe", "partly", [0, 1]),
        ("are you nice", "answered", [1]),
        ("do you sell", "silent", []),
        ("does it rain", "off-topic", []),
    )
    collection = smallprint_qa.load(tmp_path / "labelled" / "smallprint_qa")
    found = from_answers(collection, collection.questions, Labeller())
    assert told(found, 0)["security"] > 0.95
    assert told(found, 1)["security"] == 0.5
    assert told(found, 2)["security"] < 0.05
    assert told(found, 4) == {"foreign": 1}
    # Where the policy is silent nobody knows what was asked about, but that it is on privacy.
    assert [unweighed(found, row) for row in range(5)] == [set(), set(), set(), set(PLACE) - {"foreign"}, set()]
    assert found[0].weights[PLACE["security"]] == pytest.approx(OWN)


def test_what_is_all_but_the_same_as_a_question_held_out():
    held = ["does Chess sell my data", "why"]
    same = [
        "Does chess sell my DATA?!",
        "does Maps sell my data",
        "does chess really sell my data",
        "does chess sell data",
    ]
    other = ["does Maps keep my data", "why not", "my data", ""]
    questions = from_wordings({text: Counter() for text in (*same, "why?", *other)})
    assert texts_of(apart(questions, held)) == other
    assert apart(questions, []) == questions
