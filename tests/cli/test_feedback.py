"""What readers said of answers, read, taken out and forgotten from the command line."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest

from smallprint.library.feedback import Feedback, Place, feedback, give
from smallprint.library.writing import save

from ..library.making import capture
from .test_failures import one_line

NEW = capture("https://a.example/privacy", "We keep it for a year.")
FIRST = Feedback(
    "2026-01-02T03:04:05+00:00", "wrong", NEW.policy_id, NEW.version_id, "=How long?", "answered", "For a year:",
    (Place(NEW.version_id, 0, 22), Place(NEW.version_id, 3, 7)), "It says so of backups only.",
)  # fmt: skip
SECOND = Feedback("2026-01-03T00:00:00+00:00", "right", None, None, "Which do not sell data?", "policies", "These do:")


@pytest.fixture
def said(library):
    """Give a library in which two things were said."""
    with library.transaction() as db:
        save(db, [NEW])
    give(library, FIRST)
    give(library, SECOND)
    return library


def test_it_is_shown(run, said):
    done = run("feedback", "--library", said.path)
    assert (done.code, done.err) == (0, "")
    first, *rest = done.out.splitlines()
    assert first == "2 answers"
    assert [line.split() for line in rest[:3]] == [["right", "1"], ["wrong", "1"], ["missing", "0"]]
    assert f"2026-01-02T03:04  wrong    {NEW.policy_id}" in done.out
    assert "many" in done.out


def test_as_json_it_is_all_there(run, said):
    found = run("feedback", "--json", "--library", said.path).json
    assert [one["verdict"] for one in found] == ["wrong", "right"]
    assert found[0]["places"] == [
        {"version_id": NEW.version_id, "start": 0, "end": 22}, {"version_id": NEW.version_id, "start": 3, "end": 7}
    ]  # fmt: skip


def test_as_a_table_no_question_is_a_formula(run, said, tmp_path):
    done = run("feedback", "--out", tmp_path / "said.csv", "--library", said.path)
    assert (done.code, done.out.split()[-2:]) == (0, ["entries", "2"])
    with (tmp_path / "said.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["question"] == "'=How long?"
    assert rows[0]["places"] == f"{NEW.version_id}:0-22 | {NEW.version_id}:3-7"
    assert (rows[1]["policy_id"], rows[1]["places"]) == ("", "")
    assert [path.name for path in tmp_path.glob("said*")] == ["said.csv"]


def test_as_json_lines_each_is_a_line(run, said, tmp_path):
    give(said, replace(SECOND, note="two lines\u2028in one"))
    run("feedback", "--out", tmp_path / "said.jsonl", "--library", said.path)
    lines = (tmp_path / "said.jsonl").read_text().splitlines()
    assert [json.loads(line)["verdict"] for line in lines] == ["wrong", "right", "right"]


def test_it_is_forgotten_only_when_that_is_said(run, said, tmp_path):
    run("feedback", "--library", said.path)
    assert len(list(feedback(said))) == 2
    done = run("feedback", "--out", tmp_path / "said.txt", "--clear", "--library", said.path)
    assert one_line(done).endswith("use a name that ends in .csv or .jsonl")
    assert len(list(feedback(said))) == 2  # what was not written is not thrown away
    done = run("feedback", "--out", tmp_path / "said.csv", "--clear", "--library", said.path)
    assert done.out.endswith("Deleted 2 entries.\n")
    assert list(feedback(said)) == []
    assert run("feedback", "--json", "--library", said.path).json == []
    assert run("feedback", "--library", said.path).out.startswith("0 answers\n")
