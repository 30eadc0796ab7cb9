"""Every page: that it is there, and that people with a screen reader or without scripts find their way on it."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint.library import Library
from smallprint.library.reading import rejection_counts, rejections, status
from smallprint.web.pages.library import EXAMPLES
from smallprint.web.rendering import FOLDER, share, static

PAGES = {
    "/": "Search and question privacy policies",
    "/ask": "Ask the policies",
    "/statistics": "Statistics",
    "/rejections": "Rejected pages",
    "/help": "How to search",
    "/about": "What this is",
    "/privacy": "Our own privacy policy",
}
SEARCHES = {
    "/search": "79 policies",
    "/search?q=cookies&grade=8%3A&page=2": "34 policies",
    "/search?q=zzyzx&sector=medical&vagueness=%3A0.2": "No policies found",
}
EVERY = {
    **{path: (200, head) for path, head in {**PAGES, **SEARCHES}.items()},
    "/ask?q=which+policies+are+vaguest+about+retention%3F": (200, "Ask the policies"),
    "/nowhere": (404, "Not found"),
    "/search?rank=nonsense": (400, "Bad request"),
}


@pytest.fixture(params=EVERY)
def shown(request, client):
    """Give each page in turn: its path, its answer and its tree."""
    answer = client.get(request.param)
    return request.param, answer, LexborHTMLParser(answer.text)


def texts(tree, selector):
    return [" ".join(node.text().split()) for node in tree.css(selector)]


def test_status_and_landmarks(shown):
    path, answer, tree = shown
    code, head = EVERY[path]
    assert (answer.status_code, answer.headers["content-type"]) == (code, "text/html; charset=utf-8")
    assert texts(tree, "h1") == [head]
    assert len(tree.css("main")) == len(tree.css("header")) == len(tree.css("footer")) == 1
    labels = [node.attributes["aria-label"] for node in tree.css("nav")]
    assert (labels[0], labels[-1], len(labels)) == ("Main", "Foot", len(set(labels)))
    assert tree.css_first("html").attributes["lang"] == "en"
    assert texts(tree, "title")[0].endswith(" · Smallprint")
    assert tree.css_first("body a").attributes["href"] == "#main" == "#" + tree.css_first("main").attributes["id"]


def test_headings_go_down_one_step_at_a_time(shown):
    levels = [int(node.tag[1]) for node in shown[2].css("h1, h2, h3, h4")]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_ids_are_unique_and_what_refers_to_them_finds_them(shown):
    tree = shown[2]
    ids = [node.attributes["id"] for node in tree.css("[id]")]
    assert len(ids) == len(set(ids))
    referred = [node.attributes["for"] for node in tree.css("label[for]")]
    for name in ("aria-labelledby", "aria-describedby"):
        referred += [one for node in tree.css(f"[{name}]") for one in node.attributes[name].split()]
    assert set(referred) <= set(ids)


def test_every_field_has_a_label(shown):
    tree = shown[2]
    named = {node.attributes["for"] for node in tree.css("label[for]")}
    for field in tree.css("input:not([type=hidden]), select, textarea"):
        assert field.attributes.get("id") in named or field.parent.tag == "label", field.html


def test_nothing_inline_that_the_content_policy_would_stop(shown):
    _, answer, tree = shown
    assert tree.css("style, [style], base, iframe, object, embed") == []
    first, *others = [node.attributes.get("src", "") for node in tree.css("script")]
    assert first == static("htmx-2.0.11.min.js")
    assert set(others) <= {static(f"{name}.js") for name in ("search", "ask", "sending", "conversation")}
    assert {node.text() for node in tree.css("script")} == {""}
    for node in tree.css("*"):
        assert [name for name in node.attributes if name.startswith("on")] == []
    assert "javascript:" not in answer.text


def test_nothing_is_loaded_from_elsewhere(shown):
    tree = shown[2]
    loaded = [node.attributes[name] for name in ("src", "srcset", "data", "action") for node in tree.css(f"[{name}]")]
    loaded += [node.attributes["href"] for node in tree.css("link[href]")]
    assert len(loaded) >= 3
    assert all(re.match(r"/(?!/)", address) for address in loaded), loaded


def test_links_within_the_site_lead_somewhere(client):
    found = {
        node.attributes["href"] for path in PAGES for node in LexborHTMLParser(client.get(path).text).css("a[href]")
    }
    inner = {address for address in found if not address.startswith(("#", "/search"))}
    assert inner >= {"/", "/statistics", "/about", "/privacy"}
    assert {address: client.get(address).status_code for address in inner} == dict.fromkeys(inner, 200)


@pytest.mark.parametrize(
    ("path", "current"), [("/", "Search"), ("/ask", "Ask"), ("/statistics", "Statistics"), ("/about", "About")]
)
def test_the_page_one_is_on_is_marked(client, path, current):
    tree = LexborHTMLParser(client.get(path).text)
    assert texts(tree, "header [aria-current=page]") == [current]


def test_the_landing_page(client, annotated_library):
    tree = LexborHTMLParser(client.get("/").text)
    (form,) = tree.css("form[role=search]")
    assert (form.attributes["action"], form.attributes["method"]) == ("/search", "get")
    assert [node.attributes["name"] for node in form.css("input")] == ["q", "in", "in"]
    radios = [(n.attributes["value"], "checked" in n.attributes) for n in form.css("input[type=radio]")]
    assert radios == [("text", True), ("url", False)]
    assert texts(tree, ".examples a") == list(EXAMPLES)
    assert tree.css_first(".examples a").attributes["href"] == "/search?q=payment%20information"
    (read,) = tree.css("form[action='/read']")
    assert (read.attributes["method"], read.css_first("textarea").attributes["name"]) == ("post", "given")
    size = status(annotated_library)
    assert f"{size.policies} policies of {size.domains} sites, {size.words:,} words in all." in tree.text().replace(
        "\n", " "
    )


def test_an_empty_library_says_how_to_fill_it(serve, library):
    client = serve(library.path)
    assert "The library is empty." in client.get("/").text
    statistics = client.get("/statistics")
    assert statistics.status_code == 200
    assert [texts(LexborHTMLParser(statistics.text), ".facts dd")] == [["0", "0", "0", "0 %"]]


def test_every_page_but_the_landing_page_has_the_search_box(client):
    for path in ("/statistics", "/about", "/privacy", "/nowhere"):
        (form,) = LexborHTMLParser(client.get(path).text).css("form[role=search]")
        assert form.attributes["action"] == "/search"
        assert [n.attributes["value"] for n in form.css("select[name=in] option")] == ["text", "url"]


def test_every_page_but_that_of_conversations_has_the_box_to_ask(client):
    for path in ("/", "/statistics", "/search?q=cookies", "/privacy", "/nowhere", "/search?rank=nonsense"):
        (form,) = LexborHTMLParser(client.get(path).text).css("footer form")
        assert (form.attributes["action"], form.attributes["method"]) == ("/ask", "get")
        assert [node.attributes["name"] for node in form.css("input")] == ["q"]
    assert LexborHTMLParser(client.get("/ask").text).css("footer form") == []


def test_on_a_policys_pages_the_box_asks_that_policy(client, bank, bank_path):
    for path in ("", "/ask?question=x", "/diff", "/evidence?s=1"):
        (form,) = LexborHTMLParser(client.get(bank_path + path).text).css("footer form")
        fields = {node.attributes["name"]: node.attributes.get("value") for node in form.css("input")}
        assert fields == {"q": None, "policy": bank.entry.policy_id}


def test_head_is_answered_as_get_is(client):
    for path in PAGES:
        answer = client.head(path)
        assert (answer.status_code, answer.content) == (200, b"")


def test_no_page_of_documentation_loads_scripts(client):
    assert client.get("/docs").status_code == client.get("/redoc").status_code == 404
    schema = client.get("/api/v1/openapi.json")
    assert schema.status_code == 200
    assert [path for path in schema.json()["paths"] if not path.startswith("/api/")] == []


def test_static_files_may_be_kept_for_good_since_their_address_changes_with_them(client, tmp_path, monkeypatch):
    answer = client.get(static("smallprint.css"))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    (tmp_path / "one.css").write_text("a {}")
    monkeypatch.setattr("smallprint.web.rendering.STATIC", tmp_path)
    before = static("one.css")
    (tmp_path / "one.css").write_text("b {}")
    static.cache_clear()
    assert before.partition("?v=")[0] == static("one.css").partition("?v=")[0]
    assert before != static("one.css")
    static.cache_clear()


def test_templates_are_short_and_vendored_scripts_name_their_version():
    lengths = {path.name: len(path.read_text().splitlines()) for path in (FOLDER / "templates").iterdir()}
    assert {name: lines for name, lines in lengths.items() if lines > 150} == {}
    scripts = [path.name for path in (FOLDER / "static").glob("*.min.js")]
    assert [name for name in scripts if not re.search(r"-\d+\.\d+\.\d+\.min\.js$", name)] == []
    assert all(Path(FOLDER / "static" / name.replace(".min.js", ".LICENSE.txt")).is_file() for name in scripts)


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(0, 0, "0 %"), (0, 7, "0 %"), (1, 1, "100 %"), (1, 8, "12 %"), (1, 80, "1.2 %"), (42, 10_000, "0.42 %"),
     (1, 100_000, "< 0.01 %"), (995, 10_000, "9.9 %")],
)  # fmt: skip
def test_shares_have_the_decimals_they_deserve(part, whole, shown):
    assert share(part, whole) == shown


def test_rejected_pages_are_listed_with_their_reasons(client, annotated_sample):
    with Library(annotated_sample) as library:
        counts, every = rejection_counts(library), list(rejections(library))
    tree = LexborHTMLParser(client.get("/rejections").text)
    assert texts(tree, "[aria-labelledby=reasons] li") == [f"{reason}: {n}" for reason, n in counts.items() if n]
    assert len(tree.css("[aria-labelledby=pages] li")) == len(every) > 0
    chosen = LexborHTMLParser(client.get("/rejections", params={"reason": "exact duplicate"}).text)
    copies = [one for one in every if str(one.reason) == "exact duplicate"]
    assert len(chosen.css("[aria-labelledby=pages] li")) == len(copies) > 0
    assert client.get("/rejections?reason=nonsense").status_code == 200
