from __future__ import annotations

import numpy as np
import pytest

from smallprint.datasets.questions import Question, Sheet
from smallprint.errors import NoModel
from smallprint.evaluate.papers import MEASURES, NONE, SHIPPED, compared
from smallprint.records import Sentence

from ..models.test_vectors import save

TEXTS = (
    "We use cookies to count our visitors.",
    "Your card number is encrypted whenever it is sent.",
    "Carriers are told of your parcels.",
)
QUESTION = Question("q", "Who hears of my shipments?", (0, 1, 2), frozenset({2}))
SETS = {"shops": [Sheet("a", tuple(map(Sentence, TEXTS)), (0, 1, 2), (QUESTION,))]}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("few-words")
    # The sentence that answers shares no word with the question, but one of them stands beside another of its words.
    save(folder, ["shipments", "parcels"], np.array([0.0, 0.1]), ["NNS", "NNS"])
    return compared(SETS, ["which shipments", "sell 7 shipments"], [NONE, SHIPPED, str(folder)])


def test_each_system_has_all_measures_by_the_name_of_its_folder(found):
    assert [name.rstrip("0123456789") for name in found] == [NONE, SHIPPED, "few-words"]
    for row in found.values():
        assert list(row) == [*(f"shops {measure}" for measure in MEASURES), "known words"]
        assert all(0 <= figure <= 1 for figure in row.values())


def test_words_that_stand_near_find_what_the_question_does_not_name(found):
    none, _, few = found.values()
    assert (few["shops MRR"], none["shops MRR"]) == (1.0, pytest.approx(1 / 3))


def test_words_that_are_known_are_counted(found):
    assert list(found.values())[2]["known words"] == pytest.approx(2 / 4)


def test_a_folder_without_vectors_is_told_of(tmp_path):
    with pytest.raises(NoModel):
        compared(SETS, [], [str(tmp_path)])
