from __future__ import annotations

import json

import numpy as np
import pytest

from smallprint.evaluate import labels
from smallprint.evaluate.labels import polarity_measures, practices_measures
from smallprint.models.labels import COLUMNS, column
from smallprint.taxonomy import CATEGORIES, DOES, DOES_NOT, Label

from .answerers import evaluator

FIRST, THIRD, SECURITY = Label("first-party"), Label("third-party"), Label("security")
CONTACT = Label("first-party", "Personal Information Type", "Contact")
HEALTH = Label("first-party", "Personal Information Type", "Health")
ADS = Label("first-party", "Purpose", "Advertising")
GENERIC = Label("security", "Security Measure", "Generic")
COLLECTS, COLLECTS_NOT = (Label("first-party", "Does/Does Not", said) for said in (DOES, DOES_NOT))
SHARES, SHARES_NOT = (Label("third-party", "Does/Does Not", said) for said in (DOES, DOES_NOT))
NOBODY = {"precision": 0.0, "recall": 0.0, "F1": 0.0, "n": 0}


def truth(*rows: set[Label]) -> np.ndarray:
    return np.array([[label in row for label in COLUMNS] for row in rows])


def said(*rows: dict[Label, float]) -> np.ndarray:
    return np.array([[row.get(label, 0.0) for label in COLUMNS] for row in rows], dtype=np.float32)


def sure(*rows: set[Label]) -> np.ndarray:
    return truth(*rows).astype(np.float32)


# Practices


TRUTH = truth({FIRST, CONTACT, HEALTH}, {FIRST, ADS}, {SECURITY, GENERIC}, set())
SAID = sure({FIRST, CONTACT, ADS, GENERIC}, {SECURITY, ADS}, {FIRST, SECURITY, CONTACT}, {THIRD})


def test_categories_are_measured_over_all_segments():
    found = practices_measures(TRUTH, SAID)
    # Of 3 true categories 2 were found, among 5 chosen.
    assert found["micro_F1"] == pytest.approx(2 * 0.4 * (2 / 3) / (0.4 + 2 / 3))
    by_category = found["by_category"]
    assert list(by_category) == [category.id for category in CATEGORIES]
    assert by_category["first-party"] == {"precision": 0.5, "recall": 0.5, "F1": 0.5, "n": 2}
    assert by_category["security"] == {"precision": 0.5, "recall": 1.0, "F1": pytest.approx(2 / 3), "n": 1}
    assert by_category["third-party"] == by_category["choice"] == NOBODY
    # Categories that are nowhere true do not count.
    assert found["macro_F1"] == pytest.approx((0.5 + 2 / 3) / 2)


def test_values_are_measured_where_the_truth_has_their_category():
    found = practices_measures(TRUTH, SAID)
    # Under first-party in the first two rows: true are Contact, Health, Advertising; chosen Contact, Advertising twice.
    # Under security in the third: Generic is true and nothing chosen. So 2 hits of 4 true and 3 chosen.
    assert found["values_micro_F1"] == pytest.approx(2 * (2 / 3) * 0.5 / (2 / 3 + 0.5))
    # With the category as the system gives it: Contact and Advertising in the first row, Contact in the third.
    assert found["values_with_category_micro_F1"] == pytest.approx(2 * (1 / 3) * 0.25 / (1 / 3 + 0.25))


def test_attributes_are_measured_each():
    found = practices_measures(TRUTH, SAID)["by_attribute"]
    assert list(found) == [f"{c.id} / {a.name}" for c in CATEGORIES for a in c.attributes]
    # Contact was found, Health was not; both count in the mean.
    assert found["first-party / Personal Information Type"] == {
        "micro_F1": pytest.approx(2 / 3),
        "macro_F1": 0.5,
        "n": 2.0,
    }
    assert found["first-party / Purpose"] == {
        "micro_F1": pytest.approx(2 / 3),
        "macro_F1": pytest.approx(2 / 3),
        "n": 1,
    }
    assert found["security / Security Measure"] == {"micro_F1": 0.0, "macro_F1": 0.0, "n": 1.0}
    assert found["third-party / Purpose"] == {"micro_F1": 0.0, "macro_F1": 0.0, "n": 0.0}


def test_who_says_the_truth_is_right():
    found = practices_measures(TRUTH, TRUTH.astype(np.float32))
    assert [found[name] for name in ("micro_F1", "macro_F1", "values_micro_F1", "values_with_category_micro_F1")] == [
        1.0
    ] * 4


def test_a_label_is_chosen_from_one_half_on():
    for probability, expected in ((0.49, 0.0), (0.51, 1.0), (1.0, 1.0)):
        found = practices_measures(truth({FIRST}), said({FIRST: probability}))
        assert found["micro_F1"] == expected


def test_values_that_nobody_gave_have_nothing_to_measure():
    found = practices_measures(truth({FIRST}), sure({FIRST}))
    assert (found["micro_F1"], found["values_micro_F1"], found["values_with_category_micro_F1"]) == (1.0, 0.0, 0.0)


def test_a_truth_without_labels():
    found = practices_measures(truth(set()), sure({FIRST}))
    assert (found["micro_F1"], found["macro_F1"]) == (0.0, 0.0)


# Polarity


