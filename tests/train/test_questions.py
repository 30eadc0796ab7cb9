from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from smallprint.errors import NoData
from smallprint.evaluate import smallprint_qa
from smallprint.evaluate.question_mapping import FLAGS, Mapped
from smallprint.models.mapper import FOREIGN
from smallprint.taxonomy import CATEGORIES, Label
from smallprint.train import questions
from smallprint.train.questions import OWN, POOL, POOL_FOREIGN, REAL_FOREIGN, Questions

from .research import own_questions, policyqa

PLACE = {one.id: place for place, one in enumerate(CATEGORIES)} | {"foreign": FOREIGN}
HEALTH = Label("first-party", "Personal Information Type", "Health")


def told(found: Questions, row: int) -> dict[str, float]:
    """Give what is to be said of a question, without zeros."""
    return {
        name: round(float(found.targets[row, place]), 3) for name, place in PLACE.items() if found.targets[row, place]
    }


def unweighed(found: Questions, row: int) -> set[str]:
    return {name for name, place in PLACE.items() if not found.weights[row, place]}


def test_questions_by_people():
    asked = [
        Mapped("1", "is it safe", frozenset({"security", "retention"}), group="Chess"),
        Mapped("2", "is it fun", frozenset(), group="Chess"),
        Mapped("3", "may my son use it", frozenset(FLAGS["other"]), group="Cake"),
    ]
    found = questions.real(asked)
    assert (found.texts, found.groups) == ([one.text for one in asked], ["Chess", "Chess", "Cake"])
    assert told(found, 0) == {"security": 1, "retention": 1}
    assert told(found, 1) == {"foreign": 1}
    assert [unweighed(found, row) for row in range(3)] == [set(), set(), set(FLAGS["other"])]
    assert found.weights[:, FOREIGN].tolist() == pytest.approx([REAL_FOREIGN] * 3)


def test_some_of_them_and_one_after_another():
    found = questions.real([Mapped(name, name, frozenset({"access"}), group=name) for name in "abc"])
    part = found.at([2, 0])
    assert (len(part), part.texts, part.groups, part.targets.shape) == (2, ["c", "a"], ["c", "a"], (2, FOREIGN + 1))
    assert len(found.at([])) == 0
    whole = questions.joined([part, found])
    assert (whole.texts, len(whole.targets), len(whole.weights)) == (["c", "a", "a", "b", "c"], 5, 5)


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
    found = questions.wordings(tmp_path)
    assert found == {"do you know my pulse": Counter({HEALTH: 2, Label("security", "Odd", "Value"): 1})}
    made = questions.pooled(found)
    assert (made.texts, told(made, 0)) == (["do you know my pulse"], {"first-party": 0.667, "security": 0.333})
    assert made.weights[0, PLACE["access"]] == pytest.approx(POOL)
    assert made.weights[0, FOREIGN] == POOL_FOREIGN


@pytest.mark.parametrize("kind", ["Data Security", "Nothing|||A|||B"])
def test_a_wording_without_a_label(tmp_path, kind):
    (tmp_path / "exclude.txt").write_text("", encoding="utf-8")
    policyqa(tmp_path, ("one.example", "what", kind))
    with pytest.raises(NoData, match=r"PolicyQA's question 0 has the type .* which is no label"):
        questions.wordings(tmp_path)


def test_our_own_wordings_are_all_labelled():
    found = questions.written()
    assert len(found) > 300
    assert {label.category for labels in found.values() for label in labels} == {one.id for one in CATEGORIES}
    without = {label.category for labels in found.values() for label in labels if label.value is None}
    assert without == {"contact", "introduction", "not-covered"}  # these have no values
    assert found["can i delete my account"] == Counter([Label("access", "Access Type", "Delete account (full)")])


def test_everyday_questions_are_on_anything_but_privacy():
    found = questions.everyday()
    assert len(set(found.texts)) == len(found) > 200
    assert all(told(found, row) == {"foreign": 1} for row in range(len(found)))
    assert not set(found.texts) & set(questions.written())
    assert not re.search(r"privacy|personal data|cookie", " ".join(found.texts))


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
    found = questions.own(collection, collection.questions, Labeller())
    assert told(found, 0)["security"] > 0.95
    assert told(found, 1)["security"] == 0.5
    assert told(found, 2)["security"] < 0.05
    assert told(found, 4) == {"foreign": 1}
    # Where the policy is silent nobody knows what was asked about, but that it is on privacy.
    assert [unweighed(found, row) for row in range(5)] == [set(), set(), set(), set(PLACE) - {"foreign"}, set()]
    assert found.weights[0, PLACE["security"]] == pytest.approx(OWN)


def test_what_is_all_but_the_same_as_a_question_held_out():
    held = ["does Chess sell my data", "why"]
    same = [
        "Does chess sell my DATA?!",
        "does Maps sell my data",
        "does chess really sell my data",
        "does chess sell data",
    ]
    other = ["does Maps keep my data", "why not", "my data", ""]
    assert questions.apart([*same, "why?", *other], held) == [5, 6, 7, 8]
    assert questions.apart(same, []) == [0, 1, 2, 3]
