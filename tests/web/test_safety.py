"""What every answer carries, and what is refused."""

from __future__ import annotations

import pytest
from fastapi import APIRouter, Request

from smallprint.server.middleware.safety import HEADERS, name_of
from smallprint.web.rendering import static

router = APIRouter()


@router.post("/size")
async def size(request: Request) -> dict[str, int]:
    return {"size": len(await request.body())}


@router.get("/broken")
def broken() -> None:
    raise ZeroDivisionError("with a secret")


@pytest.fixture
def open_client(serve, annotated_library):
    return serve(annotated_library.path, routers=[router], serve_rate=0, serve_body_bytes=1000, serve_query_bytes=200)


ASKED = {
    "a page": ("GET", "/", 200),
    "a static file": ("GET", static("smallprint.css"), 200),
    "a script": ("GET", static("htmx-2.0.11.min.js"), 200),
    "no page": ("GET", "/nowhere", 404),
    "no static file": ("GET", "/static/nothing.css", 404),
    "out of the static folder": ("GET", "/static/..%2frendering.py", 404),
    "a wrong method": ("DELETE", "/", 405),
    "a failure": ("GET", "/broken", 500),
    "a long query": ("GET", "/?q=" + "x" * 200, 414),
    "a long path": ("GET", "/" + "x" * 300, 414),
    "a large body": ("POST", "/size", 413),
    "the schema": ("GET", "/api/v1/openapi.json", 200),
    "a missing endpoint": ("GET", "/api/v1/nothing", 404),
}


@pytest.mark.parametrize("asked", ASKED)
def test_every_answer_carries_the_headers(open_client, asked):
    method, path, code = ASKED[asked]
    answer = open_client.request(method, path, content=b"x" * 2000 if asked == "a large body" else None)
    assert answer.status_code == code
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert "server" not in answer.headers
    assert "set-cookie" not in answer.headers


def test_the_content_policy_allows_nothing_inline_and_nobody_else(client):
    rules = dict(part.split(" ", 1) for part in client.get("/").headers["content-security-policy"].split("; "))
    assert rules == {
        "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self' data:",
        "connect-src": "'self'", "form-action": "'self'", "base-uri": "'none'", "frame-ancestors": "'none'",
    }  # fmt: skip
    assert "unsafe" not in str(rules)


def test_pages_are_kept_by_no_cache(client):
    assert client.get("/").headers["cache-control"] == "no-store"


# Sizes


@pytest.mark.parametrize(("size", "code"), [(0, 200), (1000, 200), (1001, 413)])
def test_a_body_that_says_its_size(open_client, size, code):
    answer = open_client.post("/size", content=b"x" * size)
    assert answer.status_code == code
    if code == 200:
        assert answer.json() == {"size": size}


@pytest.mark.parametrize(("parts", "code"), [(10, 200), (11, 413)])
def test_a_body_that_does_not_say_its_size(open_client, parts, code):
    answer = open_client.post("/size", content=(b"x" * 100 for _ in range(parts)))
    assert "content-length" not in answer.request.headers
    assert answer.status_code == code
    if code == 200:
        assert answer.json() == {"size": 1000}


@pytest.mark.parametrize("claimed", ["-1", "many", "9" * 5000])
def test_a_body_that_lies_about_its_size(open_client, claimed):
    assert open_client.post("/size", content=b"x", headers={"Content-Length": claimed}).status_code == 413


def test_the_longest_query_is_answered_and_one_more_is_not(open_client):
    assert open_client.get("/?q=" + "x" * 198).status_code == 200
    assert open_client.get("/?q=" + "x" * 199).status_code == 414


# Names


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("localhost", 200), ("localhost:8017", 200), ("LOCALHOST.:1", 200), ("127.0.0.1:9", 200), ("[::1]:8017", 200),
        ("evil.example", 421), ("evil.example:8017", 421), ("localhost.evil.example", 421), ("127.0.0.1.x.test", 421),
        ("[::2]", 421), ("", 421), ("localhost@evil.example", 421), ("notlocalhost", 421),
    ],
)  # fmt: skip
def test_only_known_names_are_answered(client, host, code):
    assert client.get("/about", headers={"Host": host}).status_code == code
    assert client.get("/static/smallprint.css", headers={"Host": host}).status_code == code


def test_names_may_be_added(serve, annotated_library):
    client = serve(annotated_library.path, serve_hosts="policies.example, [fe80::1]:80", serve_host="10.1.2.3")
    for host, code in (
        ("policies.example:8017", 200), ("Policies.Example", 200), ("[fe80::1]", 200), ("10.1.2.3", 200),
        ("localhost", 200), ("other.example", 421),
    ):  # fmt: skip
        assert client.get("/about", headers={"Host": host}).status_code == code, host
    every = serve(annotated_library.path, serve_hosts="*")
    assert every.get("/about", headers={"Host": "any.example"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "name"),
    [("a.example:80", "a.example"), ("[::1]:80", "::1"), ("::1", "::1"), ("A.", "a"), (":80", ""), ("[", "")],
)
def test_the_name_in_a_host_header(host, name):
    assert name_of(host) == name


# Forms


LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
SCRIPT = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}


@pytest.mark.parametrize(
    ("headers", "form", "page"),
    [
        ({}, 200, 200),  # no browser
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 200, 200),
        ({"Sec-Fetch-Site": "none"}, 200, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8017"}, 403, 403),
        (LINK, 403, 200),
        ({**LINK, "Sec-Fetch-Site": "same-site"}, 403, 200),
        ({**LINK, "Sec-Fetch-Dest": "iframe"}, 403, 403),
        ({**LINK, "Sec-Fetch-Mode": "no-cors"}, 403, 403),
        (SCRIPT, 403, 403),
        ({"Sec-Fetch-Site": "nonsense"}, 403, 403),
        ({"Origin": "http://localhost:8017"}, 200, 200),
        ({"Origin": "http://localhost:3000"}, 403, 200),  # an old browser
        ({"Origin": "https://evil.example"}, 403, 200),
        ({"Origin": "null"}, 403, 200),
    ],
)
def test_other_sites_may_link_here_and_nothing_else(open_client, headers, form, page):
    assert open_client.post("/size", content=b"x", headers=headers).status_code == form
    for path in ("/about", "/static/smallprint.css", "/api/v1/openapi.json"):
        assert open_client.get(path, headers=headers).status_code == page


@pytest.mark.parametrize(
    ("named", "origin", "code"),
    [
        ("https://notebook.example", "https://notebook.example", 200),
        ("https://notebook.example", "https://evil.example", 403),
        ("https://notebook.example", None, 403),
        ("*", "https://evil.example", 200),
    ],
)
def test_scripts_of_named_sites_may_read_the_api_and_no_page(serve, annotated_library, named, origin, code):
    client = serve(annotated_library.path, serve_cors=named)
    headers = {**SCRIPT, **({"Origin": origin} if origin else {})}
    assert client.get("/api/v1/openapi.json", headers=headers).status_code == code
    assert client.get("/about", headers=headers).status_code == 403
    assert client.post("/api/v1/chat", json={"said": "x"}, headers=headers).status_code == 403
