from __future__ import annotations

import email.utils
import gzip
import socket
import time
import zlib
from dataclasses import replace

import brotli
import pytest
import zstandard

from smallprint.errors import BadSetting
from smallprint.records import FrontierItem, Page, Reason
from smallprint.sources.crawler import crawl_pages
from smallprint.sources.guard import Network

from .trick_server import (
    NO_AUTHORITIES,
    QUICK,
    Exchange,
    MemoryFrontier,
    Names,
    TrickServer,
    Wire,
    crawled,
    detail,
    fetched_one,
    network_of,
)

ADDRESS = "shop.example/privacy"
URL = f"http://{ADDRESS}"
ONCE = replace(QUICK, crawl_retries=0)
TEXT = "<h1>Privacy policy</h1>" + "<p>We keep what you give us.</p>" * 50


@pytest.fixture
def server():
    with TrickServer() as server:
        yield server


def test_a_page_arrives_as_it_is(server):
    server.page(ADDRESS, TEXT, etag='"v1"', last_modified="Wed, 21 Oct 2015 07:28:00 GMT")
    fetched = fetched_one(server, URL)
    assert isinstance(fetched.result, Page)
    assert fetched.result == Page(URL, TEXT.encode(), "html", "crawl", fetched.result.fetched_at, charset="utf-8")
    assert (fetched.etag, fetched.last_modified) == ('"v1"', "Wed, 21 Oct 2015 07:28:00 GMT")
    assert (fetched.outcome, fetched.notes, fetched.links) == ("page", (), ())


def test_the_request_says_who_is_asking(server):
    server.page(ADDRESS)
    fetched_one(server, URL, replace(QUICK, crawl_user_agent="Smallprint/9 (+https://lab.example/)"))
    headers = server.visits(ADDRESS)[0].headers
    assert headers["user-agent"] == "Smallprint/9 (+https://lab.example/)"
    assert headers["host"] == "shop.example"
    assert headers["accept-encoding"] == "gzip, deflate, br, zstd"
    assert not {"cookie", "authorization", "referer", "if-none-match"} & set(headers)


def test_a_user_agent_that_cannot_be_sent_is_a_bad_setting(server):
    with pytest.raises(BadSetting, match="crawl_user_agent"):
        fetched_one(server, URL, replace(QUICK, crawl_user_agent="Smallprint\r\nX: y"))


# Content types and charsets


@pytest.mark.parametrize(
    ("content_type", "kind", "charset"),
    [
        ("text/html", "html", None),
        ("TEXT/HTML; Charset=ISO-8859-1", "html", "iso-8859-1"),
        ('application/xhtml+xml; charset="utf-8"', "html", "utf-8"),
        ("text/plain; charset=windows-1252", "text", "windows-1252"),
        ("text/html; charset=no-such-thing", "html", "no-such-thing"),
        ("", "html", None),
    ],
)
def test_the_charset_is_what_the_header_claims(server, content_type, kind, charset):
    server.page(ADDRESS, "<p>café".encode(), content_type=content_type)
    page = fetched_one(server, URL).result
    assert isinstance(page, Page)
    assert (page.kind, page.charset, page.content) == (kind, charset, "<p>café".encode())


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "application/json", "text/css"])
def test_what_is_no_page_is_turned_away_unread(server, kind):
    def endless(exchange: Exchange) -> None:
        exchange.head(f"Content-Type: {kind}")
        while True:
            exchange.send(bytes(1_000))

    server.routes[ADDRESS] = endless
    assert detail(fetched_one(server, URL)) == f"is {kind}, not a page"


def test_bytes_without_a_type_are_turned_away(server):
    server.page(ADDRESS, bytes(range(256)), content_type="")
    assert detail(fetched_one(server, URL)) == "does not say what it is, and is not text"


# Statuses


@pytest.mark.parametrize(("status", "name"), [(404, "404 Not Found"), (403, "403 Forbidden"), (410, "410 Gone")])
def test_client_errors_are_final(server, status, name):
    server.routes[ADDRESS] = lambda exchange: exchange.reply(status)
    fetched = fetched_one(server, URL)
    assert detail(fetched) == f"shop.example answered {name}"
    assert (fetched.result.reason, fetched.outcome, fetched.retry_at) == (Reason.NOT_FETCHED, "not fetched", None)
    assert len(server.visits(ADDRESS)) == 1


@pytest.mark.parametrize(
    ("status", "name"), [(204, "204 No Content"), (206, "206 Partial Content"), (299, "299"), (300, "300")]
)
def test_odd_statuses_are_no_pages(server, status, name):
    server.routes[ADDRESS] = lambda exchange: exchange.reply(status, content_length="0")
    assert detail(fetched_one(server, URL)).startswith(f"shop.example answered {name}")


def test_an_empty_page_is_turned_away(server):
    server.page(ADDRESS, b" \n")
    assert detail(fetched_one(server, URL)) == "shop.example answered 200 OK and sent an empty page"


