from __future__ import annotations

import json

import pytest

from smallprint.files import csv_line, inert, json_line, whole_file


def test_a_line_of_csv():
    assert csv_line(["a,b", None, 3, 'say "x"', "two\nlines"]) == b'"a,b",,3,"say ""x""","two\nlines"\n'


@pytest.mark.parametrize(
    ("cell", "written"),
    [("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("a=1", "a=1"), ("", ""), (-1, -1), (None, None)],
)
def test_no_cell_is_a_formula(cell, written):
    assert inert(cell) == written


def test_a_line_of_json_stays_one_line_whatever_it_holds():
    value = {"title": "é\u2028\x1b[31m\u202e"}
    line = json_line(value)
    assert line == '{"title": "é\\u2028\\u001b[31m\\u202e"}\n'.encode()
    assert json.loads(line) == value


def test_a_file_is_there_when_it_is_whole(tmp_path):
    to = tmp_path / "export.csv"
    to.write_text("old")
    with whole_file(to) as part:
        part.write_text("new")
        assert to.read_text() == "old"
    assert to.read_text() == "new"
    assert list(tmp_path.iterdir()) == [to]


def test_a_file_that_fails_leaves_the_old_one(tmp_path):
    to = tmp_path / "export.csv"
    to.write_text("old")
    with pytest.raises(IsADirectoryError), whole_file(to) as part:
        part.write_bytes(b"half" + tmp_path.read_bytes())
    assert to.read_text() == "old"
    assert list(tmp_path.iterdir()) == [to]