def test_affirming_and_denying_where_the_truth_has_either():
    found = polarity_measures(
        truth({FIRST, COLLECTS}, {COLLECTS_NOT}, {COLLECTS, COLLECTS_NOT}, {SHARES}, {FIRST, THIRD}),
        sure({COLLECTS}, {COLLECTS}, {COLLECTS, COLLECTS_NOT, SHARES}, {SHARES_NOT}, {COLLECTS, SHARES}),
    )
    # Does, over rows 1-3 for collecting and row 4 for sharing: true 3, chosen 3, of them 2 right.
    # Does not: true 2, chosen 2, of them 1 right. What is said where the truth is silent does not count.
    assert found == {
        "F1": pytest.approx(0.6),
        "macro_F1": pytest.approx((2 / 3 + 0.5) / 2),
        "by_answer": {
            "does": {
                "precision": pytest.approx(2 / 3),
                "recall": pytest.approx(2 / 3),
                "F1": pytest.approx(2 / 3),
                "n": 3,
            },
            "does not": {"precision": 0.5, "recall": 0.5, "F1": 0.5, "n": 2},
        },
    }


def test_polarity_without_statements():
    assert polarity_measures(truth({FIRST}), sure({COLLECTS})) == {
        "F1": 0.0,
        "macro_F1": 0.0,
        "by_answer": {"does": NOBODY, "does not": NOBODY},
    }


# The benchmark


class Says:
    """Labels every text that speaks of names as first-party, Contact and collecting."""

    def labels(self, texts):
        row = {FIRST: 0.9, CONTACT: 0.8, COLLECTS: 0.75, GENERIC: 0.99}
        return said(*[row if "name" in text else {} for text in texts])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Give a folder in OPP-115's layout with two policies, and a labeller in the place of the student."""
    where = tmp_path / "own"
    for part in ("sanitized_policies", "annotations"):
        (where / part).mkdir(parents=True)
    (where / "sanitized_policies" / "1_a.example.html").write_text("Your name|||It is safe|||Hello")
    (where / "sanitized_policies" / "2_b.example.html").write_text("Another name")
    values = {"Personal Information Type": {"value": "Contact"}, "Does/Does Not": {"value": "Does"}}
    rows = [
        f'1,b,{person},9,{segment},{category},"{json.dumps(said).replace(chr(34), chr(34) * 2)}",d,u\n'
        for person in ("x", "y")
        for segment, category, said in ((0, "First Party Collection/Use", values), (1, "Data Security", {}))
    ]
    (where / "annotations" / "1_a.example.csv").write_text("".join(rows))
    monkeypatch.setitem(labels.LABELLERS, "student", Says)
    return where


def test_a_folder_is_measured_where_it_has_annotations(folder, tmp_path):
    result = evaluator("practices")(folder, ("student",), predictions=tmp_path / "said.jsonl")
    assert {name: result[name] for name in ("task", "data", "n")} == {"task": "practices", "data": "own", "n": 2}
    assert list(result["systems"]) == ["student"]
    assert result["systems"]["student"]["micro_F1"] == pytest.approx(2 / 3)
    assert result["systems"]["student"]["values_micro_F1"] == 1.0
    written = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text().splitlines()]
    assert [row["id"] for row in written] == ["1_a.example#0", "1_a.example#1", "1_a.example#2", "2_b.example#0"]
    one = written[0]["systems"]["student"]
    assert list(one["scores"]) == [str(label) for label in COLUMNS]
    assert (one["scores"][str(FIRST)], one["scores"][str(THIRD)]) == (0.9, 0.0)
    # Generic security is not said, since security is not.
    assert one["labels"] == [str(label) for label in (FIRST, CONTACT, COLLECTS)]
    assert written[1]["systems"]["student"]["labels"] == []
    assert [column(label) for label in (FIRST, CONTACT, COLLECTS)] == sorted(
        column(label) for label in (FIRST, CONTACT, COLLECTS)
    )


def test_polarity_of_a_folder(folder):
    result = evaluator("polarity")(folder, ("student",))
    assert (result["task"], result["n"]) == ("polarity", 2)
    assert result["systems"]["student"] == {
        "F1": 1.0,
        "macro_F1": 0.5,
        "by_answer": {"does": {"precision": 1.0, "recall": 1.0, "F1": 1.0, "n": 1}, "does not": NOBODY},
    }


@pytest.mark.parametrize(
    ("ids", "count", "n"),
    [({"1_a.example"}, 3, 2), ({"1_a.example#1"}, 1, 1), ({"2_b.example"}, 1, 0), ({"none"}, 0, 0)],
)
def test_some_policies_or_segments(folder, tmp_path, ids, count, n):
    result = evaluator("practices")(folder, ("student",), frozenset(ids), tmp_path / "said.jsonl")
    assert (result["n"], "systems" in result) == (n, bool(n))
    assert len((tmp_path / "said.jsonl").read_text().splitlines()) == count


def test_the_research_data_is_measured_on_its_test_split(folder, tmp_path, monkeypatch):
    data = tmp_path / "data"
    (data / "labelled").mkdir(parents=True)
    folder.rename(data / "labelled" / "opp115")
    monkeypatch.setattr(labels, "listed_ids", lambda name: frozenset({"1_a.example"}))
    result = evaluator("practices")(data, ("student",))
    assert (result["data"], result["n"]) == ("OPP-115, PolicyQA's 20 development policies", 2)
