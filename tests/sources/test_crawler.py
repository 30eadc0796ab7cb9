from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from dataclasses import replace
from itertools import islice, pairwise

import pytest

from smallprint import limits
from smallprint.records import FrontierItem, Page, Reason, Rejection
from smallprint.sources import crawler
from smallprint.sources.crawler import AHEAD, crawl_pages
from smallprint.sources.fetcher import Fetched
from worker_stand_ins import links_or_never

from .trick_server import QUICK, Exchange, MemoryFrontier, TrickServer, crawled, detail, network_of

HOME = '<p>Shoes</p><footer><a href="/terms">Terms</a> <a href="/privacy">Privacy Policy</a></footer>'


@pytest.fixture
def server():
    with TrickServer() as server:
        yield server


def hosts_with_pages(server: TrickServer, hosts: int, pages: int = 1) -> list[str]:
    addresses = [f"host{host}.example/privacy/{page}" for page in range(pages) for host in range(hosts)]
    for address in addresses:
        server.page(address)
    return [f"http://{address}" for address in addresses]


def test_every_address_is_visited_once(server):
    urls = hosts_with_pages(server, hosts=12, pages=3)
    came = crawled(server, *urls)
    assert set(came) == set(urls)
    assert {fetched.outcome for fetched in came.values()} == {"page"}
    assert {count for address, count in server.counts.items() if "robots" not in address} == {1}


def test_a_frontier_with_nothing_due(server):
    assert crawled(server) == {}
    assert server.log == []


# Home pages


def test_the_policy_is_found_from_the_home_page(server):
    server.page("shop.example/", HOME)
    server.page("shop.example/privacy", "<h1>Privacy</h1>")
    came = crawled(server, FrontierItem("http://shop.example/", home=True))
    home, policy = came["http://shop.example/"], came["http://shop.example/privacy"]
    assert (home.result, home.outcome) == (None, "links")
    assert home.links == (FrontierItem("http://shop.example/privacy"),)
    assert isinstance(policy.result, Page)
    assert [visit.path for visit in server.log] == ["/robots.txt", "/", "/privacy"]


def test_links_are_resolved_from_where_the_home_page_is(server):
    server.redirect("shop.example/", "http://www.shop.example/en/")
    server.page(
        "www.shop.example/en/",
        "<a href='privacy'>Privacy</a>".encode("utf-16"),
        content_type="text/html; charset=utf-16",
    )
    came = crawled(server, FrontierItem("http://shop.example/", home=True))
    assert came["http://shop.example/"].links == (FrontierItem("http://www.shop.example/en/privacy"),)


def test_a_home_page_without_a_policy(server):
    server.page("shop.example/", "<a href='/shoes'>Shoes</a>", content_type="text/html; charset=nonsense")
    (fetched,) = crawled(server, FrontierItem("http://shop.example/", home=True)).values()
    assert detail(fetched) == "no link to a privacy policy on the home page"
    assert fetched.result.reason is Reason.NOT_CANDIDATE


def test_a_home_page_that_is_never_read_to_its_end_stops_nobody_else(server, monkeypatch):
    monkeypatch.setattr(crawler, "_links", links_or_never)
    monkeypatch.setattr(limits, "LINKS_SECONDS", 5.0)
    server.page("hostile.example/", "<p>Traps</p>")
    server.page("shop.example/", HOME)
    server.page("shop.example/privacy", "<h1>Privacy</h1>")
    pages = hosts_with_pages(server, hosts=6, pages=2)
    hostile = FrontierItem("http://hostile.example/", home=True)
    came = crawled(server, hostile, FrontierItem("http://shop.example/", home=True), *pages)
    assert {url: fetched.outcome for url, fetched in came.items()} == {
        **dict.fromkeys(pages, "page"),
        "http://hostile.example/": "unreadable",
        "http://shop.example/": "links",
        "http://shop.example/privacy": "page",
    }
    assert set(list(came)[: len(pages)]) == set(pages)  # all of them while the hostile one was being read
    assert detail(came[hostile.url]) == "its links cannot be read: this took longer than 5 seconds and was ended"


def test_a_home_page_that_has_not_changed(server):
    server.routes["shop.example/"] = lambda exchange: exchange.reply(304)
    (fetched,) = crawled(server, FrontierItem("http://shop.example/", home=True, etag='"v1"')).values()
    assert fetched.outcome == "unchanged"


def test_links_are_followed_though_the_caller_commits_late(server):
    for host in ("one.example", "two.example"):
        server.page(f"{host}/", HOME)
        server.page(f"{host}/privacy")
    frontier = MemoryFrontier(*(FrontierItem(f"http://{host}.example/", home=True) for host in ("one", "two")))
    held: list[Fetched] = []
    outcomes: list[str | None] = []
    for fetched in crawl_pages(frontier.due, QUICK, network=network_of(server)):
        outcomes.append(fetched and fetched.outcome)
        if fetched:
            held.append(fetched)
        else:
            for one in held:
                frontier.note(one)
            held.clear()
    assert outcomes == ["links", "links", None, "page", "page", None]
    assert held == []
    assert max(server.counts.values()) == 1


