"""Whole results as files: whole, in order, readable, citable, made again by their id, and in nobody's way."""

from __future__ import annotations

import asyncio
import base64
import csv
import io
import json
import threading
import time
import zlib
from contextlib import ExitStack, closing
from dataclasses import asdict

import pyarrow.parquet as pq
import pytest

from smallprint.api import exporting, router
from smallprint.api.exporting import Slots
from smallprint.errors import LibraryChanged, TooManyExports, TooSlow
from smallprint.index.opening import open_engine
from smallprint.library import Library
from smallprint.library.pool import SIZE
from smallprint.limits import EXPORT_RATE, MAX_CLIENT_EXPORTS, MAX_EXPORTS
from smallprint.search import exports
from smallprint.search.exports import heading, read_export_id
from smallprint.search.request import Request
from smallprint.settings import Settings
from smallprint.shelf import Shelf
from smallprint.web.app import application

REQUEST = Request("cookies", chosen={"sector": ("medical", "travel")})
ASKED = "q=cookies&sector=medical&sector=travel"
KINDS = ("csv", "jsonl", "parquet")
# Long enough for an answer to begin on a busy machine.
SECONDS = 3.0


@pytest.fixture
def rows(annotated_sample):
    """Give what the export of the request has to hold."""
    with Library(annotated_sample) as library:
        return list(exports.rows(library, open_engine(Settings(library=annotated_sample)), REQUEST))


@pytest.fixture
def head(annotated_sample):
    return heading(open_engine(Settings(library=annotated_sample)), REQUEST)


def listed(row):
    return {key: list(value) if isinstance(value, tuple) else value for key, value in row.columns().items()}


def test_csv_is_whole(client, rows, head):
    answer = client.get(f"/api/v1/export?{ASKED}")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    read = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(int(row["rank"]), row["policy_id"], row["version_id"], float(row["score"])) for row in read] == [
        (row.rank, row.policy_id, row.version_id, row.score) for row in rows
    ]
    assert [row["practices"].split(" | ") for row in read] == [list(row.practices) for row in rows]
    told = {(row["export_id"], row["query"], row["citation"]) for row in read}
    assert told == {(head.export_id, head.query, head.citation)}


def test_a_long_query_stands_once_in_a_csv(client):
    query = " ".join(f"word{number}" for number in range(90))
    answer = client.get("/api/v1/export", params={"q": f"cookies {query}"})
    first, *others = csv.DictReader(io.StringIO(answer.text))
    assert answer.text.count("word89") == 2  # in the query and in the citation
    assert first["export_id"] == answer.headers["smallprint-export-id"]
    assert len(others) > 5
    assert {(row["export_id"], row["query"], row["citation"]) for row in others} == {("see rank 1",) * 3}


def test_json_lines_are_whole(client, rows, head):
    answer = client.get(f"/api/v1/export?{ASKED}&format=jsonl")
    assert answer.headers["content-type"] == "application/jsonl"
    first, *rest = [json.loads(line) for line in answer.text.splitlines()]
    assert first == {"export": asdict(head)}
    assert rest == [listed(row) for row in rows]


def test_parquet_is_whole(client, rows, head):
    answer = client.get(f"/api/v1/export?{ASKED}&format=parquet")
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    table = pq.read_table(io.BytesIO(answer.content))
    assert table.to_pylist() == [listed(row) for row in rows]
    told = {name.decode(): value.decode() for name, value in table.schema.metadata.items()}
    assert told == {name: str(value) for name, value in asdict(head).items()}


def test_pages_make_no_difference(client, head):
    plain = client.get(f"/api/v1/export?{ASKED}")
    paged = client.get(f"/api/v1/export?{ASKED}&page=2&size=3&fold=0")
    assert plain.text == paged.text
    assert plain.headers["smallprint-export-id"] == paged.headers["smallprint-export-id"] == head.export_id


def test_nothing_found_is_an_empty_file(client):
    assert len(client.get("/api/v1/export?q=nosuchword").text.splitlines()) == 1
    assert len(client.get("/api/v1/export?q=nosuchword&format=jsonl").text.splitlines()) == 1
    empty = client.get("/api/v1/export?q=nosuchword&format=parquet").content
    assert pq.read_table(io.BytesIO(empty)).num_rows == 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_is_named_by_what_it_is(client, head, kind):
    answer = client.get(f"/api/v1/export?{ASKED}&format={kind}")
    name = f"smallprint-cookies-medical-travel-{head.policies}-policies-{head.made}.{kind}"
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'


@pytest.mark.parametrize("text", ['"; filename="x.exe', "../../etc/passwd", "é\r\nSet-Cookie: a=b", "x" * 300, "–"])
def test_no_query_gets_out_of_the_file_name(client, text):
    answer = client.get("/api/v1/export", params={"q": text, "format": "jsonl"})
    name = answer.headers["content-disposition"].removeprefix('attachment; filename="').removesuffix('"')
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.")
    assert name.startswith("smallprint-")
    assert len(name) < 110
    assert "set-cookie" not in answer.headers


