from __future__ import annotations

import json

import pytest
import zstandard

from smallprint.annotate.mentions import names
from smallprint.evaluate import annotations
from smallprint.evaluate.annotations import Judgement, check, judgements, mentions_outcome, place

from .answerers import evaluator

evaluate = evaluator("mentions")

TEXT = "We use cookies. Chocolate chip cookies are sold. The General Data\nProtection Regulation applies."


def test_place_is_the_nth_of_the_same_words():
    assert place(TEXT, "cookies", 0) == (7, 14)
    assert place(TEXT, "cookies", 1) == (31, 38)
    assert place(TEXT, "cookies", 2) == (0, 0)
    start, end = place(TEXT, "General Data Protection Regulation", 0)
    assert TEXT[start:end] == "General Data\nProtection Regulation"


def test_check_looks_at_the_place_and_the_name():
    judged = [
        Judgement("cookies", "x", 0, "cookies", True, 2),
        Judgement("cookies", "x", 1, "cookies", False, 1),
        Judgement("logs", "x", 0, "cookies", False, 1),
    ]
    assert [checked.is_found for checked in check(TEXT, judged)] == [True, False, False]


def test_measured_on_the_final_round(monkeypatch):
    said = [
        Judgement("cookies", "x", 0, "cookies", True, 2),
        Judgement("cookies", "y", 0, "cookies", False, 2),
        Judgement("cookies", "x", 1, "cookies", False, 1),
        Judgement("cookies", "z", 0, "cookies", True, 1),
        Judgement("gdpr", "x", 0, "GDPR", True, 1),
    ]
    monkeypatch.setattr(annotations, "judgements", lambda: said)
    result = mentions_outcome([one._replace(is_found=one.id != "z") for one in said]).result("mentions")
    assert {key: result[key] for key in ("task", "n")} == {"task": "mentions", "n": 3}
    assert result["systems"]["default"] == {"precision": 2 / 3, "found": 3, "earlier mistakes": 1, "still made": 1}
    assert result["by_pattern"] == {
        "cookies": {"n": 2, "precision": 0.5, "found": 2, "earlier mistakes": 1, "still made": 1},
        "gdpr": {"n": 1, "precision": 1.0, "found": 1, "earlier mistakes": 0, "still made": 0},
    }


def test_evaluate_honours_ids_and_writes_predictions(tmp_path, monkeypatch):
    said = [Judgement("cookies", "a", 0, "cookies", True, 1), Judgement("cookies", "b", 0, "cookies", True, 1)]
    monkeypatch.setattr(annotations, "judgements", lambda: said)
    (tmp_path / "corpus").mkdir()
    rows = [
        {"id": name, "url": f"https://{name}.example/privacy", "domain": f"{name}.example", "text": TEXT}
        for name in "abc"
    ]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (tmp_path / "corpus" / "dmoz_policies.jsonl.zst").write_bytes(zstandard.compress(content))
    assert evaluate(tmp_path)["n"] == 2
    result = evaluate(tmp_path, None, frozenset({"dmoz:b"}), tmp_path / "said.jsonl")
    assert result["n"] == 1
    assert [json.loads(line) for line in (tmp_path / "said.jsonl").read_text().splitlines()] == [
        {"id": "dmoz:b", "name": "cookies", "occurrence": 0, "chosen": True}
    ]


def test_every_name_is_judged_once_a_place():
    said = judgements()
    assert {one.name for one in said} == {name.id for name in names()}
    assert len({(one.name, one.id, one.matched, one.occurrence) for one in said}) == len(said)


@pytest.mark.slow
@pytest.mark.real_data("corpus/dmoz_policies.jsonl.zst")
def test_precision_on_what_was_read(data_dir):
    result = evaluate(data_dir)
    whole = result["systems"]["default"]
    assert (whole["precision"], whole["still made"]) == (1.0, 0)
    assert whole["found"] == result["n"]
    assert all(part["precision"] == 1.0 for part in result["by_pattern"].values())
