"""What the API says of itself, and what holds for all of it: methods, errors in one form, limits, other sites."""

from __future__ import annotations

import pytest

from smallprint.errors import BadSetting
from smallprint.index.fields import FACETS
from smallprint.server.failures import WORDS
from smallprint.settings import load
from smallprint.web.app import OPENAPI

PATHS = {
    "/api/v1/search", "/api/v1/facets", "/api/v1/policies/{policy_id}", "/api/v1/policies/{policy_id}/text",
    "/api/v1/policies/{policy_id}/segments", "/api/v1/policies/{policy_id}/annotations", "/api/v1/statistics",
    "/api/v1/export", "/api/v1/export/{export_id}", "/api/v1/ask", "/api/v1/chat", "/api/v1/compare",
    "/api/v1/policies",
    "/api/v1/policies/{policy_id}/diff", "/api/v1/policies/{policy_id}/evidence", "/api/v1/rejections",
}  # fmt: skip
# One address for each.
ASKED = [
    "search?q=cookies", "facets", "policies/tidemarkbank.example", "policies/tidemarkbank.example/text",
    "policies/tidemarkbank.example/segments", "policies/tidemarkbank.example/annotations", "statistics", "export",
    "ask?policy=tidemarkbank.example&question=cookies", "compare?policy=tidemarkbank.example&policy=nestchat.example",
    "policies/tidemarkbank.example/diff", "policies/tidemarkbank.example/evidence", "rejections",
]  # fmt: skip


