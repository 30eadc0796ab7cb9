from __future__ import annotations

import re
import time
from dataclasses import replace
from itertools import pairwise

import pytest

from smallprint.records import FrontierItem, Page
from smallprint.sources.robots import retry_after

from .trick_server import QUICK, Exchange, TrickServer, crawled, detail, fetched_one

URL = "http://shop.example/privacy"


@pytest.fixture
def server():
    with TrickServer() as server:
        server.page("shop.example/privacy")
        yield server


def test_what_is_disallowed_is_not_fetched(server):
    server.robots("shop.example", "User-agent: *", "Disallow: /privacy")
    assert detail(fetched_one(server, URL)) == "robots.txt of shop.example does not allow /privacy"
    assert server.visits("shop.example/privacy") == []


def test_rules_for_us_go_before_rules_for_all(server):
    server.robots("shop.example", "User-agent: *", "Disallow: /", "", "User-agent: smallprint", "Allow: /")
    assert isinstance(fetched_one(server, URL).result, Page)
    server.robots("shop.example", "User-agent: *", "Allow: /", "", "User-agent: Smallprint", "Disallow: /")
    assert "does not allow" in detail(fetched_one(server, URL))


@pytest.mark.parametrize("status", [204, 400, 401, 403, 404, 410])
def test_a_missing_robots_allows_everything(server, status):
    server.routes["shop.example/robots.txt"] = lambda exchange: exchange.reply(status, content_length="0")
    assert isinstance(fetched_one(server, URL).result, Page)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_robots_that_fails_closes_the_site_for_now(server, status):
    server.routes["shop.example/robots.txt"] = lambda exchange: exchange.reply(status)
    came = crawled(server, URL, "http://shop.example/other")
    for fetched in came.values():
        assert detail(fetched).startswith(f"robots.txt cannot be read: shop.example answered {status}")
        assert fetched.retry_at == pytest.approx(time.time() + 3_600, abs=60)
        assert fetched.outcome == "put off"
    assert len(server.visits("shop.example/robots.txt")) == 1 + QUICK.crawl_retries
    assert {visit.path for visit in server.log} == {"/robots.txt"}


def test_a_visit_is_not_put_off_for_ever(server):
    server.routes["shop.example/robots.txt"] = lambda exchange: exchange.reply(500)
    fetched = fetched_one(server, FrontierItem(URL, attempts=QUICK.crawl_retries))
    assert (fetched.retry_at, fetched.outcome) == (None, "not fetched")


def test_a_robots_that_fails_once_is_asked_again(server):
    server.routes["shop.example/robots.txt"] = lambda exchange: exchange.reply(404 if exchange.times else 500)
    assert isinstance(fetched_one(server, URL).result, Page)


def test_a_robots_that_drips_closes_the_site_for_now(server):
    def drip(exchange: Exchange) -> None:
        exchange.head("Content-Type: text/plain")
        while True:
            exchange.send(b"#")
            time.sleep(0.02)

    server.routes["shop.example/robots.txt"] = drip
    fetched = fetched_one(server, URL, replace(QUICK, crawl_page_seconds=0.2, crawl_retries=1))
    assert detail(fetched) == "robots.txt cannot be read: shop.example took longer than 0.2 s for it"
    assert fetched.retry_at


def test_robots_is_asked_for_once_an_origin(server):
    urls = [f"http://shop.example/{number}" for number in range(5)]
    crawled(server, *urls, "http://other.example/1")
    assert len(server.visits("shop.example/robots.txt")) == 1
    assert len(server.visits("other.example/robots.txt")) == 1


def test_redirects_of_robots_are_followed_to_other_hosts(server):
    server.redirect("shop.example/robots.txt", "http://cdn.example/robots/shop.txt")
    server.page("cdn.example/robots/shop.txt", "User-agent: *\nDisallow: /privacy\n", content_type="text/plain")
    assert "does not allow" in detail(fetched_one(server, URL))


def test_a_robots_that_redirects_for_ever_counts_as_missing(server):
    server.redirect("shop.example/robots.txt", "/robots.txt")
    assert isinstance(fetched_one(server, URL).result, Page)
    assert len(server.visits("shop.example/robots.txt")) == 6


@pytest.mark.parametrize("target", ["http://10.0.0.1/robots.txt", "http://169.254.169.254/", "file:///etc/passwd"])
def test_a_robots_that_redirects_inside_is_not_followed(server, target):
    server.redirect("shop.example/robots.txt", target)
    assert re.search("where nothing is fetched|no public address", detail(fetched_one(server, URL)))
    assert server.visits("shop.example/privacy") == []


def test_a_large_robots_is_read_as_far_as_the_limit(server):
    server.robots(
        "shop.example", "User-agent: *", "Disallow: /privacy", *["# padding" * 10] * 20_000, "Allow: /privacy"
    )
    assert "does not allow" in detail(fetched_one(server, URL))


def test_a_robots_made_to_exhaust_us_is_not_parsed(server):
    agents = [f"User-agent: a{number}\nSitemap: x" for number in range(4_000)]
    server.robots("shop.example", *agents, *[f"Disallow: /{number}" for number in range(4_000)])
    assert detail(fetched_one(server, URL)).endswith("it has more rules than anybody could follow")


def test_an_odd_robots_is_no_obstacle(server):
    server.page(
        "shop.example/robots.txt", b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /x\r\n\xff\xfe\x00", content_type=""
    )
    assert isinstance(fetched_one(server, URL).result, Page)
    assert "does not allow /x" in detail(fetched_one(server, "http://shop.example/x"))


def test_the_longer_of_crawl_delay_and_ours_is_kept(server):
    server.robots("shop.example", "User-agent: *", "Crawl-delay: 0.3")
    crawled(server, URL, "http://shop.example/2", "http://shop.example/3")
    pages = [visit.started for visit in server.log if visit.path != "/robots.txt"]
    assert all(after - before >= 0.29 for before, after in pairwise(pages))
    assert len(pages) == 3


def test_a_crawl_delay_longer_than_we_wait_puts_the_rest_off(server):
    server.robots("shop.example", "User-agent: *", "Crawl-delay: 900")
    came = crawled(server, URL, "http://shop.example/2")
    assert isinstance(came[URL].result, Page)
    assert detail(came["http://shop.example/2"]) == "shop.example wants 900 s between requests"
    assert came["http://shop.example/2"].retry_at == pytest.approx(time.time() + 900, abs=60)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("0", 0.0),
        (" 7 ", 7.0),
        ("9" * 400, 1e9),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 99 Oct 2015 07:28:00 GMT", None),
    ],
)
def test_retry_after(value, seconds):
    assert retry_after(value) == seconds
