from __future__ import annotations

import json

import pytest

from smallprint.datasets.privacyqa import load
from smallprint.errors import BadSetting, NoData
from smallprint.evaluate.measures import RANKED, SELECTED

from .answerers import Overlap, evaluator

evaluate = evaluator("privacyqa")

QUESTIONS = """QueryID\tDocID\tQuery\tfirst
Shop_0\tShop\tdo you sell my email address\t1
Shop_1\tShop\tfor how long are logs kept\t0
Shop_2\tShop\twhat is the price\t0
Bank_0\tBank\tdo you sell data\t1
"""
SEGMENTS = """DocID\tSentIdx\tSegment\torder_known\tn_words\tlabels_complete
Shop\t2\tLogs are kept a year.\t1\t5\t1
Shop\t0\t"We never sell your ""email address""."\t1\t7\t1
Shop\t1\tYour email address:\t1\t3\t0
Shop\t3\tWe like you.\t1\t3\t1
Bank\t5\tNothing here.\t1\t2\t1
Bank\t9\tYes.\t1\t1\t1
"""
LABELS = "QueryID\tSentIdx\tsource_label\nShop_0\t0\tx\nShop_0\t1\tx\nShop_1\t3\tx\nNobody_7\t0\tx\n"


@pytest.fixture
def folder(tmp_path):
    return made(tmp_path / "privacyqa" / "dev")


def made(folder, labels=LABELS):
    folder.mkdir(parents=True)
    (folder / "questions.tsv").write_text(QUESTIONS)
    (folder / "segments.tsv").write_text(SEGMENTS)
    if labels:
        (folder / "qrels_any_relevant.tsv").write_text(labels)
    return folder


def test_a_folder_is_read_in_the_policys_order(folder):
    shop, bank = load(folder)
    assert [one.text for one in shop.sentences] == [
        'We never sell your "email address".', "Your email address:", "Logs are kept a year.", "We like you.",
    ]  # fmt: skip
    assert (shop.numbers, bank.numbers) == ((0, 1, 2, 3), (5, 9))
    assert [one.candidates for one in shop.questions] == [(0, 2, 3)] * 3
    # What is marked but not labelled wholly does not count.
    assert [one.relevant for one in shop.questions] == [frozenset({0}), frozenset({3}), frozenset()]
    assert bank.questions[0].relevant == frozenset()


def test_every_measure_of_every_system(folder, tmp_path):
    result = evaluate(folder, by=Overlap(), predictions=tmp_path / "said.jsonl")
    assert [result[name] for name in ("task", "data", "n", "answerable")] == ["privacyqa", "privacyqa/dev", 4, 2]
    assert list(result["systems"]) == ["combined", "backwards", "nothing"]
    ranked = {name + end for name in RANKED for end in ("", "_ci", "_answerable", "_answerable_ci")}
    assert set(result["systems"]["backwards"]) == ranked
    assert set(result["systems"]["combined"]) == ranked | {name + end for name in SELECTED for end in ("", "_ci")} | {
        "silent_accuracy", "silent_accuracy_ci", "silent_precision", "silent_recall",
    }  # fmt: skip
    found = result["systems"]["combined"]
    # Shop_0 has its answer first; Shop_1, whose truth is the last sentence, has it third.
    assert (found["top-1"], found["top-1_answerable"]) == (0.25, 0.5)
    assert found["MRR_answerable"] == pytest.approx((1 + 1 / 3) / 2)
    # Chosen among candidates: Shop_0 has 0, Shop_1 has 0 and 2, Shop_2 and Bank_0 nothing; one of three is true.
    assert found["selection_precision"] == pytest.approx(1 / 3)
    assert found["selection_recall"] == 0.5
    # Nothing is true of Shop_2 and Bank_0, and the two are called silent.
    assert (found["silent_accuracy"], found["silent_precision"], found["silent_recall"]) == (1, 1, 1)
    said = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text().splitlines()]
    assert [line["id"] for line in said] == ["Shop_0", "Shop_1", "Shop_2", "Bank_0"]
    assert said[0]["chosen"] == [0, 1]
    assert list(said[3]["scores"]["combined"]) == ["5", "9"]


def test_a_wrong_answerer_scores_less(folder):
    right, wrong = evaluate(folder, by=Overlap()), evaluate(folder, by=Overlap(shift=2))
    assert wrong["systems"]["combined"]["MRR"] < right["systems"]["combined"]["MRR"]


def test_without_labels_there_are_only_predictions(tmp_path):
    folder = made(tmp_path / "dev", labels="")
    result = evaluate(folder, by=Overlap(), predictions=tmp_path / "said.jsonl")
    assert result == {"task": "privacyqa", "data": f"{tmp_path.name}/dev", "n": 0}
    said = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text().splitlines()]
    assert [line["state"] for line in said] == ["answered", "answered", "silent", "silent"]
    assert not any("relevant" in line for line in said)


def test_some_systems_and_some_ids(folder):
    result = evaluate(folder, ("backwards",), frozenset({"Bank", "Shop_1"}), by=Overlap())
    assert (result["n"], result["answerable"], list(result["systems"])) == (2, 1, ["backwards"])
    assert "selection_F1" not in result["systems"]["backwards"]
    with pytest.raises(
        BadSetting, match="'best' is not a system of privacyqa; choose from: combined, backwards, nothing"
    ):
        evaluate(folder, ("best",), by=Overlap())


def test_the_development_policies_of_the_research_data(tmp_path):
    made(tmp_path / "labelled" / "privacyqa" / "dev")
    assert evaluate(tmp_path, by=Overlap())["data"] == "privacyqa/dev"


def test_a_table_of_another_layout_is_told(folder):
    (folder / "segments.tsv").write_text("DocID\tSegment\nShop\tx\n")
    with pytest.raises(NoData, match="has no column 'SentIdx'"):
        load(folder)
    for number in ("first", "12th", "x12", "-3", ""):
        (folder / "segments.tsv").write_text(f"DocID\tSentIdx\tSegment\nShop\t{number}\tx\n")
        with pytest.raises(NoData, match=f"'{number}' as 'SentIdx', which does not end in a number"):
            load(folder)


def test_a_policy_that_has_no_segments_is_told(folder):
    (folder / "segments.tsv").write_text("DocID\tSentIdx\tSegment\nShop\t0\tx\n")
    with pytest.raises(NoData, match="no segments of 'Bank'"):
        load(folder)


@pytest.mark.real_data("labelled/privacyqa/dev")
def test_the_two_development_policies(data_dir):
    sheets = load(data_dir / "labelled" / "privacyqa" / "dev")
    assert [(one.policy, len(one.sentences), len(one.questions)) for one in sheets] == [
        ("Fiverr _1", 173, 50), ("Keep _2", 87, 50),
    ]  # fmt: skip
    assert [len(one.questions[0].candidates) for one in sheets] == [161, 74]
    assert sum(not one.relevant for sheet in sheets for one in sheet.questions) == 3
    assert not any(one.text.startswith('"') for sheet in sheets for one in sheet.sentences)