def test_unchanged_pages_are_not_sent_again(server):
    def conditional(exchange: Exchange) -> None:
        same = exchange.visit.headers.get("if-none-match") == '"v1"'
        exchange.reply(304 if same else 200, b"" if same else TEXT, etag='"v1"')

    server.routes[ADDRESS] = conditional
    date = "Wed, 21 Oct 2015 07:28:00 GMT"
    fetched = fetched_one(server, FrontierItem(URL, etag='"v1"', last_modified=date))
    assert (fetched.result, fetched.outcome) == (None, "unchanged")
    assert (fetched.etag, fetched.last_modified) == ('"v1"', date)
    assert server.visits(ADDRESS)[0].headers["if-modified-since"] == date
    assert fetched_one(server, FrontierItem(URL, etag='"v0"')).outcome == "page"


def test_unchanged_on_the_first_visit_is_a_lie(server):
    server.routes[ADDRESS] = lambda exchange: exchange.reply(304)
    assert "though this is the first visit" in detail(fetched_one(server, URL))


# Trying again


@pytest.mark.parametrize("status", [500, 502, 503, 429, 408])
def test_a_server_that_recovers(server, status):
    server.routes[ADDRESS] = lambda exchange: exchange.reply(200 if exchange.times else status, TEXT)
    assert isinstance(fetched_one(server, URL).result, Page)
    assert len(server.visits(ADDRESS)) == 2


def test_a_server_that_does_not_recover(server):
    server.routes[ADDRESS] = lambda exchange: exchange.reply(500)
    fetched = fetched_one(server, URL)
    assert detail(fetched) == "shop.example answered 500 Internal Server Error, at each of 3 tries"
    assert fetched.retry_at is None
    first, second, third = (visit.started for visit in server.visits(ADDRESS))
    assert (second - first >= 0.05, third - second >= 0.1) == (True, True)


def test_retry_after_is_sat_out(server):
    in_two_seconds = email.utils.formatdate(time.time() + 2.5, usegmt=True)
    for host, value in (("seconds.example", "1"), ("date.example", in_two_seconds)):
        server.routes[f"{host}/privacy"] = lambda exchange, value=value: exchange.reply(
            200 if exchange.times else 429, TEXT, retry_after=value
        )
    urls = ("http://seconds.example/privacy", "http://date.example/privacy", "http://seconds.example/other")
    came = crawled(server, *urls, settings=replace(QUICK, crawl_max_wait=5))
    assert [came[url].outcome for url in urls] == ["page", "page", "not fetched"]
    for host in ("seconds.example", "date.example"):
        first, second = server.visits(f"{host}/privacy")
        assert second.started - first.started >= 0.9
    # The whole host is left alone, not only the page.
    assert server.visits("seconds.example/other")[0].started >= server.visits("seconds.example/privacy")[1].started


def test_a_long_retry_after_puts_the_host_off(server):
    server.routes[ADDRESS] = lambda exchange: exchange.reply(503, retry_after="7200")
    came = crawled(server, URL, "http://shop.example/other")
    assert detail(came[URL]) == "shop.example answered 503 Service Unavailable"
    for fetched in came.values():
        assert fetched.retry_at == pytest.approx(time.time() + 7_200, abs=60)
    assert server.visits("shop.example/other") == []
    assert len(server.visits(ADDRESS)) == 1


def test_a_reset_in_mid_body_is_tried_again(server):
    def reset_once(exchange: Exchange) -> None:
        if exchange.times:
            exchange.reply(200, TEXT)
        else:
            exchange.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n<p>half")
            exchange.reset()

    server.routes[ADDRESS] = reset_once
    assert isinstance(fetched_one(server, URL).result, Page)


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n<p>half",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<p>ha",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 two hundred OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    ],
)
def test_broken_answers_are_rejected_with_a_reason(server, raw):
    def broken(exchange: Exchange) -> None:
        exchange.open = False
        exchange.send(raw)

    server.routes[ADDRESS] = broken
    assert "the connection to shop.example failed: " in detail(fetched_one(server, URL, ONCE))


def test_a_server_that_never_answers(server):
    server.routes[ADDRESS] = lambda _: time.sleep(0.6)
    fetched = fetched_one(server, URL, replace(ONCE, crawl_timeout=0.2))
    assert "shop.example did not answer within 0.2 s" in detail(fetched)


def test_a_server_that_refuses_connections():
    with TrickServer() as server:
        network = network_of(server)
    (fetched,) = crawled(server, URL, network=network).values()
    assert detail(fetched).startswith("robots.txt cannot be read: the connection to shop.example failed")
    assert fetched.retry_at
    assert len(network.wire.attempts) == 1 + QUICK.crawl_retries


def test_a_host_that_does_not_exist(server):
    assert detail(fetched_one(server, "http://no.such.host.invalid/")) == "there is no host no.such.host.invalid"


# Size and time