def test_head_tells_id_and_name_and_makes_nothing(client, head, monkeypatch):
    monkeypatch.setattr(exports, "rows", lambda *_: pytest.fail("rows were read"))
    answer = client.head(f"/api/v1/export?{ASKED}")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["smallprint-export-id"] == head.export_id
    assert "content-length" not in answer.headers


# Again


@pytest.mark.parametrize("kind", KINDS)
def test_an_export_is_made_again_by_its_id(client, kind):
    first = client.get(f"/api/v1/export?{ASKED}&format={kind}&rank=date&match=all")
    again = client.get(f"/api/v1/export/{first.headers['smallprint-export-id']}?format={kind}")
    assert (again.status_code, again.content) == (200, first.content)
    assert again.headers["content-disposition"] == first.headers["content-disposition"]


def test_the_id_in_the_file_is_the_one_in_the_header(client):
    first = client.get(f"/api/v1/export?{ASKED}&format=jsonl")
    told = json.loads(first.text.splitlines()[0])["export"]
    assert told["export_id"] == first.headers["smallprint-export-id"]
    assert read_export_id(told["export_id"])[1] == REQUEST


def test_a_library_that_changed_is_told_and_may_be_taken_anyway(serve, copied, changed):
    client = serve(copied)
    first = client.get(f"/api/v1/export?{ASKED}&format=jsonl")
    number = first.headers["smallprint-export-id"]
    changed()
    again = client.get(f"/api/v1/export/{number}")
    assert (again.status_code, again.headers["content-type"]) == (409, "application/problem+json")
    assert "has changed since this export" in again.json()["detail"]
    assert client.head(f"/api/v1/export/{number}").status_code == 409
    anyway = client.get(f"/api/v1/export/{number}?anyway=1&format=jsonl")
    assert anyway.status_code == 200
    assert " (new)" in anyway.text
    assert " (new)" not in first.text
    assert anyway.headers["smallprint-export-id"] != number


@pytest.fixture
def pieces_of():
    """Return a function that begins an export; what it leaves open is closed at the end."""
    with ExitStack() as stack:

        def begin(path, client="a", kind="jsonl"):
            shelf = stack.enter_context(Shelf(Settings(library=path)))
            pieces = exporting._pieces(shelf.export_pieces(kind, shelf.heading(REQUEST), REQUEST), client)
            return stack.enter_context(closing(pieces))

        yield begin


@pytest.mark.parametrize("kind", KINDS)
def test_a_library_that_changes_in_between_is_no_export_of_what_it_was(copied, changed, kind, pieces_of):
    making = pieces_of(copied, kind=kind)
    assert next(making) == b""
    changed()
    with pytest.raises(LibraryChanged, match="while this export was being made"):
        list(making)


COLOUR = "0-" + base64.urlsafe_b64encode(zlib.compress(b"colour=blue")).decode()


@pytest.mark.parametrize("number", ["x", "abc-", "abc-!!!", "abc-" + "A" * 5000, COLOUR, "%00-%00"])
def test_what_is_no_id_is_not_found(client, number):
    answer = client.get(f"/api/v1/export/{number}")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert ("colour" if number == COLOUR else "is not the id of an export") in answer.json()["detail"]


# In nobody's way


@pytest.fixture
def slow_rows(monkeypatch):
    """Let the second row take its time, in pieces of one row; gives a list that grows with each row made."""
    made, real = [], exports.rows

    def slowly(*arguments):
        for row in real(*arguments):
            time.sleep(SECONDS * 1.2 if row.rank == 2 else 0)
            made.append(row.rank)
            yield row

    monkeypatch.setattr(exports, "rows", slowly)
    monkeypatch.setattr(exporting, "PIECE", 1)
    monkeypatch.setattr(exporting, "_slots", Slots(MAX_EXPORTS, MAX_CLIENT_EXPORTS))
    return made


@pytest.mark.slow
def test_an_export_is_sent_as_it_is_made_and_no_deadline_cuts_it(serve, annotated_sample, slow_rows, rows):
    client = serve(annotated_sample, serve_seconds=SECONDS)
    client.head(f"/api/v1/export?{ASKED}")  # so that the index is open
    started = time.monotonic()
    answer = client.get(f"/api/v1/export?{ASKED}&format=jsonl")
    assert time.monotonic() - started > SECONDS
    assert len(answer.text.splitlines()) == len(rows) + 1


def test_the_first_piece_does_not_wait_for_the_last_row(annotated_sample, slow_rows, pieces_of):
    making = pieces_of(annotated_sample)
    assert (next(making), slow_rows) == (b"", [])
    assert json.loads(next(making))["export"]
    assert json.loads(next(making))["rank"] == 1
    assert slow_rows == [1]
    making.close()