@pytest.fixture
def described(client):
    answer = client.get(OPENAPI)
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def is_problem(answer, status):
    found = answer.json()
    return (
        (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
        and set(found) == {"status", "title", "detail"}
        and (found["status"], found["title"]) == (status, WORDS[status].headline)
    )


def test_every_endpoint_is_described_whole(described):
    assert set(described["paths"]) == PATHS
    # A question may be too long for an address.
    posted = {path: set(methods) for path, methods in described["paths"].items() if set(methods) != {"get"}}
    assert posted == {"/api/v1/ask": {"get", "post"}, "/api/v1/chat": {"post"}, "/api/v1/policies": {"post"}}
    operations = [(path, one) for path, methods in described["paths"].items() for one in methods.values()]
    for path, one in operations:
        assert one["summary"], path
        assert one["description"].endswith("."), path
        assert all(parameter["description"] for parameter in one.get("parameters", [])), path
        assert {"200", "400", "429", "4XX", "500", "503"} <= set(one["responses"]), path
        assert "422" not in one["responses"], path
        assert ("404" in one["responses"]) == (
            "{" in path or path in {"/api/v1/ask", "/api/v1/chat", "/api/v1/compare"}
        ), path
        for status, answer in one["responses"].items():
            if status[0] in "45":
                assert set(answer["content"]) == {"application/problem+json"}, path
    for name, record in described["components"]["schemas"].items():
        assert record.get("description", "").endswith("."), name
    names = [one["operationId"] for _, one in operations]
    assert len(set(names)) == len(names)


def test_values_and_limits_are_described(described):
    found = {one["name"]: one["schema"] for one in described["paths"]["/api/v1/search"]["get"]["parameters"]}
    for facet in FACETS:
        listed = found[facet.key]["items"].get("enum")
        assert listed == ([choice.value for choice in facet.choices()] or None), facet.key
    assert (found["page"]["minimum"], found["page"]["maximum"]) == (1, 100)
    assert (found["size"]["maximum"], found["size"]["default"]) == (100, 10)
    assert found["year"]["items"]["pattern"] == "^[0-9]{4}$"
    assert "anyOf" not in found["grade"]
    assert found["in"]["enum"] == ["text", "url"]


@pytest.mark.parametrize("path", ASKED)
def test_head_answers_like_get_without_a_body(client, path):
    got, head = client.get(f"/api/v1/{path}"), client.head(f"/api/v1/{path}")
    assert (head.status_code, head.content) == (200, b"")
    changing = {"content-length"} if path == "search?q=cookies" else set()  # it says how long it took
    assert {name: value for name, value in head.headers.items() if name not in changing} == {
        name: value for name, value in got.headers.items() if name not in changing
    }


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("path", ASKED)
def test_other_methods_are_refused(client, path, method):
    is_ask = path.startswith("ask")
    answer = client.request(method, f"/api/v1/{path}")
    assert is_problem(answer, 400 if is_ask and method == "POST" else 405)
    if answer.status_code == 405:
        assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD", *(["POST"] if is_ask else [])}


@pytest.mark.parametrize("path", ASKED)
def test_what_is_unknown_is_refused(client, path):
    joint = "&" if "?" in path else "?"
    answer = client.get(f"/api/v1/{path}{joint}colour=blue")
    assert is_problem(answer, 400)
    assert "colour" in answer.json()["detail"].lower()


def test_errors_of_all_kinds_have_one_form(client, serve, annotated_sample, tmp_path):
    assert is_problem(client.get("/api/v1/nothing"), 404)
    assert is_problem(client.get("/api/v2/search"), 404)
    assert is_problem(client.get("/api/v1/policies/nobody.example"), 404)
    assert is_problem(client.get("/api/v1/search?q=" + "x" * 8000), 414)
    assert is_problem(client.get("/api/v1/search", headers={"Host": "evil.example"}), 421)
    large = serve(annotated_sample, serve_body_bytes=10)
    assert is_problem(large.request("GET", "/api/v1/search", content=b"x" * 11), 413)
    assert is_problem(large.post("/api/v1/search", content=b"x" * 11), 413)
    assert is_problem(serve(tmp_path / "none.db").get("/api/v1/statistics"), 503)
    limited = serve(annotated_sample, serve_rate=2)
    assert [limited.get("/api/v1/statistics").status_code for _ in range(2)] == [200, 200]
    refused = limited.get("/api/v1/statistics")
    assert is_problem(refused, 429)
    assert int(refused.headers["retry-after"]) > 0


def test_what_nobody_foresaw_is_a_problem_without_its_words(client, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("/home/somebody")

    monkeypatch.setattr("smallprint.api.resources.as_plain", broken)
    answer = client.get("/api/v1/search?q=secret")
    assert is_problem(answer, 500)
    assert [one for one in ("somebody", "secret", "ZeroDivision") if one in answer.text] == []


def test_an_answer_that_takes_too_long_is_given_up(serve, annotated_sample, monkeypatch):
    import time

    monkeypatch.setattr("smallprint.api.resources.as_plain", lambda *_: time.sleep(1))
    answer = serve(annotated_sample, serve_seconds=0.2).get("/api/v1/search?q=cookies")
    assert is_problem(answer, 503)
    assert answer.headers["retry-after"]


def test_what_people_look_for_is_kept_by_no_cache(client):
    for path in ASKED:
        assert client.get(f"/api/v1/{path}").headers["cache-control"] == "no-store"


# Scripts of other sites

SITE = {"Origin": "https://notebook.example"}
PREFLIGHT = {**SITE, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "if-none-match"}


def allowed(answer):
    return answer.headers.get("access-control-allow-origin")


def test_no_other_site_may_read_unless_it_is_named(client, serve, annotated_sample):
    assert allowed(client.get("/api/v1/statistics", headers=SITE)) is None
    assert is_problem(client.options("/api/v1/statistics", headers=PREFLIGHT), 405)
    named = serve(annotated_sample, serve_cors="https://notebook.example, http://localhost:8888")
    answer = named.get("/api/v1/statistics", headers=SITE)
    assert allowed(answer) == "https://notebook.example"
    assert "Smallprint-Export-Id" in answer.headers["access-control-expose-headers"]
    assert "access-control-allow-credentials" not in answer.headers
    assert allowed(named.get("/api/v1/statistics", headers={"Origin": "http://localhost:8888"}))
    assert allowed(named.get("/api/v1/statistics", headers={"Origin": "https://evil.example"})) is None
    assert allowed(named.get("/api/v1/nothing", headers=SITE)) == "https://notebook.example"
    ahead = named.options("/api/v1/statistics", headers=PREFLIGHT)
    assert (ahead.status_code, allowed(ahead)) == (200, "https://notebook.example")
    assert (
        named.options("/api/v1/statistics", headers={**PREFLIGHT, "Origin": "https://evil.example"}).status_code == 400
    )
    assert allowed(serve(annotated_sample, serve_cors="*").get("/api/v1/statistics", headers=SITE)) == "*"


def test_pages_are_never_read_by_other_sites(serve, annotated_sample):
    client = serve(annotated_sample, serve_cors="*")
    for path in ("/", "/about", "/statistics"):
        assert allowed(client.get(path, headers=SITE)) is None


@pytest.mark.parametrize("wrong", ["notebook.example", "https://a.example/path", "ftp://a.example", "null", "https://"])
def test_a_site_that_cannot_be_one_is_told(wrong):
    with pytest.raises(BadSetting, match="serve_cors"):
        load({"SMALLPRINT_SERVE_CORS": f"https://good.example,{wrong}"})


@pytest.mark.parametrize("right", ["", "*", "https://a.example", "http://localhost:8888, http://[::1]:9"])
def test_sites_that_can_be_named(right):
    assert load({"SMALLPRINT_SERVE_CORS": right}).serve_cors == right
