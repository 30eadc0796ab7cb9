from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.card import CODES, STANCES  # noqa: E402 - needs torch
from smallprint.models import store  # noqa: E402 - needs torch
from smallprint.models.card_student import BITS, NAME, WIDTH, CardStudent, places  # noqa: E402 - needs torch
from smallprint.records import Sentence  # noqa: E402 - needs torch
from smallprint.train import card_student  # noqa: E402 - needs torch
from smallprint.train.card_material import UNKNOWN, Unit  # noqa: E402 - needs torch

SELLS = CODES.index("sells")
SPEAKS = {"We sell your data.": "+", "We do not sell your data.": "-", "Our shop sells shoes.": "0"}


def toy():
    sentences = [Sentence(text) for text in SPEAKS] * 40
    aims = np.zeros((len(sentences), len(CODES), len(STANCES)), dtype=np.float32)
    aims[..., 0] = 1.0
    for row, stance in enumerate([*SPEAKS.values()] * 40):
        aims[row, SELLS] = np.eye(len(STANCES))[STANCES.index(stance)]
    return sentences, aims


def begin():
    table = np.random.default_rng(1).normal(0, 0.3, ((1 << BITS) + 1, WIDTH)).astype(np.float32)
    table[0] = 0
    return table


def test_a_student_learns_and_is_the_same_in_numpy(tmp_path, monkeypatch):
    monkeypatch.setattr(card_student, "EPOCHS", 60)
    sentences, aims = toy()
    words = [places(sentence) for sentence in sentences]
    student = card_student.fit(words, aims, np.ones(aims.shape[:2], dtype=np.float32), begin())
    store.save(NAME, card_student.packed(student), tmp_path)
    # Neither the length of its neighbours nor nothing between them changes what is read in a sentence.
    read = [*sentences[:3], Sentence(""), Sentence("Something " * 90), *sentences[:3]]
    logits = CardStudent(tmp_path).read(read)
    assert [STANCES[place] for place in logits[:3, SELLS].argmax(axis=1)] == [*SPEAKS.values()]
    assert np.allclose(logits[:3], logits[-3:], atol=1e-4)
    told = card_student.told(student, [places(sentence) for sentence in read])
    assert np.allclose(logits.reshape(len(read), -1), told, atol=0.1)


def unit(stance, *, silent=False, policy="p"):
    stances = np.full(len(CODES), UNKNOWN)
    stances[SELLS] = stance
    return Unit(policy, Sentence("A sentence."), "", stances, np.full(len(CODES), silent))


def test_people_count_beside_the_teacher():
    taught = np.full((5, len(CODES), len(STANCES)), 0.25, dtype=np.float32)
    people = [unit(1), unit(0), unit(0, silent=True), unit(2, policy="twins:b")]
    aims, weights = card_student.mixed(people, taught, 3)
    named, unnamed, twin = card_student.NAMED, card_student.UNNAMED, card_student.TWIN
    assert np.allclose(aims.sum(axis=-1), 1)
    assert np.allclose(
        aims[[0, 1, 2, 3], SELLS, [1, 0, 0, 2]], [0.25 + 0.75 * share for share in (named, unnamed, named, twin)]
    )
    assert (aims[4] == 0.25).all()
    assert (aims[0, SELLS + 1] == 0.25).all()
    assert weights[3, SELLS] == card_student.TWIN_WEIGHT > weights[3, SELLS + 1]
    assert (taught == 0.25).all()


def test_what_the_teacher_said_is_not_asked_again(tmp_path, monkeypatch):
    asked = []

    def stances(sentences, where):
        asked.append(len(sentences))
        return np.full((len(sentences), len(CODES), len(STANCES)), 0.25, dtype=np.float32)

    monkeypatch.setattr(card_student, "teacher_stances", stances)
    monkeypatch.setattr(card_student, "teacher_version", lambda where: "t")
    monkeypatch.setattr(card_student, "CHUNK", 2)
    sentences = [Sentence(text) for text in SPEAKS]
    first = card_student._taught(sentences, tmp_path, lambda _: None)
    assert asked == [2, 1]
    assert np.array_equal(card_student._taught(sentences, tmp_path, lambda _: None), first)
    assert asked == [2, 1]
    card_student._taught([*sentences[:2], Sentence("Another one.")], tmp_path, lambda _: None)
    assert asked == [2, 1, 1]
