from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard

from smallprint import sample
from smallprint.cli.app import main
from smallprint.datasets.corpus import rows
from smallprint.errors import BadSetting, NoData
from smallprint.evaluate import pages as page_tasks
from smallprint.evaluate import report
from smallprint.evaluate.report import BelowFloor
from smallprint.evaluate.tasks import Order, Outcome
from smallprint.settings import Settings

from .answerers import run

PAGES = list(zip(sample.pages(), sample.truths(), strict=True))
POLICY = next(page for page, truth in PAGES if truth.outcome == "kept")
OTHER = next(page for page, truth in PAGES if truth.outcome == "not a policy")


def written(path: Path, *found: object) -> Path:
    content = "".join(json.dumps(row) + "\n" for row in found).encode()
    path.write_bytes(zstandard.compress(content) if path.suffix == ".zst" else content)
    return path


def read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def pages(tmp_path):
    return written(
        tmp_path / "pages.jsonl.zst",
        {"id": "p", "url": POLICY.url, "html": POLICY.content.decode(), "label": "policy"},
        {"id": "o", "url": OTHER.url, "html": OTHER.content.decode(), "label": "other"},
        {"id": "t", "url": None, "text": "The match ended two to one. " * 30, "label": "other"},
        {"id": "u", "url": POLICY.url, "html": POLICY.content.decode()},
        {"id": "n", "url": POLICY.url, "html": POLICY.content.decode(), "label": None},
    )


# is-policy


def test_is_policy_on_pages(pages, tmp_path):
    result = run("is-policy", pages, Settings(), predictions=tmp_path / "said.jsonl")
    assert {name: result[name] for name in ("task", "data", "n")} == {
        "task": "is-policy",
        "data": "pages.jsonl.zst",
        "n": 3,
    }
    assert list(result) == ["task", "data", "n", "hash", "systems"]
    assert list(result["systems"]) == ["default"]
    found = result["systems"]["default"]
    assert (found["precision"], found["recall"], found["F1"], found["AUC"]) == (1.0, 1.0, 1.0, 1.0)
    said = read(tmp_path / "said.jsonl")
    assert [(row["id"], row["chosen"]) for row in said] == [
        ("p", True), ("o", False), ("t", False), ("u", True), ("n", True),
    ]  # fmt: skip
    assert all(
        0 <= row["score"] <= 1 and row["chosen"] == (row["score"] >= Settings().policy_threshold) for row in said
    )
    truth, scores = [1, 0, 0], [row["score"] for row in said[:3]]
    assert found["Brier"] == pytest.approx(sum((t - s) ** 2 for t, s in zip(truth, scores, strict=True)) / 3)


def test_is_policy_takes_the_threshold_from_the_settings(pages, tmp_path):
    run("is-policy", pages, Settings(policy_threshold=0.0), predictions=tmp_path / "said.jsonl")
    assert [row["chosen"] for row in read(tmp_path / "said.jsonl")] == [True] * 5


def test_is_policy_without_labels_still_predicts(tmp_path):
    path = written(tmp_path / "pages.jsonl", {"url": POLICY.url, "html": POLICY.content.decode()})
    result = run("is-policy", path, Settings(), predictions=tmp_path / "said.jsonl")
    assert {**result, "hash": ""} == {"task": "is-policy", "data": "pages.jsonl", "n": 0, "hash": ""}
    assert [row["id"] for row in read(tmp_path / "said.jsonl")] == ["1"]


def test_is_policy_on_some_ids(pages):
    result = run("is-policy", pages, Settings(), ids=frozenset({"o", "t", "nobody"}))
    assert result["n"] == 2
    assert (result["systems"]["default"]["precision"], result["systems"]["default"]["AUC"]) == (0.0, 0.5)


def test_a_part_of_our_own_split_that_is_empty_is_left_out():
    found = [page_tasks.Verdict("dmoz:a", "policy", 0.9, "en"), page_tasks.Verdict("dmoz:b", "other", 0.2, "en")]
    measured = page_tasks._subsets(found, 0.5)
    assert {name: part["n"] for name, part in measured.items()} == {"without wrong labels": 2, "DMOZ, read by us": 2}
    assert page_tasks._subsets([], 0.5) == {}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"url": "https://a.example/"}, "line 1 of .* has neither 'html' nor 'text'"),
        ({"html": 7}, "line 1 of .* has something other than text"),
        ({"html": "<p>x</p>", "url": ["a"]}, "line 1 of .* has something other than text"),
        ({"html": "<p>x</p>", "label": "terms"}, "line 1 of .* has the label 'terms'; 'policy' and 'other' are known"),
        ({"html": "<p>x</p>", "label": ["policy"]}, "has the label"),
        ([1], "line 1 of .* is not a JSON object"),
    ],
)
def test_is_policy_on_bad_rows(tmp_path, row, says):
    with pytest.raises(NoData, match=says):
        run("is-policy", written(tmp_path / "bad.jsonl", row), Settings())