# Manners


class Busy:
    """A page that takes a while, and counts how many are being served at once."""

    def __init__(self) -> None:
        self.now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.lock = threading.Lock()

    def __call__(self, exchange: Exchange) -> None:
        host = exchange.visit.host
        with self.lock:
            self.now.update([host, "all"])
            self.most |= self.now
        time.sleep(0.03)
        with self.lock:
            self.now.subtract([host, "all"])
        exchange.reply(200, "<p>Yes</p>")


def test_a_host_never_gets_two_requests_at_once(server):
    busy = Busy()
    urls = [f"http://{host}.example/{page}" for page in range(4) for host in ("one", "two", "three", "four")]
    for url in urls:
        server.routes[url.removeprefix("http://")] = busy
    crawled(server, *urls)
    assert {host: most for host, most in busy.most.items() if host != "all"} == dict.fromkeys(
        ("one.example", "two.example", "three.example", "four.example"), 1
    )
    assert busy.most["all"] > 1


def test_not_even_when_others_redirect_to_it(server):
    busy = Busy()
    urls = [f"http://host{number}.example/" for number in range(6)]
    for number in range(6):
        server.redirect(f"host{number}.example/", f"http://hub.example/{number}")
        server.routes[f"hub.example/{number}"] = busy
    came = crawled(server, *urls)
    assert {fetched.outcome for fetched in came.values()} == {"page"}
    assert busy.most["hub.example"] == 1
    assert server.counts["hub.example/robots.txt"] == 1


def test_no_more_hosts_at_once_than_set(server):
    busy = Busy()
    for number in range(12):
        server.routes[f"host{number}.example/"] = busy
    crawled(server, *(f"http://host{number}.example/" for number in range(12)), settings=replace(QUICK, crawl_hosts=3))
    assert 1 < busy.most["all"] <= 3


def test_hosts_are_visited_side_by_side(server):
    meeting = threading.Barrier(4, timeout=5)

    def wait_for_the_others(exchange: Exchange) -> None:
        meeting.wait()
        exchange.reply(200, "<p>All here</p>")

    urls = [f"http://host{number}.example/" for number in range(4)]
    for number in range(4):
        server.routes[f"host{number}.example/"] = wait_for_the_others
    assert {fetched.outcome for fetched in crawled(server, *urls).values()} == {"page"}


def test_a_host_rests_between_requests(server):
    urls = hosts_with_pages(server, hosts=2, pages=3)
    server.redirect("host0.example/privacy/0", "/privacy/1")
    crawled(server, *urls, settings=replace(QUICK, crawl_delay=0.15))
    for host in ("host0.example", "host1.example"):
        times = [visit.started for visit in server.log if visit.host == host]
        assert len(times) == 4 + (host == "host0.example")
        assert all(after - before >= 0.14 for before, after in pairwise(times))


def test_a_host_in_trouble_does_not_hold_up_the_others(server):
    server.routes["slow.example/robots.txt"] = lambda exchange: exchange.reply(503, retry_after="1")
    urls = hosts_with_pages(server, hosts=3, pages=2)
    came = crawled(server, "http://slow.example/", *urls, settings=replace(QUICK, crawl_hosts=1, crawl_retries=1))
    assert list(came)[-1] == "http://slow.example/"


# Stopping and starting


def test_stopping_in_the_middle_and_starting_again(server):
    urls = hosts_with_pages(server, hosts=10, pages=4)
    frontier, network = MemoryFrontier(*urls), network_of(server)
    runs: list[set[str]] = []
    for stop_after in (7, 11, None):
        seen: set[str] = set()
        with contextlib.closing(crawl_pages(frontier.due, QUICK, network=network)) as pages:
            for fetched in islice(pages, stop_after):
                if fetched:
                    seen.add(fetched.item.url)
                    frontier.note(fetched)
        runs.append(seen)
        # What was noted as done before this run was not asked for again.
        done_before = set().union(*runs[:-1])
        assert not seen & done_before
    assert [len(run) for run in runs] == [7, 11, 22]
    assert set().union(*runs) == set(urls)
    first = {url.removeprefix("http://") for url in runs[0]}
    assert {server.counts[address] for address in first} == {1}


def test_what_was_handed_over_but_not_noted_comes_again(server):
    urls = hosts_with_pages(server, hosts=3)
    frontier, network = MemoryFrontier(*urls), network_of(server)
    for _ in range(2):
        with contextlib.closing(crawl_pages(frontier.due, QUICK, network=network)) as pages:
            assert len([fetched for fetched in islice(pages, 3) if fetched]) == 3


