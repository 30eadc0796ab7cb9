from __future__ import annotations

import base64
import csv
import io
import json
import zlib
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from smallprint import limits
from smallprint.errors import BadQuery
from smallprint.search.exports import heading, read_export_id, rows, written
from smallprint.search.request import Request
from smallprint.search.results import search

REQUEST = Request("cookies", chosen={"sector": ("medical", "travel")})


@pytest.fixture
def made(shelf):
    library, engine = shelf
    return heading(engine, REQUEST), list(rows(library, engine, REQUEST))


def test_an_export_has_the_whole_result_in_its_order(shelf, made):
    library, engine = shelf
    head, found = made
    assert len(found) == head.policies == search(library, engine, REQUEST).total > 10
    listed = search(library, engine, replace(REQUEST, size=100, fold=False))
    assert [row.policy_id for row in found] == [hit.policy.policy_id for hit in listed.hits]
    assert found[0].practices
    assert found[0].mentions


def test_csv_can_be_read_and_has_query_citation_and_id(made):
    head, found = made
    read = list(csv.DictReader(io.StringIO(b"".join(written("csv", head, found)).decode())))
    assert [row["policy_id"] for row in read] == [row.policy_id for row in found]
    assert {(row["export_id"], row["query"], row["citation"]) for row in read} == {
        (head.export_id, head.query, head.citation)
    }
    assert read[0]["practices"].split(" | ") == list(found[0].practices)


def test_json_lines_start_with_what_the_export_is(made):
    head, found = made
    first, *rest = [json.loads(line) for line in b"".join(written("jsonl", head, found)).splitlines()]
    assert first["export"]["citation"] == head.citation
    assert [row["url"] for row in rest] == [row.url for row in found]


def test_parquet_is_written_in_pieces_and_read_whole(made):
    head, found = made
    pieces = list(written("parquet", head, [replace(found[0], rank=number) for number in range(1, 1202)]))
    assert len([piece for piece in pieces if piece]) >= 3
    table = pq.read_table(io.BytesIO(b"".join(pieces)))
    assert table.num_rows == 1201
    assert table.schema.metadata[b"export_id"].decode() == head.export_id
    assert table.column("practices")[0].as_py() == list(found[0].practices)


def test_the_id_makes_the_same_export_again(shelf, made):
    _, engine = shelf
    head, _ = made
    assert read_export_id(head.export_id) == (engine.state(), REQUEST)
    for wrong in ("", "x", "abc-", "abc-!!!", "abc-" + "A" * 9000, head.export_id[:-5]):
        with pytest.raises(BadQuery):
            read_export_id(wrong)


def test_a_title_is_no_formula(made):
    head, found = made
    hostile = replace(found[0], title='=HYPERLINK("http://evil")', url="+1")
    (row,) = csv.DictReader(io.StringIO(b"".join(written("csv", head, [hostile])).decode()))
    assert row["title"] == '\'=HYPERLINK("http://evil")'
    assert row["url"] == "'+1"


def test_nothing_found_is_an_empty_table(made):
    head, _ = made
    for kind in ("csv", "jsonl", "parquet"):
        assert b"".join(written(kind, head, []))
    assert pq.read_table(io.BytesIO(b"".join(written("parquet", head, [])))).num_rows == 0


def test_an_id_has_so_many_characters_at_most(monkeypatch):
    packed = base64.urlsafe_b64encode(zlib.compress(b"q=cookies")).decode().rstrip("=")
    monkeypatch.setattr(limits, "MAX_EXPORT_ID", len(packed))
    assert read_export_id(f"state-{packed}")[1].text == "cookies"
    monkeypatch.setattr(limits, "MAX_EXPORT_ID", len(packed) - 1)
    with pytest.raises(BadQuery, match="is not the id of an export"):
        read_export_id(f"state-{packed}")
