from __future__ import annotations

import pytest

from smallprint.errors import NoData
from smallprint.evaluate.tables import number, table


def test_quotes_as_spreadsheets_write_them(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('a\tb\n"under ""Cookies""."\t1\nan "inner" one\t2\n\n"never closed\t3\n', newline="")
    assert table(path, ("a", "b")) == [
        {"a": 'under "Cookies".', "b": "1"},
        {"a": 'an "inner" one', "b": "2"},
        {"a": '"never closed', "b": "3"},
    ]


def test_line_ends_and_a_mark_of_byte_order(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes(b"\xef\xbb\xbfa\tb\r\n1\t2\r\n")
    assert table(path, ("a",)) == [{"a": "1", "b": "2"}]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a\tc\n1\t2\n", "has no column 'b'; it needs a, b"),
        (b"a\tb\n1\n", "line 2 of .* has 1 fields, the first line 2"),
        (b"\xff\xff", "cannot be read"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_such_table(tmp_path, content, says):
    path = tmp_path / "a.tsv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(NoData, match=says):
        table(path, ("a", "b"))


def test_what_is_no_number(tmp_path):
    assert number({"a": "7"}, "a", tmp_path) == 7
    with pytest.raises(NoData, match="'x' as 'a', which is no whole number"):
        number({"a": "x"}, "a", tmp_path)