def test_readers_who_dawdle_keep_no_page_waiting(serve, annotated_sample, slow_rows, pieces_of):
    client = serve(annotated_sample)
    dawdling = [pieces_of(annotated_sample, f"client {number // 2}") for number in range(MAX_EXPORTS)]
    assert MAX_EXPORTS >= SIZE
    assert [next(pieces) + next(pieces) for pieces in dawdling]
    for _ in range(3):
        assert client.get("/api/v1/search?q=cookies").status_code == 200
    answer = client.get(f"/api/v1/export?{ASKED}")
    assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
    assert answer.json()["detail"].startswith("8 exports are being made")
    assert int(answer.headers["retry-after"]) > 0
    dawdling.pop().close()  # whoever goes away makes room
    assert client.get(f"/api/v1/export?{ASKED}").status_code == 200


def test_one_client_leaves_room_for_others(serve, annotated_sample, slow_rows, pieces_of):
    client = serve(annotated_sample)
    dawdling = [pieces_of(annotated_sample, "testclient") for _ in range(MAX_CLIENT_EXPORTS)]
    assert [next(one) for one in dawdling] == [b""] * MAX_CLIENT_EXPORTS
    answer = client.get(f"/api/v1/export?{ASKED}")
    assert (answer.status_code, int(answer.headers["retry-after"]) > 0) == (503, True)
    assert answer.json()["detail"].startswith("4 exports are being made for you")
    assert next(pieces_of(annotated_sample, "another")) == b""
    for making in dawdling:
        making.close()
    assert client.get(f"/api/v1/export?{ASKED}&format=jsonl").status_code == 200


def read_in(seconds_a_piece, pieces):
    """Read an export by a clock that moves only while a piece is being sent; return how many pieces came."""
    now, count = [0.0], 0

    async def reading():
        nonlocal count
        async for _ in exporting._sent(pieces, lambda: now[0]):
            count += 1
            now[0] += seconds_a_piece

    asyncio.run(reading())
    return count


def test_whoever_reads_too_slowly_for_long_is_cut_off():
    closed = []

    def pieces():
        try:
            for _ in range(300):
                yield b"x" * EXPORT_RATE
        finally:
            closed.append(True)

    assert read_in(1.0, pieces()) == 300
    with pytest.raises(TooSlow, match="read too slowly"):
        read_in(3.0, pieces())
    assert closed == [True, True]


def test_whoever_goes_away_stops_the_making(annotated_sample, monkeypatch):
    made, real = [], exports.rows

    def slowly(*arguments):
        for row in real(*arguments):
            time.sleep(0.1)
            made.append(row.rank)
            yield row

    monkeypatch.setattr(exports, "rows", slowly)
    monkeypatch.setattr(exporting, "PIECE", 1)
    monkeypatch.setattr(exporting, "_slots", Slots(1, 1))
    app = application(Settings(library=annotated_sample, serve_seconds=0), routers=[router])

    async def asking_and_leaving():
        asked, enough = [{"type": "http.request", "body": b""}], asyncio.Event()

        async def receive():
            if not asked:
                await enough.wait()
            return asked.pop() if asked else {"type": "http.disconnect"}

        async def send(message):
            assert message.get("status", 200) == 200
            if message.get("body", b"").startswith(b'{"rank": 2'):
                enough.set()

        await app(
            {"type": "http", "method": "GET", "path": "/api/v1/export", "query_string": b"format=jsonl",
             "headers": [(b"host", b"localhost")], "asgi": {"spec_version": "2.3"}, "client": ("127.0.0.1", 1)},
            receive, send,
        )  # fmt: skip

    with app.state.shelf:
        asyncio.run(asking_and_leaving())
    assert 2 <= len(made) < 30
    assert len(exporting._slots) == 0


def test_exports_at_once_are_all_whole(client):
    expected, found = client.get("/api/v1/export?q=data").content, []
    threads = [
        threading.Thread(target=lambda: found.append(client.get("/api/v1/export?q=data").content)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_a_library_that_is_gone_is_told_before_anything_is_sent(serve, copied):
    client = serve(copied)
    assert client.head(f"/api/v1/export?{ASKED}").status_code == 200
    copied.unlink()
    answer = client.get(f"/api/v1/export?{ASKED}")
    assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
    assert str(copied.parent) not in answer.text


# Places for exports


def test_places_for_one_client_and_for_all():
    slots = Slots(3, 2)
    with ExitStack() as held:
        held.enter_context(slots.place("a"))
        held.enter_context(slots.place("a"))
        with pytest.raises(TooManyExports, match=r"^2 exports are being made for you"):
            slots.check("a")
        held.enter_context(slots.place("b"))
        with pytest.raises(TooManyExports, match=r"^3 exports are being made; try again"), slots.place("b"):
            pass
        assert len(slots) == 3
    assert len(slots) == 0
    slots.check("a")


def test_a_place_is_free_again_whatever_happened_in_it():
    slots = Slots(1, 1)
    with pytest.raises(ValueError, match="broken"), slots.place("a"):
        raise ValueError("broken")
    with slots.place("a"):
        assert len(slots) == 1