# extraction


@pytest.fixture
def references(tmp_path):
    body = "We keep what you tell us for as long as you have an account with us and then we delete it."
    html = (
        f"<html><body><nav><a href='/'>Home</a> <a href='/x'>About us and our work</a></nav><p>{body}</p></body></html>"
    )
    return written(
        tmp_path / "pages.jsonl",
        {"id": "a", "html": html, "reference": body},
        {"id": "b", "html": html, "reference": "Nothing of this is found anywhere on that page."},
        {"id": "c", "html": html, "reference": None},
        {"html": html},
    )


def test_extraction_on_pages(references, tmp_path):
    result = run("extraction", references, Settings(), predictions=tmp_path / "said.jsonl")
    assert (result["task"], result["data"], result["n"]) == ("extraction", "pages.jsonl", 2)
    assert list(result["systems"]) == ["default", "lines", "whole page"]
    assert result["systems"]["default"] == {
        "recall": 0.5, "precision": 0.5, "F1": 0.5, "pages_with_recall_below_half": 1,
    }  # fmt: skip
    assert result["systems"]["whole page"]["recall"] == 0.5
    assert result["systems"]["whole page"]["precision"] < 0.5
    said = read(tmp_path / "said.jsonl")
    assert [row["id"] for row in said] == ["a", "b", "c", "4"]
    assert {row["text"] for row in said} == {
        "We keep what you tell us for as long as you have an account with us and then we delete it."
    }


def test_extraction_of_one_system_on_some_ids(references):
    result = run("extraction", references, Settings(), systems=("whole page",), ids=frozenset("a"))
    assert (result["n"], list(result["systems"])) == (1, ["whole page"])
    assert result["systems"]["whole page"]["recall"] == 1.0


def test_extraction_without_references_still_predicts(tmp_path):
    path = written(tmp_path / "pages.jsonl", {"id": "a", "html": "<p>x</p>"}, {"id": "b", "html": ""})
    result = run("extraction", path, Settings(), predictions=tmp_path / "said.jsonl")
    assert {**result, "hash": ""} == {"task": "extraction", "data": "pages.jsonl", "n": 0, "hash": ""}
    assert [row["text"] for row in read(tmp_path / "said.jsonl")] == ["x", ""]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"id": "a"}, "line 1 of .* has no 'html'"),
        ({"id": "a", "html": None}, "line 1 of .* has no 'html'"),
        ({"id": "a", "html": "x", "reference": 3}, "line 1 of .* has something other than text as 'reference'"),
    ],
)
def test_extraction_on_bad_rows(tmp_path, row, says):
    with pytest.raises(NoData, match=says):
        run("extraction", written(tmp_path / "bad.jsonl", row), Settings())


# Files


def test_a_file_that_ends_too_early_is_not_taken_for_the_whole(tmp_path):
    path = written(tmp_path / "pages.jsonl.zst", *({"id": n, "noise": hash(str(n))} for n in range(5000)))
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(NoData, match="cannot be read to its end"):
        list(rows(path))


@pytest.mark.parametrize(("content", "line"), [(b"{}\n{\n", 2), (b"{}\n\n{}\n", 2), (b"\xff\xfe\n", 1), (b"7\n", 1)])
def test_lines_that_are_no_objects(tmp_path, content, line):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    with pytest.raises(NoData, match=f"line {line} of .* is not a JSON object"):
        list(rows(path))


def test_an_unknown_system(pages):
    with pytest.raises(BadSetting, match="'best' is not a system of is-policy; choose from: default"):
        run("is-policy", pages, Settings(), systems=("best",))


# Floors

RESULT = {
    "task": "t",
    "data": "d",
    "n": 10,
    "hash": "abc",
    "systems": {"default": {"F1": 0.9, "ECE": 0.02}},
    "subsets": {"part": {"F1": 0.7}},
}
FLOOR = {
    "task": "t", "data": "d", "n": 10, "hash": "abc", "system": "default", "least": {"F1": 0.9}, "most": {"ECE": 0.02},
}  # fmt: skip


