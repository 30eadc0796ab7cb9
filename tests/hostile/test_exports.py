"""What programs are given of policies that attack: whole, as data, and no formula or command to whoever opens it."""

from __future__ import annotations

import csv
import io
import json

import pyarrow.parquet as pq
import pytest

import smallprint

from .making import ATTACKS, BARE, COMMANDS, EVIL, LOCAL, NAME, TWIN

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
NUMBERS = {"rank", "score", "grade", "vagueness"}


@pytest.fixture
def rows(hostile):
    with smallprint.open(hostile) as shelf:
        return shelf.table("cookies").to_pylist()


def exported(client, kind):
    answer = client.get("/api/v1/export", params={"q": "cookies", "format": kind})
    assert (answer.status_code, answer.headers["x-content-type-options"]) == (200, "nosniff")
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    return answer.content


def test_the_rows_are_hostile(rows):
    assert {row["domain"] for row in rows} == {EVIL, TWIN, BARE, ""}
    assert all(row["title"].startswith("=HYPERLINK") and NAME in row["title"] for row in rows)


def test_no_cell_of_a_csv_is_a_formula_and_numbers_are_numbers(client, rows):
    found = list(csv.reader(io.StringIO(exported(client, "csv").decode(), newline="")))
    head, *read = found
    assert len(read) == len(rows) == 4
    for cells, row in zip(read, rows, strict=True):
        assert len(cells) == len(head)
        line = dict(zip(head, cells, strict=True))
        for name, cell in line.items():
            if name in NUMBERS:
                assert float(cell) == row[name]
            else:
                assert not cell.startswith(FORMULA), (name, cell)
        assert line["title"] == f"'{row['title']}"
        assert line["url"] == row["url"]


def test_a_csv_has_a_line_a_row_whoever_reads_it(client, rows):
    content = exported(client, "csv")
    assert len(content.splitlines()) == content.count(b"\n") == len(rows) + 1
    assert not any(byte < 32 and byte != 10 for byte in content)


def test_json_lines_have_a_line_a_row_whoever_reads_them(client, rows):
    content = exported(client, "jsonl")
    lines = content.decode().splitlines()  # which ends lines at U+2028 and U+0085, too
    assert len(lines) == len(content.splitlines()) == len(rows) + 1
    assert [json.loads(line) for line in lines[1:]] == rows
    (local,) = [row["url"] for row in rows if not row["domain"]]
    assert "\u2028" in local
    assert "\x85" in LOCAL


def test_parquet_has_the_same(client, rows):
    assert pq.read_table(io.BytesIO(exported(client, "parquet"))).to_pylist() == rows


@pytest.mark.parametrize("query", ATTACKS)
def test_a_hostile_query_stays_in_its_place(client, query):
    for kind in ("csv", "jsonl", "parquet"):
        answer = client.get("/api/v1/export", params={"q": query, "format": kind})
        assert answer.status_code == 200
        assert set(answer.headers["content-disposition"].partition("filename=")[2]) <= set(
            '"abcdefghijklmnopqrstuvwxyz0123456789-.'
        )
    for row in csv.DictReader(io.StringIO(client.get("/api/v1/export", params={"q": query}).text)):
        assert row["query"].startswith("q=")


@pytest.mark.parametrize(
    "path",
    ["search?q=cookies&explain=1", "facets?q=script", "statistics", "openapi.json",
     *(f"policies/{EVIL}{part}" for part in ("", "/text", "/text?of=page", "/segments", "/annotations"))],
)  # fmt: skip
def test_the_api_says_it_as_json_and_nothing_else(client, path):
    answer = client.get(f"/api/v1/{path}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert not [ascii(one) for one in COMMANDS if one in answer.text and one != "\u2028"]


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_the_api_refuses_it_refuses_as_json(client, attack):
    for path in ("search", "export", f"policies/{EVIL}"):
        answer = client.get(f"/api/v1/{path}", params={attack: attack, "version": attack})
        assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
    answer = client.get(f"/api/v1/policies/{EVIL}", params={"version": attack})
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