def test_closing_leaves_nothing_running(server):
    before = set(threading.enumerate())
    closed = threading.Event()
    server.routes["slow.example/"] = lambda exchange: closed.wait(60) and exchange.reply()
    urls = hosts_with_pages(server, hosts=4, pages=5)
    pages = crawl_pages(MemoryFrontier("http://slow.example/", *urls).due, QUICK, network=network_of(server))
    next(pages)
    while not server.visits("slow.example/"):
        time.sleep(0.01)
    pages.close()  # without waiting for the page that is under way
    assert [visit.ended for visit in server.visits("slow.example/")] == [0.0]
    closed.set()
    assert not [thread for thread in set(threading.enumerate()) - before if thread.name == "crawler"]
    unused = crawl_pages(MemoryFrontier(*urls).due, QUICK, network=network_of(server))
    unused.close()


def test_an_error_of_the_caller_ends_the_crawl(server):
    urls = hosts_with_pages(server, hosts=4)
    frontier = MemoryFrontier(*urls)

    def broken_due(limit: int, *, after: int = 0) -> list[FrontierItem]:
        raise OSError("the library is gone")

    frontier.due = broken_due
    with pytest.raises(OSError, match="the library is gone"):
        next(crawl_pages(frontier.due, QUICK, network=network_of(server)))


def test_put_off_visits_are_made_when_their_time_has_come(server):
    server.routes["shop.example/privacy"] = lambda exchange: exchange.reply(
        200 if exchange.times else 503, "<p>Back</p>", retry_after="3600"
    )
    frontier, network = MemoryFrontier("http://shop.example/privacy"), network_of(server)

    def run() -> list[str]:
        outcomes = []
        for fetched in crawl_pages(frontier.due, QUICK, network=network):
            if fetched:
                frontier.note(fetched)
                outcomes.append(fetched.outcome)
        return outcomes

    assert run() == ["put off"]
    assert run() == []
    frontier.not_before.clear()
    assert run() == ["page"]


# Memory and threads


def test_the_frontier_is_read_a_little_at_a_time(server):
    settings = replace(QUICK, crawl_hosts=2, crawl_delay=0)
    limits: list[int] = []

    class Watched(MemoryFrontier):
        def due(self, limit: int, *, after: int = 0) -> list[FrontierItem]:
            limits.append(limit)
            return super().due(limit, after=after)

    urls = hosts_with_pages(server, hosts=300)
    with contextlib.closing(crawl_pages(Watched(*urls).due, settings, network=network_of(server))) as pages:
        next(pages)
    assert limits == [2 * AHEAD]


def test_pages_do_not_pile_up_while_the_caller_is_busy(server):
    settings = replace(QUICK, crawl_hosts=2, crawl_delay=0)
    urls = hosts_with_pages(server, hosts=40)
    with contextlib.closing(crawl_pages(MemoryFrontier(*urls).due, settings, network=network_of(server))) as pages:
        next(pages)
        time.sleep(0.4)
        # One taken, two waiting, two more in the hands of the workers.
        assert len([visit for visit in server.log if visit.path != "/robots.txt"]) <= 5


def test_fetching_goes_on_while_the_caller_is_busy(server):
    def slow(exchange: Exchange) -> None:
        exchange.head("Content-Type: text/html")
        for _ in range(5):
            time.sleep(0.06)
            exchange.send(b"<p>Slowly</p>")

    urls = [f"http://host{number}.example/" for number in range(2)]
    for number in range(2):
        server.routes[f"host{number}.example/"] = slow
    outcomes = []
    # Were the loop asleep with the caller, every read would seem to take longer than the timeout.
    for fetched in crawl_pages(
        MemoryFrontier(*urls).due, replace(QUICK, crawl_timeout=0.25), network=network_of(server)
    ):
        outcomes.append(fetched and fetched.outcome)
        time.sleep(0.3)
    assert outcomes == ["page"] * 2 + [None]
    assert max(server.counts.values()) == 1


def test_the_frontier_is_only_used_in_the_callers_thread(server):
    threads = set()

    class Watched(MemoryFrontier):
        def due(self, limit: int, *, after: int = 0) -> list[FrontierItem]:
            threads.add(threading.get_ident())
            return super().due(limit, after=after)

    urls = hosts_with_pages(server, hosts=3)
    list(crawl_pages(Watched(*urls).due, QUICK, network=network_of(server)))
    assert threads == {threading.get_ident()}


def test_addresses_that_are_none_are_rejected(server):
    urls = ("ftp://shop.example/", "nonsense", "http://[broken", "http://user:pw@shop.example/", "http://x:0/")
    came = crawled(server, *urls)
    assert all(isinstance(fetched.result, Rejection) for fetched in came.values())
    assert len(came) == len(urls)
    assert server.log == []
