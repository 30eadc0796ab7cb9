"""Policies that attack whoever searches them: title, text, address, headings and site reach the page as text."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint.index.opening import WHICH, open_engine
from smallprint.library.likeness import settle
from smallprint.library.writing import save
from smallprint.pipeline.indexing import bring_up_to_date
from smallprint.pipeline.refresh import annotate_library
from smallprint.settings import Settings

from ..library.making import capture, prose

ATTACKS = (
    '<script>alert("{}")</script>',
    '<img src=x onerror="alert({})">',
    '"><svg onload=alert({})>',
    "'-alert({})-'",
    "</mark></a></title></textarea><script src=//evil.example/{}></script>",
    "{{{{ {} * 7 }}}}{{% raw %}}",
    "javascript:alert({})",
    "\u202ereversed {}\u2066",
    "&lt;b&gt;{}",
)
PAYLOAD = " cookies ".join(ATTACKS)


@pytest.fixture
def hostile(library, serve):
    """Serve a library of three policies made to do harm, two of them near-duplicates, and give a client to it."""
    made = []
    for number, url in enumerate(
        ("https://one.evil.example/privacy?<script>alert(1)</script>", "https://two.example/'onclick='alert(1)",
         "https://three.example/\"><img src=x>")
    ):  # fmt: skip
        text = f"We keep cookies. {PAYLOAD.replace('{}', str(number))} cookies and data. {prose(1, 3000)}"
        packed = capture(url, text, title=PAYLOAD.replace("{}", "0") if number else "")
        ordinal, kind, start, end, _, lead, spans = packed.segments[0]
        made.append(replace(packed, segments=((ordinal, kind, start, end, json.dumps([PAYLOAD]), lead, spans),)))
    # What no reader of pages would let in: an address that is a program.
    made.append(replace(made[0], policy_id="evil'\"<b>-1", version_id="evil@1", url="javascript:alert(9)",
                        domain="<script>alert(8)</script>"))  # fmt: skip
    with library.transaction() as db:
        save(db, made)
    settings = Settings(workers=1)
    settle(library, settings.near_duplicate)
    annotate_library(library, settings, "fast")
    for which in WHICH:
        bring_up_to_date(library, open_engine(Settings(library=library.path), which, create=True), which)
    return serve(library.path, serve_rate=0)


def assert_inert(text):
    tree = LexborHTMLParser(text)
    assert tree.css("img, iframe, object, embed, base, style, [style], [onload], [onerror], [onclick]") == []
    assert [node.text() for node in tree.css("script") if node.text()] == []
    assert [
        node.attributes["src"] for node in tree.css("[src]") if not node.attributes["src"].startswith("/static/")
    ] == []
    for node in tree.css("*"):
        assert [name for name in node.attributes if name.startswith("on")] == []
    for node in tree.css("[href], [action], [hx-get]"):
        for name in ("href", "action", "hx-get"):
            link = node.attributes.get(name) or ""
            assert link.startswith(("/", "#", "https://", "http://")) or not link, link
    assert "49" not in tree.css_first("#found, main, ul").text()  # no template was run
    return tree


@pytest.mark.parametrize(
    "query",
    ["", "q=cookies", "q=script", "q=alert&fold=0", "q=cookies&index=page", "q=reversed", "q=evil&in=url",
     "q=cookies&fold=0&rank=date", urlencode({"q": PAYLOAD})],
)  # fmt: skip
def test_results_of_hostile_policies_are_inert(hostile, query):
    whole = hostile.get(f"/search?{query}", follow_redirects=True)
    assert whole.status_code == 200
    assert_inert(whole.text)
    part = hostile.get(f"/search?{query}", headers={"HX-Request": "true"})
    assert part.status_code == 200
    assert_inert(part.text)


def test_hostile_titles_and_snippets_are_shown_as_they_are(hostile):
    tree = assert_inert(hostile.get("/search?q=cookies&fold=0").text)
    titles = {node.text() for node in tree.css(".hit h3")}
    assert PAYLOAD.replace("{}", "0") in titles
    assert "<script>alert(8)</script>" in titles  # without a title, the site's name stands for it
    passages = tree.css(".passage a")
    assert any('<script>alert("' in node.text() for node in passages)
    assert {mark.text().lower() for mark in tree.css(".passage mark")} == {"cookies"}
    for node in passages:
        assert {child.tag for child in node.iter(include_text=False)} <= {"mark"}


def test_an_address_that_is_a_program_is_no_link(hostile):
    tree = assert_inert(hostile.get("/search?q=cookies&fold=0").text)
    shown = {node.text(): node.css("a") for node in tree.css(".hit .source")}
    assert shown["javascript:alert(9)"] == []
    assert all(links for address, links in shown.items() if address.startswith("https://"))
    (link,) = [one for one in (n.attributes["href"] for n in tree.css(".hit h3 a")) if "evil%27" in one]
    assert link == "/policies/evil%27%22%3Cb%3E-1?q=cookies"


def test_near_duplicates_of_hostile_policies_are_inert(hostile):
    tree = assert_inert(hostile.get("/search?q=cookies").text)
    addresses = [node.attributes["hx-get"] for node in tree.css("details.alike")]
    assert addresses
    for address in addresses:
        assert len(assert_inert(hostile.get(address).text).css(".hit")) > 1
        assert_inert(hostile.get(address, headers={"HX-Request": "true"}).text)


@pytest.mark.parametrize("key", ["q", "sector", "practice", "year", "grade", "page", "nonsense", "in", "group"])
def test_hostile_parameters_are_inert(hostile, key):
    for attack in ATTACKS:
        for path in ("/search", "/search/alike"):
            answer = hostile.get(path, params={key: attack}, follow_redirects=True)
            assert answer.status_code in {200, 400, 404}
            assert_inert(answer.text)
