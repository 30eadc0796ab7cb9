from __future__ import annotations

from pathlib import Path

import pytest

from smallprint.server.middleware.rates import PRICES, Buckets, client_of, price_of


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_gives_a_minutes_worth_at_once_and_then_as_it_fills():
    clock = Clock()
    buckets = Buckets(6, clock=clock)
    assert [buckets.take("a") for _ in range(6)] == [0] * 6
    assert buckets.take("a") == pytest.approx(10)
    clock.now += 4
    assert buckets.take("a") == pytest.approx(6)
    clock.now += 6
    assert buckets.take("a") == 0
    assert buckets.take("a") == pytest.approx(10)
    assert buckets.take("b") == 0


def test_a_refused_request_takes_nothing():
    clock = Clock()
    buckets = Buckets(1, clock=clock)
    assert buckets.take("a") == 0
    for _ in range(59):
        clock.now += 1
        assert buckets.take("a") > 0
    clock.now += 1
    assert buckets.take("a") == 0


def test_a_bucket_never_holds_more_than_a_minutes_worth():
    clock = Clock()
    buckets = Buckets(3, clock=clock)
    buckets.take("a")
    clock.now += 50_000
    assert [buckets.take("a") > 0 for _ in range(4)] == [False, False, False, True]


def test_only_so_many_clients_are_remembered_and_the_quiet_are_forgotten():
    clock = Clock()
    buckets = Buckets(2, clients=100, clock=clock)
    for number in range(1000):
        buckets.take(f"client {number}")
    assert len(buckets) == 100
    clock.now += 61
    buckets.take("a new one")
    assert len(buckets) == 1


@pytest.mark.parametrize(
    ("host", "client"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::1"),
        ("testclient", "testclient"),
    ],
)
def test_who_asks(host, client):
    assert client_of({"client": (host, 1234)}) == client


def test_who_asks_without_a_name():
    assert client_of({"client": None}) == "unknown"


def test_what_is_dear_takes_more_and_never_more_than_a_bucket():
    clock = Clock()
    buckets = Buckets(60, clock=clock)
    assert [buckets.take("a", 20) for _ in range(3)] == [0] * 3
    assert buckets.take("a", 20) == pytest.approx(20)
    assert buckets.wait("a") == pytest.approx(1)
    assert buckets.wait("b") == 0
    clock.now += 1
    assert (buckets.wait("a"), buckets.take("a", 1)) == (0, 0)
    assert buckets.take("b", 1000) == 0
    assert buckets.take("b", 1000) == pytest.approx(60)


@pytest.mark.parametrize(
    ("method", "path", "query", "points"),
    [
        ("GET", "/static/smallprint.css", b"v=1", 0),
        ("GET", "/", b"", 1),
        ("GET", "/search", b"q=cookies", 1),
        ("GET", "/api/v1/search", b"q=cookies", 1),
        ("GET", "/policies/a.example-1", b"question=x", 1),
        ("GET", "/ask", b"", 1),
        ("GET", "/ask", b"q=x", 5),
        ("POST", "/ask", b"", 5),
        ("HEAD", "/policies/a.example-1/ask", b"question=x", 5),
        ("GET", "/policies/a.example-1/ask", b"", 1),
        ("POST", "/api/v1/ask", b"", 5),
        ("GET", "/api/v1/ask", b"question=x", 5),
        ("POST", "/api/v1/chat", b"", 5),
        ("GET", "/compare", b"policy=a&policy=b", 3),
        ("GET", "/policies/a.example-1/diff", b"", 3),
        ("POST", "/read", b"", 20),
        ("POST", "/read", b"x=1", 20),
        ("GET", "/read/abc", b"", 5),
        ("POST", "/read/abc/forget", b"", 5),
        ("POST", "/keep", b"", 40),
        ("POST", "/sign-in", b"", 20),
        ("GET", "/sign-in", b"", 1),
        ("GET", "/api/v1/export", b"format=csv", 20),
        ("GET", "/api/v1/export/1-abc", b"", 20),
        ("GET", "/a\nb", b"", 1),
    ],
)
def test_prices(method, path, query, points):
    assert price_of({"method": method, "path": path, "query_string": query}) == points


def test_the_prices_stand_in_the_documentation():
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    assert [f"| {price.what} | {price.points} |" in page for price in PRICES] == [True] * len(PRICES)


def test_too_many_requests_are_told_when_to_come_back(serve, annotated_library):
    client = serve(annotated_library.path, serve_rate=3)
    codes = [client.get("/about") for _ in range(4)]
    assert [answer.status_code for answer in codes] == [200, 200, 200, 429]
    assert 1 <= int(codes[3].headers["retry-after"]) <= 20
    assert "Too many requests" in codes[3].text
    assert f"Come back in {codes[3].headers['retry-after']} second" in codes[3].text
    assert client.get("/static/smallprint.css").status_code == 200
    problem = client.get("/api/v1/openapi.json")
    assert (problem.status_code, problem.headers["content-type"]) == (429, "application/problem+json")


def test_no_limit(serve, annotated_library):
    client = serve(annotated_library.path, serve_rate=0)
    assert {client.get("/privacy").status_code for _ in range(50)} == {200}
