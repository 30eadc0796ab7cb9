"""Policies are hostile input: whatever they call themselves reaches a page as text."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError
from selectolax.lexbor import LexborHTMLParser

from smallprint.library.writing import save
from smallprint.web.present.figures import Bar
from smallprint.web.rendering import chart, environment, render

from ..library.making import capture

HOSTILE = """<img src=x onerror="alert('1')"></title></textarea><script>alert(2)</script>&amp;{{ 7 * 7 }}"""


@pytest.fixture
def hostile(library):
    """Give a library whose only policy has a title, a text and an address made to do harm."""
    url = "https://evil.example/privacy?<script>alert(3)</script>"
    with library.transaction() as db:
        save(db, [capture(url, f"We keep your data. {HOSTILE}", title=HOSTILE)])
    return library


def test_no_page_holds_what_a_hostile_policy_says_of_itself_as_markup(serve, hostile):
    client = serve(hostile.path, serve_rate=0)
    for path in (
        "/",
        "/statistics",
        "/about",
        "/privacy",
        f"/{HOSTILE}",
        f"/?q={HOSTILE}",
        f"/statistics?in={HOSTILE}",
    ):
        tree = LexborHTMLParser(client.get(path).text)
        assert tree.css("img") == []
        assert [node.text() for node in tree.css("script") if node.text()] == []


@pytest.mark.parametrize("template", ["_header.html", "_search_form.html", "_read_form.html", "error.html"])
def test_templates_escape_whatever_they_are_given(template):
    page = render(template, q=HOSTILE, where="text", given=HOSTILE, status=400, headline=HOSTILE, said=HOSTILE)
    tree = LexborHTMLParser(page)
    assert tree.css("img") == []
    assert [node.text() for node in tree.css("script") if node.text()] == []
    assert "&lt;script&gt;alert(2)&lt;/script&gt;" in page
    assert "{{ 7 * 7 }}" in page
    for field in tree.css("[role=search] input[name=q]"):
        assert field.attributes["value"] == HOSTILE


def test_charts_escape_whatever_they_are_given():
    svg = chart("bars", "one", HOSTILE, HOSTILE, rows=[Bar(HOSTILE, 1, HOSTILE, HOSTILE)], whole=1)
    tree = LexborHTMLParser(svg)
    assert tree.css("img, script") == []
    assert tree.css_first("svg title").text() == HOSTILE
    assert tree.css_first("text.name").text() == f"{HOSTILE} {HOSTILE}"
    assert tree.css_first("text.value").text() == "1 · 100 %"


def test_every_template_escapes_and_knows_its_names():
    assert environment().autoescape is True
    assert environment().from_string("{{ x }}").render(x="<b>") == "&lt;b&gt;"
    with pytest.raises(UndefinedError):
        environment().from_string("{{ missing }}").render()
