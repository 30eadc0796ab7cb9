"""A policy read at once: from a text, from the library, and from the web only where that is allowed."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import httpcore2
import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint import limits, sample
from smallprint.library import Library, reading
from smallprint.web.pages.reading import likelihood

from ..sources.trick_server import TrickServer, Wire, network_of
from .making import words_of

# Nobody outside learns what there is inside: a private address, no such name and no answer are the same line.
DOWN = "93.184.215.99"
UNREACHABLE = "The page could not be fetched: it cannot be reached from here."
ESSAY = (
    "The old bridge over the river was built of stone in the year of the great flood. Farmers brought their apples to "
    "the market, and children threw bread to the ducks below its three arches. "
) * 6


def policy_text(path, wanted="tidemarkbank.example"):
    with Library(path) as library:
        return reading.text(library, reading.find_policy(library, wanted).current_version)


def digest(path):
    return path.read_bytes(), {one: one.stat().st_mtime_ns for one in path.parent.rglob("*") if one.is_file()}


def read(client, given, status=200):
    answer = client.post("/read", data={"given": given})
    if answer.headers.get("location", "").startswith("/read/"):
        answer = client.get(answer.headers["location"])
    assert answer.status_code == status, (answer.status_code, answer.headers.get("location"))
    return LexborHTMLParser(answer.text)


def texts(tree, selector):
    return [" ".join(node.text().split()) for node in tree.css(selector)]


# Texts


def test_a_text_is_read_and_where_pastes_are_off_nothing_of_it_is_kept(serve, annotated_sample):
    client = serve(annotated_sample, serve_rate=0, paste_minutes=0)
    before = digest(annotated_sample)
    text = policy_text(annotated_sample)
    tree = read(client, text)
    assert texts(tree, "h1") == ["Tidemark Bank Privacy Notice"]
    assert "This looks like a privacy policy." in tree.css_first(".lede").text()
    facts = dict(zip(texts(tree, ".facts dt"), texts(tree, ".facts dd"), strict=True))
    assert set(facts) == {"words", "reading grade", "of sentences vague", "sector, guessed"}
    assert abs(int(facts["words"].replace(",", "")) - len(text.split())) < 20
    assert 5 < int(facts["reading grade"]) < 20
    assert facts["of sentences vague"].endswith(" %")
    assert facts["sector, guessed"] == "Finance, Marketing and Human Resources"
    flat = " ".join(text.split())
    heads = texts(tree, ".spoken h3")
    assert "Fp what they collect and why" in heads
    assert "Re how long they keep it" in heads
    quotes = texts(tree, ".spoken blockquote")
    assert len(quotes) == len(heads)
    # The policy's own words; a list's item stands after the words that introduce it.
    assert sum(quote.removesuffix(" …") in flat for quote in quotes) >= len(quotes) - 4
    named = {
        dt.text().partition(",")[0]: dd
        for dt, dd in zip(tree.css("#names ~ dl dt"), tree.css("#names ~ dl dd"), strict=True)
    }
    assert {"Cookies", "COPPA"} <= set(named)
    assert named["Cookies"].css_first("mark").text().lower() == "cookies"
    assert tree.css("form[action='/keep']") == []
    assert "Nothing. This page disappears when you leave it." in words_of(tree.css_first("#kept + .prose"))
    assert digest(annotated_sample) == before


def test_what_is_no_policy_is_said_to_be_none(client):
    tree = read(client, ESSAY)
    said = tree.css_first(".lede").text()
    assert "This does not look like a privacy policy." in said
    assert re.search(r"Of 100 texts like it, (fewer than 1 is|about \d+ (is|are))\.", said)
    assert texts(tree, "h1") == ["A text without a title"]


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        ("", 400, "Please paste the text of a policy"),
        ("   \n ", 400, "Please paste the text of a policy"),
        ("We keep your data.", 422, "This text is too short to analyse: 4 words, at least 50 are needed."),
        ("Nous recueillons vos données personnelles afin de vous fournir nos services. " * 20, 422, "Only English"),
        ("word " * (limits.MAX_PASTED // 5 + 1), 413, "500,000 characters"),
        ("javascript:alert(1)", 422, "too short to analyse"),
        ("file:///etc/passwd", 422, "too short to analyse"),
        ("http://", 422, "too short to analyse"),
    ],
)
def test_what_cannot_be_read_is_a_calm_page_with_the_form(client, given, status, said):
    tree = read(client, given, status)
    assert said in tree.css_first(".lede").text()
    assert tree.css_first("form[action='/read'] textarea[name=given]") is not None


def test_a_text_may_have_so_many_characters_and_no_more(client, monkeypatch):
    monkeypatch.setattr(limits, "MAX_PASTED", 5_000)
    longest = "We keep your data. ".ljust(5_000, "x")
    assert "too short to analyse" in read(client, longest, 422).css_first(".lede").text()
    assert "5,000 characters" in read(client, f"{longest}x", 413).css_first(".lede").text()


@pytest.mark.parametrize("given", ["https://user:secret@site.example/", "https://site.example:99999/", "https://a..b/"])
def test_addresses_that_nothing_is_fetched_from(serve, annotated_sample, given):
    tree = read(serve(annotated_sample, serve_fetch=True), given, 400)
    assert texts(tree, "h1") == ["Bad request"]
    assert "secret" not in tree.html


def test_a_pages_source_may_be_pasted(client):
    page = next(page for page in sample.pages() if "harbourlight" in page.url)
    tree = read(client, page.content.decode())
    assert "This looks like a privacy policy." in tree.css_first(".lede").text()
    assert "<" not in "".join(texts(tree, ".spoken blockquote"))


def test_a_hostile_text_is_shown_as_text(client):
    attack = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'>{{ 7 * 7 }}</title></textarea>"
    text = f"Privacy Policy {attack}\n\n" + "\n\n".join(
        f"We collect your name, e-mail address and payment details when you open an account with us (<b>{number}). "
        f"We share your personal information with advertising partners, and cookies {attack} as GDPR allows."
        for number in range(12)
    )
    for given, status in ((text, 200), (f"{attack} too short", 422), (f"x.{attack}", 422)):
        tree = read(client, given, status)
        assert tree.css("img, [onerror], iframe") == []
        assert [node.text() for node in tree.css("script") if node.text()] == []
        assert "49" not in tree.css_first("main").text()
    tree = read(client, text)
    assert "<script>alert(1)</script>" in texts(tree, "h1")[0]
    assert any("(<b>" in quote for quote in texts(tree, ".spoken blockquote"))
    assert "<script>alert(1)</script>" in texts(tree, "#names ~ dl dd")[0]


def test_a_long_text_takes_no_longer_than_a_page_may(serve, annotated_sample):
    client = serve(annotated_sample)  # what counts is the work, not what else the machine does
    text = policy_text(annotated_sample)
    started = time.process_time()
    read(client, "\n\n".join([text] * (limits.MAX_PASTED // len(text) - 1)))
    assert time.process_time() - started < 15


def test_probabilities_in_words():
    assert [likelihood(p) for p in (0.0, 0.004, 0.012, 0.5, 0.98, 0.999)] == [
        "fewer than 1 is", "fewer than 1 is", "about 1 is", "about 50 are", "about 98 are", "more than 99 are",
    ]  # fmt: skip


# Addresses of the library


@pytest.mark.parametrize(
    "given",
    ["https://tidemarkbank.example/legal/privacy", "http://www.tidemarkbank.example/legal/privacy#top",
     "tidemarkbank.example/legal/privacy", "tidemarkbank.example", "https://tidemarkbank.example/"],
)  # fmt: skip
def test_an_address_that_the_library_has_leads_to_its_policy(client, annotated_sample, given):
    with Library(annotated_sample) as library:
        known = reading.find_policy(library, "tidemarkbank.example").policy_id
    answer = client.post("/read", data={"given": given})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/policies/{known}")


def test_a_copy_leads_to_what_it_is_a_copy_of(client, annotated_sample):
    with Library(annotated_sample) as library:
        (row,) = library.db.execute("SELECT url, copy_of FROM policies WHERE copy_of IS NOT NULL").fetchall()
    answer = client.post("/read", data={"given": row["url"]})
    assert answer.headers["location"] == f"/policies/{row['copy_of']}"


def test_a_site_with_several_policies_leads_to_their_list(serve, library):
    from smallprint.library.writing import save

    from ..library.making import capture

    with library.transaction() as db:
        save(db, [capture(f"https://many.example/{name}", f"We keep {name} data.") for name in ("privacy", "children")])
    answer = serve(library.path).post("/read", data={"given": "www.many.example"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/search?q=site%3Amany.example")


# The web


@pytest.fixture
def web(annotated_sample):
    """Give a web of made-up sites: a policy, an essay, a page that is not there; and its own robots.txt."""
    page = next(page for page in sample.pages() if "harbourlight" in page.url)
    with TrickServer() as server:
        server.page("new.example/privacy", page.content)
        server.page("essay.example/privacy", f"<h1>The bridge</h1><p>{ESSAY}</p>")
        server.page("closed.example/privacy", page.content)
        server.robots("closed.example", "User-agent: *", "Disallow: /")
        server.redirect("sly.example/privacy", "http://127.0.0.1/privacy")
        yield server


class PartlyDown(Wire):
    """Refuses connections to one public address."""

    async def connect_tcp(self, host, *more):
        if host == DOWN:
            raise httpcore2.ConnectError("Connection refused")
        return await super().connect_tcp(host, *more)


@pytest.fixture
def online(serve, library, web):
    """Give a client to an empty library whose server may fetch, and to which all made-up sites are there."""
    client = serve(library.path, serve_rate=0, serve_fetch=True, crawl_delay=0.01, crawl_private=True)
    network = network_of(web, inner=[["10.0.0.7"]], unknown=[[]], down=[[DOWN]])
    client.app.state.network = replace(network, wire=PartlyDown(web.port), quiet_seconds=0)
    return client


def test_nothing_is_fetched_unless_it_is_allowed(serve, library, web, monkeypatch):
    client = serve(library.path)
    client.app.state.network = network_of(web)
    tree = read(client, "http://new.example/privacy", 404)
    assert "not in the library" in tree.css_first(".lede").text()
    assert "This site does not fetch pages. Paste the text of the policy below instead." in tree.text()
    assert "smallprint" not in tree.css_first("main").text().lower()  # no advice for a terminal
    assert client.post("/keep", data={"address": "http://new.example/privacy"}).status_code == 404
    assert web.log == []
    assert "nothing is fetched" in client.get("/").text
    assert "Nothing is fetched." in client.get("/privacy").text


def test_an_address_is_fetched_politely_read_and_not_kept(online, web, library):
    tree = read(online, "http://new.example/privacy")
    assert [visit.path for visit in web.log] == ["/robots.txt", "/privacy"]
    assert "This looks like a privacy policy." in tree.css_first(".lede").text()
    keep = tree.css_first("form[action='/keep']")
    assert keep.css_first("input").attributes["value"] == "http://new.example/privacy"
    assert reading.status(library).policies == 0
    assert reading.status(library).rejections == {}
    assert "the site can see that" in online.get("/").text
    assert "There is one exception, and it is your choice: if you enter the address" in online.get("/privacy").text


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://nobody.example/privacy", "answered 404"),
        ("http://closed.example/privacy", "robots.txt of closed.example does not allow"),
        ("http://127.0.0.1/privacy", UNREACHABLE),
        ("http://[::1]:8017/privacy", UNREACHABLE),
        ("http://inner.example/privacy", UNREACHABLE),
        ("http://sly.example/privacy", UNREACHABLE),
        ("http://unknown.example/privacy", UNREACHABLE),
        ("http://down.example/privacy", UNREACHABLE),
        ("http://down.example:81/privacy", UNREACHABLE),
    ],
)
def test_what_may_not_or_cannot_be_fetched_is_told(online, address, said):
    # The guard holds although crawl_private is on: whoever reaches the page is not who runs the machine.
    tree = read(online, address, 502)
    line = tree.css_first(".lede").text()
    assert line == said if said == UNREACHABLE else said in line


def test_what_is_fetched_and_is_no_policy_is_not_offered_to_be_kept(online, library):
    tree = read(online, "http://essay.example/privacy")
    assert "This does not look like a privacy policy." in tree.css_first(".lede").text()
    assert tree.css("form[action='/keep']") == []
    answer = online.post("/keep", data={"address": "http://essay.example/privacy"})
    assert answer.status_code == 422
    assert "It was not added: not a policy" in answer.text
    assert reading.status(library).policies == 0


def test_what_is_kept_is_in_the_library_and_can_be_found(online, library):
    assert online.get("/search").status_code == 503  # there is no index yet
    answer = online.post("/keep", data={"address": "http://new.example/privacy"})
    assert answer.status_code == 303
    policy_id = reading.find_policy(library, "new.example").policy_id
    assert answer.headers["location"] == f"/policies/{policy_id}"
    for query in ("q=clinic", "q=clinic&index=page"):
        tree = LexborHTMLParser(online.get(f"/search?{query}").text)
        assert [node.attributes["href"] for node in tree.css(".hit h3 a")] == [f"/policies/{policy_id}?q=clinic"]
        assert "of sentences vague" in tree.css_first(".facts-line").text()
    again = online.post("/read", data={"given": "http://new.example/privacy"})
    assert (again.status_code, again.headers["location"]) == (303, f"/policies/{policy_id}")


def test_what_was_just_read_is_kept_without_being_fetched_again(online, web, library):
    read(online, "http://new.example/privacy")
    visits = len(web.log)
    answer = online.post("/keep", data={"address": "http://new.example/privacy"})
    assert answer.headers["location"] == f"/policies/{reading.find_policy(library, 'new.example').policy_id}"
    assert len(web.log) == visits


def test_what_is_no_policy_is_not_remembered(online, web):
    read(online, "http://essay.example/privacy")
    visits = len(web.log)
    assert online.post("/keep", data={"address": "http://essay.example/privacy"}).status_code == 422
    assert len(web.log) > visits


def test_keeping_while_another_command_writes_is_told(online, library):
    with Library(library.path) as other, other.writing():
        assert online.post("/keep", data={"address": "http://new.example/privacy"}).status_code == 503


# Forms


@pytest.mark.parametrize("path", ["/read", "/keep"])
def test_only_our_own_forms_are_taken(client, path):
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert client.post(path, data={"given": "x"}, headers=elsewhere).status_code == 403
    assert client.get(path).status_code == 405
    assert client.post(path, json={"given": ESSAY}).status_code == 400
    assert (
        client.post(
            path, content=b"\xff\xfe=1", headers={"Content-Type": "application/x-www-form-urlencoded"}
        ).status_code
        == 400
    )
    many = "&".join(f"f{number}=1" for number in range(50))
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert client.post(path, content=many, headers=form).status_code == 400
    assert client.post(path, data={"given": "x" * 2_000_001}).status_code == 413
