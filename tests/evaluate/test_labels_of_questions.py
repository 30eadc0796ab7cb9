from __future__ import annotations

import json
import random

import numpy as np
import pytest

from smallprint.datasets.privacyqa import FLAGS, flagged_questions, held_apps
from smallprint.datasets.questions import LabelledQuestion, load_labelled
from smallprint.errors import NoData
from smallprint.evaluate.labels import accuracy, top
from smallprint.models.labels import COLUMNS
from smallprint.taxonomy import CATEGORIES, DOES, Label

from .answerers import evaluator

evaluate = evaluator("question-mapping")

FIRST, SECURITY = Label("first-party"), Label("security")
HEALTH = Label("first-party", "Personal Information Type", "Health")
GENERIC = Label("security", "Security Measure", "Generic")


def said(**labels: float) -> np.ndarray:
    return row({globals()[name]: value for name, value in labels.items()})


def row(labels: dict[Label, float]) -> np.ndarray:
    return np.array([labels.get(label, 0.0) for label in COLUMNS], dtype=np.float32)


class Keyword:
    """Maps by one word."""

    def __init__(self, word="safe"):
        self.word = word

    def map(self, question):
        if self.word in question:
            return said(SECURITY=0.9, GENERIC=0.8, FIRST=0.2)
        return said(FIRST=0.7, HEALTH=0.5)


TSV = """id\tquestion\tcategory\tattribute\tvalue
a\tis it safe\tData Security|retention\tSecurity Measure\tGeneric | Other
b\twho sees my health\tthird-party\tPersonal Information Type\tHealth
c\twhat is the price\t\t\t
d\tdo you keep it safe\tretention\t\t
"""


def test_the_best_of_each_level():
    assert top(said(FIRST=0.7, HEALTH=0.5)) == ("first-party", "Personal Information Type", "Health")
    # A value counts as much as its category: 0.9 of 0.2 is less than 0.3 of 0.8.
    assert top(said(FIRST=0.2, HEALTH=0.9, SECURITY=0.8, GENERIC=0.3)) == ("security", "Security Measure", "Generic")
    # The best value need not be of the best category.
    assert top(said(FIRST=0.7, HEALTH=0.6, SECURITY=0.8, GENERIC=0.1)) == (
        "security", "Personal Information Type", "Health",
    )  # fmt: skip
    does = row({FIRST: 0.9, Label("first-party", "Does/Does Not", DOES): 1.0, HEALTH: 0.1})
    assert top(does) == ("first-party", "Personal Information Type", "Health")


def test_accuracy_leaves_out_questions_without_an_acceptable_answer_at_a_level(tmp_path):
    path = tmp_path / "asked.tsv"
    path.write_text(TSV)
    by = {"mapper": Keyword(), "bag of words": Keyword("never")}
    result = evaluate(path, tuple(by), predictions=tmp_path / "said.jsonl", by=by)
    assert [result[name] for name in ("task", "data", "n")] == ["question-mapping", "asked.tsv", 3]
    found = {name: value for name, value in result["systems"]["mapper"].items() if not name.endswith("_ci")}
    assert found == pytest.approx({
        "category": 1 / 3, "category_n": 3, "attribute": 1, "attribute_n": 2, "value": 1, "value_n": 2,
    })  # fmt: skip
    assert result["systems"]["bag of words"]["category"] == 0
    assert result["systems"]["bag of words"]["value"] == 0.5
    lines = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == ["a", "b", "c", "d"]
    assert lines[0]["labels"]["mapper"] == {
        "category": "security", "attribute": "Security Measure", "value": "Generic",
    }  # fmt: skip
    assert len(lines[0]["scores"]["mapper"]) == len(COLUMNS)


def test_a_level_that_nobody_labelled_is_not_there():
    found = accuracy([LabelledQuestion("a", "?", frozenset({"security"}))], np.array([said(SECURITY=0.9)]))
    assert set(found) == {"category", "category_ci", "category_n"}


def test_only_questions_still_give_predictions(tmp_path):
    path = tmp_path / "asked.tsv"
    path.write_text("id\tquestion\na\tis it safe\n")
    result = evaluate(path, ("mapper",), predictions=tmp_path / "said.jsonl", by={"mapper": Keyword()})
    assert result == {"task": "question-mapping", "data": "asked.tsv", "n": 0}
    assert len((tmp_path / "said.jsonl").read_text().splitlines()) == 1


def test_an_unknown_category_is_told(tmp_path):
    path = tmp_path / "asked.tsv"
    path.write_text("id\tquestion\tcategory\tattribute\tvalue\na\t?\tbeauty\t\t\n")
    with pytest.raises(NoData, match="'beauty'; OPP-115 has no such one"):
        load_labelled(path)


FLAGGED = """Folder\tDocID\tQueryID\tSplit\tQuery\t""" + "\t".join(FLAGS) + """
x\tRunkeeper _5\tRunkeeper _5_0\ttrain\tis it safe\t0\t0\t1\t0\t0\t0\t0
x\tRunkeeper _5\tRunkeeper _5_1\ttrain\t"do you ""sell"" it"\t1\t1\t0\t0\t0\t0\t0
x\tRunkeeper _5\tRunkeeper _5_2\ttrain\twhat is the price\t0\t0\t0\t0\t0\t0\t0
x\tRunkeeper _5\tRunkeeper _5_3\ttrain\tdo you track me\t0\t0\t0\t0\t0\t0\t1
x\tOther _1\tOther _1_0\ttrain\tis it safe\t0\t0\t1\t0\t0\t0\t0
"""  # fmt: skip


def test_rows_are_made_of_privacyqas_flags(tmp_path):
    path = tmp_path / "train_questions.tsv"
    path.write_text(FLAGGED)
    found = flagged_questions(path)
    assert found[0] == LabelledQuestion("Runkeeper _5_0", "is it safe", frozenset({"security"}), group="Runkeeper _5")
    assert found[1].text == 'do you "sell" it'
    assert found[1].categories == {"first-party", "third-party"}
    assert found[2].categories == frozenset()
    assert found[3].categories == {"change", "do-not-track", "audiences", "introduction", "contact", "not-covered"}
    assert {name for names in FLAGS.values() for name in names} == {category.id for category in CATEGORIES}


def test_the_research_data_are_measured_on_the_apps_that_are_held_out(tmp_path):
    folder = tmp_path / "labelled" / "privacyqa"
    folder.mkdir(parents=True)
    (folder / "train_questions.tsv").write_text(FLAGGED)
    result = evaluate(tmp_path, ("mapper",), by={"mapper": Keyword()})
    assert (result["data"], result["n"]) == ("PrivacyQA's questions on six apps held out", 3)
    assert result["systems"]["mapper"]["category"] == pytest.approx(2 / 3)
    assert evaluate(tmp_path, ("mapper",), frozenset({"Other _1"}), by={"mapper": Keyword()})["n"] == 1


@pytest.mark.real_data("labelled/privacyqa/train_questions.tsv")
def test_the_apps_were_drawn_by_a_seed(data_dir):
    found = flagged_questions(data_dir / "labelled" / "privacyqa" / "train_questions.tsv")
    apps = sorted({one.group for one in found})
    assert (len(found), len(apps)) == (1350, 27)
    assert held_apps() == set(random.Random(20_261_116).sample(apps, 6))
    assert sum(not one.categories for one in found) == 249
