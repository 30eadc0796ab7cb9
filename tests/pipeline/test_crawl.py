from __future__ import annotations

from collections import Counter
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from smallprint import sample
from smallprint.errors import BadAddress, BadSource
from smallprint.library import Library, reading
from smallprint.library.dump import logical_dump
from smallprint.library.frontier import StoredFrontier
from smallprint.pipeline import ingest as module
from smallprint.pipeline.ingest import Outcome, add, crawl, line_up
from smallprint.pipeline.workers import Progress, Tally
from smallprint.records import FrontierItem, Page, Reason

from ..sources.trick_server import QUICK, Exchange, TrickServer, network_of

KEPT = [
    page
    for page, truth in zip(sample.pages(), sample.truths(), strict=True)
    if truth.outcome == "kept" and truth.origin == "composed"
]
POLICY = KEPT[0].content
SETTINGS = replace(QUICK, workers=1)


class Stopped(Exception):
    """What a user's Ctrl-C is in these tests."""


@pytest.fixture
def server():
    with TrickServer() as server:
        yield server


def address(page: Page) -> str:
    """Give a sample page's address without its scheme, as the server knows it."""
    parts = urlsplit(page.url)
    return parts.netloc + parts.path


def put_up(server: TrickServer, count: int) -> list[str]:
    """Put up policies of as many sites, and give their addresses."""
    pages = list({page.url: page for page in KEPT}.values())[:count]
    for page in pages:
        server.page(address(page), page.content)
    assert len(pages) == count
    return [f"http://{address(page)}" for page in pages]


def visit(library: Library, server: TrickServer, *items: str | FrontierItem, **more) -> Tally:
    line_up(library, [FrontierItem(item) if isinstance(item, str) else item for item in items])
    return crawl(library, SETTINGS, network=network_of(server), **more)


def outcomes(library: Library) -> dict[str, str | None]:
    return dict(library.db.execute("SELECT url, outcome FROM frontier").fetchall())


def page_visits(server: TrickServer) -> Counter[str]:
    return Counter(f"http://{visit.address}" for visit in server.log if visit.path != "/robots.txt")


def test_pages_are_stored_and_their_addresses_done(library, server):
    urls = put_up(server, 20)
    tally = visit(library, server, *urls)
    assert tally == Tally(read=20, kept=20)
    assert outcomes(library) == dict.fromkeys(urls, "page")
    for page in list({page.url: page for page in KEPT}.values())[:20]:
        found = reading.find_policy(library, page.url)
        assert reading.page(library, found.current.page_id) == page.content
    assert page_visits(server) == Counter(urls)


def test_the_policy_is_found_from_the_home_page_and_stored(library, server):
    server.page("shop.example/", '<footer><a href="/privacy">Privacy Policy</a></footer>')
    server.page("shop.example/privacy", POLICY)
    tally = visit(library, server, FrontierItem("http://shop.example/", home=True))
    assert (tally.read, tally.kept, tally.addresses) == (1, 1, 1)
    assert outcomes(library) == {"http://shop.example/": "links", "http://shop.example/privacy": "page"}
    assert reading.find_policy(library, "shop.example").url == "http://shop.example/privacy"


def test_what_is_turned_away_is_said_on_the_frontier_and_among_the_rejections(library, server):
    server.page("short.example/privacy", "<p>We keep your data.</p>")
    tally = visit(library, server, "http://short.example/privacy", "http://gone.example/privacy")
    assert tally == Tally(read=2, rejected=Counter({"too short": 1, "not fetched": 1}))
    assert outcomes(library) == {
        "http://short.example/privacy": "too short",
        "http://gone.example/privacy": "not fetched",
    }
    assert [(r.url, r.reason, r.detail) for r in reading.rejections(library)] == [
        ("http://gone.example/privacy", Reason.NOT_FETCHED, "gone.example answered 404 Not Found"),
        ("http://short.example/privacy", Reason.TOO_SHORT, "4 words, at least 50 are needed"),
    ]


def test_what_is_put_off_stays_on_the_frontier(library, server):
    server.routes["busy.example/privacy"] = lambda exchange: exchange.reply(429, retry_after="7200")
    assert visit(library, server, "http://busy.example/privacy") == Tally()
    assert outcomes(library) == {"http://busy.example/privacy": None}
    assert StoredFrontier(library).due(10) == []
    assert list(reading.rejections(library)) == []


