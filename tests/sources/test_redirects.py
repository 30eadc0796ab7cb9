from __future__ import annotations

import re
import shutil
import ssl
from dataclasses import replace

import pytest

from smallprint.records import Page
from smallprint.sources.guard import Network

from .trick_server import (
    PUBLIC,
    QUICK,
    Exchange,
    Names,
    TlsServer,
    TrickServer,
    Wire,
    certificate,
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


@pytest.mark.parametrize(
    ("status", "location"),
    [
        (301, "/en/privacy"),
        (302, "../en/privacy"),
        (303, "//shop.example/en/privacy"),
        (307, "privacy#top"),
        (308, "http://shop.example/en/privacy"),
    ],
)
def test_redirects_are_followed(server, status, location):
    server.redirect("shop.example/en/policy", location, status)
    server.page("shop.example/en/privacy", TEXT)
    fetched = fetched_one(server, "http://shop.example/en/policy")
    assert isinstance(fetched.result, Page)
    assert (fetched.result.url, fetched.result.final_url) == (
        "http://shop.example/en/policy",
        "http://shop.example/en/privacy",
    )
    assert fetched.notes == ("redirected to http://shop.example/en/privacy",)


def test_redirects_to_another_host_ask_its_robots_first(server):
    server.redirect(ADDRESS, "http://legal.example/privacy")
    server.page("legal.example/privacy", TEXT)
    assert isinstance(fetched_one(server, URL).result, Page)
    assert [visit.address for visit in server.log][-2:] == ["legal.example/robots.txt", "legal.example/privacy"]
    server.robots("legal.example", "User-agent: *", "Disallow: /")
    assert detail(fetched_one(server, URL)) == "robots.txt of legal.example does not allow /privacy"


def test_redirects_in_a_circle(server):
    server.redirect(ADDRESS, "/elsewhere")
    server.redirect("shop.example/elsewhere", "/privacy")
    assert detail(fetched_one(server, URL)) == f"redirects in a circle, back to {URL}"


def test_redirects_without_end(server):
    def onward(exchange: Exchange) -> None:
        exchange.reply(302, location=exchange.visit.path + "x")

    for count in range(9):
        server.routes[ADDRESS + "x" * count] = onward
    assert detail(fetched_one(server, URL)) == "redirects more than 4 times"
    assert len(server.log) == 1 + 1 + 4


def test_as_many_redirects_as_allowed(server):
    for count in range(4):
        server.redirect(ADDRESS + "x" * count, "/privacy" + "x" * (count + 1))
    server.page(ADDRESS + "xxxx", TEXT)
    assert isinstance(fetched_one(server, URL).result, Page)


@pytest.mark.parametrize("location", ["", "http://[::1", "http://shop.example:port/", "http://a\x01b/"])
def test_redirects_to_nowhere(server, location):
    server.redirect(ADDRESS, location)
    assert re.search("redirects to|without saying where to", detail(fetched_one(server, URL)))


@pytest.mark.parametrize(
    "location",
    [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://0/",
        "http://0177.0.0.1/",
        "http://inside.example/",
        "//inside.example:8080/admin",
        "https://inside.example/",
        "file:///etc/passwd",
        "ftp://shop.example/",
        "http://user:password@shop.example/",
        "gopher://shop.example/",
    ],
)
def test_redirects_to_where_nothing_is_fetched(server, location):
    server.redirect(ADDRESS, location)
    fetched = fetched_one(server, URL, inside=[["192.168.0.1"]])
    assert re.search("no public address|where nothing is fetched|not a web address", detail(fetched))
    assert fetched.outcome == "not fetched"
    assert [visit.address for visit in server.log] == ["shop.example/robots.txt", ADDRESS]


def test_a_name_that_moves_inside_between_two_requests(server):
    # Every connection looks the name up once; the first goes out, and once it is closed the second is refused.
    server.routes["rebind.example/robots.txt"] = lambda exchange: exchange.head("Content-Type: text/plain")
    server.page("rebind.example/privacy", "secret")
    network = network_of(server, rebind=[[PUBLIC], ["127.0.0.1"]])
    (fetched,) = crawled(server, "http://rebind.example/privacy", network=network).values()
    assert "rebind.example is at 127.0.0.1, no public address" in detail(fetched)
    assert network.wire.attempts == [PUBLIC]


def test_proxies_of_the_environment_are_not_used(server, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://10.0.0.1:3128")
    server.page(ADDRESS, TEXT)
    assert fetched_one(server, URL).outcome == "page"


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificate")
def test_https_and_the_way_down_to_http(server, tmp_path):
    files = certificate(tmp_path, "shop.example")

    class TwoPorts(Wire):
        async def connect_tcp(self, host, port, timeout=None, *_):
            self.port = secure.port if port == 443 else server.port
            return await super().connect_tcp(host, port, timeout)

    with TlsServer(files=files) as secure:
        tls = ssl.create_default_context(cafile=str(files[0]))
        network = Network(resolve=Names(), wire=TwoPorts(0), tls=tls)
        secure.redirect(ADDRESS, URL)
        server.page(ADDRESS, TEXT)
        came = crawled(server, f"https://{ADDRESS}", "https://other.example/", settings=ONCE, network=network)
    assert came[f"https://{ADDRESS}"].outcome == "page"
    assert came[f"https://{ADDRESS}"].notes == (f"redirected to {URL} (from https to http)",)
    assert "the certificate of other.example is not good" in detail(came["https://other.example/"])
    assert came["https://other.example/"].retry_at is None
