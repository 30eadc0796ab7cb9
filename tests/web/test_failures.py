"""Errors as answers: the right status, calm words, no traceback, and a time limit."""

from __future__ import annotations

import logging
import threading
import time

import pytest
from fastapi import APIRouter
from starlette.responses import StreamingResponse

from smallprint import errors
from smallprint.server.dependencies import ShelfHere
from smallprint.server.failures import STATUS, WORDS, status_of

router = APIRouter()
HOSTILE = "<script>alert('x')</script>"


class BadQuery(errors.BadSetting):
    """An error that the table does not name."""


RAISED = {
    "setting": errors.BadSetting(f"in {HOSTILE}"),
    "query": BadQuery("in the query"),
    "policy": errors.NoSuchPolicy(f"the library has no policy {HOSTILE!r}"),
    "address": errors.BadAddress("no address"),
    "fetched": errors.NotFetched("https://a.example answered 500"),
    "busy": errors.LibraryBusy("/home/somebody/library.db is in use"),
    "model": errors.NoModel("/home/somebody/weights is missing"),
    "slow": errors.TooSlow("this took longer than 20 seconds; ask for less"),
    "bug": ZeroDivisionError("/home/somebody"),
}


@router.get("/raise/{name}")
@router.get("/api/v1/raise/{name}")
def raising(name: str) -> None:
    raise RAISED[name]


@router.get("/number")
def number(page: int) -> None: ...


RELEASED = threading.Event()


@router.get("/wait/{seconds}")
def wait(seconds: float) -> str:
    """Wait until the test lets go, or for so many seconds."""
    return "released" if RELEASED.wait(seconds) else "waited"


@router.get("/query")
def query(shelf: ShelfHere) -> None:
    with shelf.pool.library() as library:
        library.db.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n")


@router.get("/drip")
def drip() -> StreamingResponse:
    def parts():
        for _ in range(6):
            time.sleep(0.1)
            yield b"drop "

    return StreamingResponse(parts())


@router.get("/breaking-off")
def breaking_off() -> StreamingResponse:
    def parts():
        yield b"begun"
        raise ZeroDivisionError

    return StreamingResponse(parts())


@pytest.fixture
def client(serve, annotated_library):
    """Give a site that has time: the first page of a process is slow where the machine is busy."""
    return serve(annotated_library.path, routers=[router], serve_rate=0, serve_seconds=20)


@pytest.fixture
def hurried(serve, annotated_library):
    """Give a site that has next to none."""
    return serve(annotated_library.path, routers=[router], serve_rate=0, serve_seconds=0.4)


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("setting", 400, "In &lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;."),
        ("query", 400, "In the query."),
        ("policy", 404, "The library has no policy &#34;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&#34;."),
        ("address", 400, "No address."),
        ("fetched", 502, "Https://a.example answered 500."),
        ("busy", 503, WORDS[503].advice),
        ("model", 500, WORDS[500].advice),
        ("slow", 503, "This took longer than 20 seconds; ask for less."),
        ("bug", 500, WORDS[500].advice),
    ],
)
def test_an_error_is_a_page(client, name, code, words):
    answer = client.get(f"/raise/{name}")
    assert answer.status_code == code
    assert words in answer.text
    assert f"<h1>{WORDS[code].headline}</h1>" in answer.text
    for secret in ("Traceback", "/home/", "<script>alert", "ZeroDivision", ".py"):
        assert secret not in answer.text


@pytest.mark.parametrize(("name", "wait"), [("busy", "5"), ("slow", "5"), ("model", None), ("policy", None)])
def test_what_passes_by_itself_says_when_to_ask_again(client, name, wait):
    assert client.get(f"/raise/{name}").headers.get("retry-after") == wait


@pytest.mark.parametrize(("name", "code"), [("policy", 404), ("busy", 503), ("bug", 500)])
def test_under_api_an_error_is_a_problem(client, name, code):
    answer = client.get(f"/api/v1/raise/{name}")
    assert (answer.status_code, answer.headers["content-type"]) == (code, "application/problem+json")
    found = answer.json()
    assert (found["status"], found["title"]) == (code, WORDS[code].headline)
    assert "/home/" not in answer.text


def test_a_wrong_parameter_is_told(client):
    for path in ("/number?page=x", "/number"):
        answer = client.get(path)
        assert answer.status_code == 400
        assert "Page: " in answer.text


def test_a_path_that_is_not_there_is_not_repeated(client):
    answer = client.get(f"/{HOSTILE}")
    assert answer.status_code == 404
    assert "alert" not in answer.text


def every_error(kind=errors.SmallprintError):
    for one in kind.__subclasses__():
        if one.__module__ == "smallprint.errors":
            yield one
            yield from every_error(one)


def test_every_error_has_a_status_and_every_status_its_words():
    found = {one.__name__: status_of(one("x")) for one in every_error()}
    assert found["NoSuchPolicy"] == 404
    assert found["LibraryFull"] == found["LibraryTooNew"] == 503
    assert set(found.values()) <= set(WORDS)
    assert set(STATUS.values()) <= set(WORDS)


def test_whoever_runs_the_server_learns_where_it_failed_but_nothing_of_the_request(client, caplog):
    with caplog.at_level(logging.DEBUG):
        client.get("/raise/bug?q=my+secret+disease")
    (line,) = [record.getMessage() for record in caplog.records if record.name == "smallprint.web"]
    assert line.startswith("smallprint: ZeroDivisionError at ")
    logged = " ".join(record.getMessage() for record in caplog.records if not record.name.startswith("httpx"))
    assert "secret" not in logged


# Time


def test_a_page_that_takes_too_long_is_given_up(hurried):
    RELEASED.clear()
    answer = hurried.get("/wait/60")  # which is still waiting when the answer comes
    RELEASED.set()
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "Not available right now" in answer.text
    assert hurried.get("/wait/0").text == '"released"'


def test_a_query_that_takes_too_long_is_ended_itself(hurried):
    for _ in range(12):  # more than there are connections: they must come back
        assert hurried.get("/query").status_code == 503
    # On a busy machine a page may take too long now and then.
    assert 200 in {hurried.get("/").status_code for _ in range(5)}


def test_what_has_begun_may_take_its_time(hurried):
    assert hurried.get("/drip").text == "drop " * 6


def test_what_fails_after_it_has_begun_ends_the_connection(client):
    with pytest.raises(ZeroDivisionError):
        client.get("/breaking-off")


# Libraries that cannot be used


def test_a_library_that_is_gone_is_a_calm_page(serve, tmp_path):
    client = serve(tmp_path / "none.db")
    answer = client.get("/")
    assert answer.status_code == 503
    assert str(tmp_path) not in answer.text
    assert client.get("/about").status_code == 200
