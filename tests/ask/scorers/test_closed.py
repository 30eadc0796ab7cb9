from __future__ import annotations

import numpy as np
import pytest

from smallprint.annotate.practices import COLUMNS, column
from smallprint.ask.scorers.chance import scores as chance
from smallprint.ask.scorers.closed import best_label, scores
from smallprint.taxonomy import Label

LIMITED, STATED = (Label("retention", "Retention Period", value) for value in ("Limited", "Stated Period"))


def labels(said):
    found = np.zeros(len(COLUMNS), dtype=np.float32)
    for label, probability in said.items():
        found[column(label)] = probability
    return found


def test_a_question_gets_the_likeliest_value_under_its_likeliest_category():
    asked = labels({Label("retention"): 0.6, Label("security"): 0.4, LIMITED: 0.2, STATED: 0.7})
    assert COLUMNS[best_label(asked)] == STATED
    assert COLUMNS[best_label(labels({Label("contact"): 0.9}))] == Label("contact")


def test_the_value_beats_the_category_alone_and_that_beats_others():
    asked = labels({Label("retention"): 0.9, STATED: 0.9})
    retention = Label("retention")
    said = np.stack([
        labels({Label("security"): 0.9}), labels({retention: 0.8}), labels({retention: 0.8, STATED: 0.5})
    ])  # fmt: skip
    assert scores(asked, said).tolist() == pytest.approx([0.0, 0.4, 0.6])


def test_chance_is_the_same_for_the_same_question():
    assert chance("why?", 5).tolist() == chance("why?", 5).tolist() != chance("who?", 5).tolist()