def test_a_stopped_crawl_goes_on_and_asks_for_nothing_that_was_stored(library, server, monkeypatch):
    monkeypatch.setattr(module, "FETCHED", 4)
    urls = put_up(server, 30)

    def stop(progress: Progress) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        visit(library, server, *urls, on_progress=stop)
    done = {url for url, outcome in outcomes(library).items() if outcome}
    assert len(done) == reading.status(library).captures == 4
    tally = crawl(library, SETTINGS, network=network_of(server))
    assert tally == Tally(read=26, kept=26)
    assert outcomes(library) == dict.fromkeys(urls, "page")
    assert {url: count for url, count in page_visits(server).items() if url in done} == dict.fromkeys(done, 1)
    before = page_visits(server)
    assert crawl(library, SETTINGS, network=network_of(server)) == Tally()
    assert page_visits(server) == before


def test_a_batch_that_cannot_be_stored_is_not_done(library, server, monkeypatch):
    save = module.save

    def failing(db, results, **limits):
        save(db, results, **limits)
        raise Stopped

    urls = put_up(server, 3)
    monkeypatch.setattr(module, "save", failing)
    with pytest.raises(Stopped):
        visit(library, server, *urls)
    assert outcomes(library) == dict.fromkeys(urls)
    assert reading.status(library).captures == 0


def test_again_asks_whether_pages_changed(library, server):
    state = {"version": KEPT[0].content}

    def conditional(exchange: Exchange) -> None:
        tag = f'"{hash(state["version"])}"'
        if exchange.visit.headers.get("if-none-match") == tag:
            exchange.reply(304, etag=tag)
        else:
            exchange.reply(200, state["version"], etag=tag, last_modified="Mon, 01 Jan 2024 00:00:00 GMT")

    url = "http://shop.example/privacy"
    server.routes["shop.example/privacy"] = conditional
    visit(library, server, url)
    before = list(logical_dump(library))
    for _ in range(2):  # the tag is kept through a 304
        assert StoredFrontier(library).again() == 1
        assert crawl(library, SETTINGS, network=network_of(server)) == Tally(unchanged=1)
        assert [line.replace('"unchanged"', '"page"') for line in logical_dump(library)] == before
    assert [
        (visit.headers.get("if-none-match"), visit.headers.get("if-modified-since"))
        for visit in server.visits("shop.example/privacy")
    ] == [(None, None)] + [(f'"{hash(state["version"])}"', "Mon, 01 Jan 2024 00:00:00 GMT")] * 2
    state["version"] = KEPT[1].content
    StoredFrontier(library).again()
    assert crawl(library, SETTINGS, network=network_of(server)) == Tally(read=1, kept=1)
    assert len(reading.find_policy(library, url).versions) == 2


def test_a_redirect_within_the_site_is_known_by_where_it_led(library, server):
    server.redirect("shop.example/privacy", "http://www.shop.example/legal/privacy-notice")
    server.page("www.shop.example/legal/privacy-notice", POLICY)
    visit(library, server, "http://shop.example/privacy")
    assert reading.find_policy(library, "shop.example").url == "http://www.shop.example/legal/privacy-notice"
    assert library.db.execute("SELECT asked_url FROM captures").fetchall()[0][0] == "http://shop.example/privacy"


# Single additions


def test_single_policies_are_added(library, server, tmp_path):
    server.page("shop.example/privacy", POLICY)
    short = tmp_path / "short.html"
    short.write_text("<p>We keep your data.</p>")
    found = add(library, ["http://shop.example/privacy", str(short)], SETTINGS, network_of(server))
    policy = reading.find_policy(library, "shop.example")
    assert found == [
        Outcome("http://shop.example/privacy", policy.policy_id, None, policy.current.title),
        Outcome(str(short), None, "too short", "4 words, at least 50 are needed"),
    ]
    assert [r.url for r in reading.rejections(library)] == [short.as_uri()]
    assert StoredFrontier(library).counts() == (0, 0)


def test_an_address_in_capitals_is_no_file(library, server):
    server.page("shop.example/privacy", POLICY)
    (outcome,) = add(library, ["HTTP://Shop.example/privacy"], SETTINGS, network_of(server))
    assert outcome.policy_id == reading.find_policy(library, "shop.example").policy_id


@pytest.mark.parametrize(
    ("what", "error"), [("no/such.html", BadSource), ("http://", BadAddress), ("http://[x", BadAddress)]
)
def test_what_cannot_be_added_stops_all_before_anything_is_done(library, server, what, error):
    server.page("shop.example/privacy", POLICY)
    with pytest.raises(error):
        add(library, ["http://shop.example/privacy", what], SETTINGS, network_of(server))
    assert server.log == []
    assert list(logical_dump(library)) == []