def test_a_server_that_drips(server):
    def drip(exchange: Exchange) -> None:
        exchange.head("Content-Type: text/html")
        while True:
            exchange.send(b"a")
            time.sleep(0.02)

    server.routes[ADDRESS] = drip
    assert detail(fetched_one(server, URL, replace(QUICK, crawl_page_seconds=0.3))) == "took longer than 0.3 s in all"
    assert len(server.visits(ADDRESS)) == 1


def test_the_time_of_all_redirects_is_added_up(server):
    def slow(exchange: Exchange) -> None:
        time.sleep(0.2)
        exchange.reply(302, location=f"/{exchange.visit.path.count('x') * 'x'}x")

    for count in range(6):
        server.routes["shop.example/" + "x" * count] = slow
    fetched = fetched_one(server, "http://shop.example/", replace(QUICK, crawl_page_seconds=0.5))
    assert detail(fetched) == "took longer than 0.5 s in all"
    assert len([visit for visit in server.log if visit.path != "/robots.txt"]) == 3


@pytest.mark.parametrize(
    "head", [("Content-Type: text/html",), ("Content-Type: text/plain", "X-Padding: " + "p" * 5_000)]
)
def test_a_body_without_end(server, head):
    def endless(exchange: Exchange) -> None:
        exchange.head(*head)
        while True:
            exchange.send(b"We never stop. " * 1_000)

    server.routes[ADDRESS] = endless
    fetched = fetched_one(server, URL)
    assert detail(fetched) == "is larger than 200,000 bytes"
    assert fetched.result.reason is Reason.TOO_LARGE


def test_the_limit_is_exact(server):
    server.page("shop.example/fits", b"a" * 200_000)
    server.page("shop.example/over", b"a" * 200_001)
    came = crawled(server, "http://shop.example/fits", "http://shop.example/over")
    assert [fetched.outcome for fetched in came.values()] == ["page", "too large"]


PACKERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=5),
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("encoding", PACKERS)
def test_packed_pages_are_unpacked(server, encoding):
    server.page(ADDRESS, PACKERS[encoding](TEXT.encode()), content_encoding=encoding)
    page = fetched_one(server, URL).result
    assert isinstance(page, Page)
    assert page.content == TEXT.encode()


@pytest.mark.parametrize("encoding", PACKERS)
def test_bombs_are_defused(server, encoding):
    server.page(ADDRESS, PACKERS[encoding](bytes(20_000_000)), content_encoding=encoding)
    fetched = fetched_one(server, URL)
    assert detail(fetched) == "is larger than 200,000 bytes"


@pytest.mark.parametrize("encoding", PACKERS)
def test_packed_pages_cut_short_or_damaged(server, encoding):
    packed = PACKERS[encoding](TEXT.encode())
    server.page("shop.example/short", packed[:-6], content_encoding=encoding)
    server.page("shop.example/plain", TEXT, content_encoding=encoding)
    came = crawled(server, "http://shop.example/short", "http://shop.example/plain")
    for fetched in came.values():
        assert detail(fetched).startswith("arrived damaged: ")


def test_unknown_packing(server):
    server.page(ADDRESS, TEXT, content_encoding="gzip, br")
    assert detail(fetched_one(server, URL)) == "is packed as 'gzip, br', which cannot be unpacked"


def test_a_flood_of_headers(server):
    def flood(exchange: Exchange) -> None:
        exchange.open = False
        exchange.send(b"HTTP/1.1 200 OK\r\n")
        while True:
            exchange.send(b"X-Flood: " + b"y" * 1_000 + b"\r\n")

    server.routes[ADDRESS] = flood
    assert "the connection to shop.example failed" in detail(fetched_one(server, URL, ONCE))


def test_a_flood_of_interim_answers(server):
    def flood(exchange: Exchange) -> None:
        exchange.open = False
        while True:
            exchange.send(b"HTTP/1.1 103 Early Hints\r\n\r\n")
            time.sleep(0.001)

    server.routes[ADDRESS] = flood
    assert "took longer than 0.3 s" in detail(fetched_one(server, URL, replace(ONCE, crawl_page_seconds=0.3)))


def test_what_nobody_foresaw_ends_one_page_and_not_the_crawl(server):
    server.page(ADDRESS, TEXT)
    names = Names()

    async def resolve(host: str, port: int) -> list[str]:
        if host == "odd.example":
            raise RuntimeError("never heard of\nthat")
        if host == "later.example":
            raise socket.gaierror(socket.EAI_AGAIN, "try again")
        return await names(host, port)

    network = Network(resolve=resolve, wire=Wire(server.port), tls=NO_AUTHORITIES)
    urls = ("http://odd.example/", "http://later.example/", URL)
    came = {}
    for fetched in crawl_pages(MemoryFrontier(*urls).due, ONCE, network=network):
        if fetched:
            came[fetched.item.url] = fetched
    assert detail(came["http://odd.example/"]) == "RuntimeError: never heard of that"
    assert "later.example could not be looked up for now" in detail(came["http://later.example/"])
    assert came[URL].outcome == "page"