@pytest.fixture
def pinned(tmp_path, monkeypatch):
    def pin(*found: dict[str, object]) -> None:
        (tmp_path / "floors.json").write_text(json.dumps(found))
        monkeypatch.setattr(report.resources, "files", lambda name: tmp_path)

    return pin


@pytest.mark.parametrize(
    "floor",
    [
        FLOOR,
        {**FLOOR, "system": "part", "least": {"F1": 0.7}, "most": {}},
        {**FLOOR, "task": "another", "least": {"F1": 1.0}},
        {**FLOOR, "data": "another", "n": 3, "least": {"F1": 1.0}},
        {**FLOOR, "system": "one that was left out", "least": {"F1": 1.0}},
    ],
)
def test_a_result_on_or_above_its_floor_passes(pinned, floor):
    pinned(floor)
    report.check_floors(RESULT)


@pytest.mark.parametrize(
    ("floor", "says"),
    [
        ({**FLOOR, "least": {"F1": 0.901}}, "t default F1: 0.9000 is below the floor 0.901"),
        ({**FLOOR, "most": {"ECE": 0.019}}, "t default ECE: 0.0200 is above the ceiling 0.019"),
        ({**FLOOR, "system": "part", "most": {}}, "t part F1: 0.7000 is below the floor 0.9"),
        ({**FLOOR, "n": 11}, "t: 10 items, but the floor was set on 11; the data have changed"),
        (
            {**FLOOR, "hash": "xyz"},
            "t: the ids or labels measured on have changed (hash abc, the floor was set on xyz); measure on the former "
            "data, or set the floor again",
        ),
    ],
)
def test_a_result_below_its_floor_fails(pinned, floor, says):
    pinned(FLOOR, floor)
    with pytest.raises(BelowFloor) as error:
        report.check_floors(RESULT)
    assert str(error.value) == says


def test_the_gate_of_the_command(pinned, pages, capsys):
    arguments = ["evaluate", "is-policy", "--data", str(pages), "--json", "--gate"]
    measured = run("is-policy", pages)
    floor = {**{name: measured[name] for name in ("task", "data", "n", "hash")}, "system": "default"}
    floor["least"] = {"F1": 1.0}
    pinned(floor)
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 0
    assert json.loads(capsys.readouterr().out)["n"] == 3
    pinned({**floor, "least": {"F1": 1.01}})
    with pytest.raises(SystemExit) as left:
        main(arguments)
    said = capsys.readouterr()
    assert (left.value.code, json.loads(said.out)["n"]) == (1, 3)
    assert said.err == "smallprint: is-policy default F1: 1.0000 is below the floor 1.01\n"


def test_the_floors_that_are_pinned_can_be_read():
    found = json.loads((Path(report.__file__).parent / "floors.json").read_text())
    for floor in found:
        assert {"task", "data", "n", "hash", "system", "least"} <= set(floor)


def test_a_table_is_printed_for_people(pages, capsys, tmp_path):
    (tmp_path / "ids.txt").write_bytes(b"p\r\no\r\n")
    with pytest.raises(SystemExit):
        main(["evaluate", "is-policy", "--data", str(pages), "--ids", str(tmp_path / "ids.txt")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "is-policy on pages.jsonl.zst: n = 2"
    assert lines[1].split() == ["precision", "recall", "F1", "AUC", "Brier", "ECE"]
    assert lines[2].split()[:5] == ["default", "1.000", "1.000", "1.000", "1.000"]


def test_the_hash_is_of_ids_and_labels_in_whatever_order():
    one, other = Outcome("d", [("a", [1]), ("b", [2])]), Outcome("d", [("b", [2]), ("a", [1])])
    assert one.hash == other.hash
    assert one.hash != Outcome("d", [("a", [1]), ("b", [3])]).hash
    assert one.hash != Outcome("d", [("a", [1]), ("c", [2])]).hash
    assert one.result("t") == {"task": "t", "data": "d", "n": 2, "hash": one.hash}


def test_systems_stand_in_their_own_order():
    order = Order("t", Path(), Settings(), ("c", "a"))
    assert order.choose(("a", "b", "c")) == ("a", "c")
    assert Order("t", Path(), Settings()).choose(("a", "b", "c")) == ("a", "b", "c")
    with pytest.raises(BadSetting, match="'c' is not a system of t; choose from: a, b"):
        order.choose(("a", "b"))
