from __future__ import annotations

import pytest

from smallprint.web.rates import Buckets, client_of


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


def test_too_many_requests_are_told_when_to_come_back(serve, annotated_library):
    client = serve(annotated_library.path, serve_rate=3)
    codes = [client.get("/about") for _ in range(4)]
    assert [answer.status_code for answer in codes] == [200, 200, 200, 429]
    assert 1 <= int(codes[3].headers["retry-after"]) <= 20
    assert "Too many requests" in codes[3].text
    assert client.get("/static/smallprint.css").status_code == 200
    problem = client.get("/api/v1/openapi.json")
    assert (problem.status_code, problem.headers["content-type"]) == (429, "application/problem+json")


def test_no_limit(serve, annotated_library):
    client = serve(annotated_library.path, serve_rate=0)
    assert {client.get("/privacy").status_code for _ in range(50)} == {200}
