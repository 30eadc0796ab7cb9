from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint import limits
from smallprint.clean.cleaning import clean, read
from smallprint.clean.layout import lay_out
from smallprint.clean.lines import read_lines
from smallprint.clean.link_places import in_policy
from smallprint.clean.segments import compose
from smallprint.controls import tidy
from smallprint.records import Block, Link, Page
from smallprint.settings import Settings

URL = "https://acme.example/legal/privacy"
SENTENCE = "We collect the personal information that you give to us, and we share it with nobody else at all."


def links(html: str, url: str = URL) -> list[tuple[str, str]]:
    page = Page(url, f"<main>{html}<p>{SENTENCE}</p></main>".encode(), "html", "test", "")
    return words_and_addresses(page)


def words_and_addresses(page: Page) -> list[tuple[str, str]]:
    reading = read(page)
    blocks = reading.policy_blocks()
    text, _ = compose(blocks)
    return [(text[link.start : link.end], link.url) for link in in_policy(blocks, text, page.url, reading.base)]


def test_a_capture_has_the_links_of_its_text():
    html = f"""<title>Privacy Policy</title><nav><a href="/">Home</a></nav><main><h1>Privacy Policy</h1>
        <p>{SENTENCE * 5}</p>
        <ul><li>You can <a href="/opt-out"> opt  out\n<b>here</b> </a>, or
        <a href="mailto:dpo@acme.example">write</a>.</li></ul>
        <p>Our <a href="https://partner.test/privacy#ads">partner’s policy</a> holds too.</p></main>"""
    capture = clean(Page(URL, html.encode(), "html", "test", ""), Settings())
    assert [(capture.text[link.start : link.end], link.url) for link in capture.links] == [
        ("opt out here", "https://acme.example/opt-out"),
        ("write", "mailto:dpo@acme.example"),
        ("partner’s policy", "https://partner.test/privacy#ads"),
    ]
    holding = [segment for segment in capture.segments for link in capture.links if segment.start <= link.start]
    assert capture.text[holding[-1].start : holding[-1].end] == "Our partner’s policy holds too."


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("opt-out", "https://acme.example/legal/opt-out"),
        ("/opt-out?a=1&amp;b=2", "https://acme.example/opt-out?a=1&b=2"),
        ("//other.test/x", "https://other.test/x"),
        (" HTTPS://Other.test/My Choices\n", "https://Other.test/My%20Choices"),
        ("?tab=2", "https://acme.example/legal/privacy?tab=2"),
        ("mailto:privacy@acme.example?subject=Delete", "mailto:privacy@acme.example?subject=Delete"),
        ("https://acme.example/terms#law", "https://acme.example/terms#law"),
        ("#rights", None),
        ("https://acme.example/legal/privacy#rights", None),
        ("", None),
        ("mailto:", None),
        ("mailto:?body=a@b", None),
        ("tel:+1234", None),
        ("javascript:void(0)", None),
        ("data:text/html,x", None),
        ("https:", None),
        ("http://[broken/", None),
        ("/" + "x" * limits.MAX_ADDRESS, None),
        ("https://a.test/\u202egpj.exe", "https://a.test/gpj.exe"),
    ],
)
def test_addresses_are_absolute_and_lead_away(href, address):
    assert links(f'<p>See <a href="{href}">this</a>.</p>') == ([("this", address)] if address else [])


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("https://cdn.test/docs/", "https://cdn.test/docs/x"),
        ("/other/", "https://acme.example/other/x"),
        ("javascript:1", "https://acme.example/legal/x"),
        ("", "https://acme.example/legal/x"),
    ],
)
def test_addresses_are_resolved_against_the_base(base, address):
    assert links(f'<base href="{base}"><p>See <a href="x">this</a>.</p>') == [("this", address)]


def test_a_page_from_a_file_keeps_only_whole_addresses():
    html = '<p>See <a href="x">this</a> and <a href="https://a.test/">that</a>.</p>'
    assert links(html, "file:///home/me/privacy.html") == [("that", "https://a.test/")]


def test_a_link_around_several_blocks_is_one_in_each():
    html = '<a href="/x"><h2>Your choices</h2><p>Read about them</p></a><p>After it.</p>'
    assert links(html) == [("Your choices", "https://acme.example/x"), ("Read about them", "https://acme.example/x")]


def test_links_in_rows_with_empty_cells():
    html = '<table><tr><td></td><td>|<a href="/a">Name</a></td><td></td><td><a href="/b">Use|</a></td></tr></table>'
    assert links(html) == [("Name", "https://acme.example/a"), ("Use", "https://acme.example/b")]


def test_links_without_words_are_none():
    assert links('<p>See <a href="/x"><img src="x.png"></a><a href="/y"> </a><a name="z">this</a>.</p>') == []


def test_the_menu_has_no_links_of_the_policy():
    page = Page(URL, f'<nav><a href="/">Home</a></nav><main><p>{SENTENCE}</p></main>'.encode(), "html", "test", "")
    assert words_and_addresses(page) == []


def test_markdown_links_by_their_places():
    text = f"""# Our [privacy](/privacy) policy

{SENTENCE} You can [opt out](https://ads.test/out "Opt out"), [![logo](logo.png)](https://logo.test/) or
[write to
us](mailto:dpo@acme.example) at any time.

* [Delete my data](/delete)
1. [One [inner](/inner) outer](/outer)
"""
    assert words_and_addresses(Page(URL, text.encode(), "text", "test", "")) == [
        ("privacy", "https://acme.example/privacy"),
        ("opt out", "https://ads.test/out"),
        ("logo", "https://logo.test/"),
        ("write to us", "mailto:dpo@acme.example"),
        ("Delete my data", "https://acme.example/delete"),
        ("inner", "https://acme.example/inner"),
    ]


def test_text_with_lost_characters_has_no_links():
    text = f"{SENTENCE} It\ufffds [here](https://a.test/)."
    assert read_lines(text) == [Block("paragraph", f"{SENTENCE} It’s here.")]


WORDS = st.text(alphabet=" \n\t|ab.©\u00ad\u200b\x01é", max_size=8)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(WORDS, WORDS, st.sampled_from(["", "<br>", "<br><br>", "<b>x</b>", "<p>"])), max_size=6))
def test_the_place_of_a_link_is_that_of_its_words(pieces):
    html = "".join(f'{before}<a href="/{n}">{words}</a>{after}' for n, (before, words, after) in enumerate(pieces))
    placed: dict[str, str] = {}
    for block in lay_out(html).blocks:
        for link in block.links:
            words = block.text[link.start : link.end]
            assert words == words.strip() != ""
            placed[link.url] = placed.get(link.url, "") + "".join(words.split())
    for number, (_, words, _) in enumerate(pieces):
        seen = "".join(tidy(words.replace("\u00ad", "").replace("\u200b", "")).split())
        # Bars at the ends of a block are no words.
        assert placed.get(f"/{number}", "").strip("|") == seen.strip("|") or seen.strip("|") == ""


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(WORDS, WORDS), max_size=6))
def test_the_place_of_a_markdown_link_is_that_of_its_words(pieces):
    text = "".join(f"{before}[{words}](/{number})" for number, (before, words) in enumerate(pieces))
    placed: dict[str, str] = {}
    for block in read_lines(text):
        for link in block.links:
            placed[link.url] = placed.get(link.url, "") + "".join(block.text[link.start : link.end].split())
    assert placed.keys() <= {f"/{number}" for number in range(len(pieces))}
    for address, words in placed.items():
        assert words in "".join(tidy(pieces[int(address[1:])][1]).split())


def test_nested_links_of_table_cells_follow_one_another():
    html = '<table><tr><td><a href="/a">one <table><tr><td><a href="/b">two</a> three</td></tr></table></a></td></tr>'
    assert links(html) == [("one", "https://acme.example/a"), ("two", "https://acme.example/b")]


def test_a_record_holds_places_in_its_text():
    blocks = [Block("paragraph", "See this.", links=(Link(4, 8, "/x"),)), Block("paragraph", "See this.")]
    text, _ = compose(blocks)
    assert in_policy(blocks, text, URL, "") == (Link(4, 8, "https://acme.example/x"),)
    assert in_policy(blocks[::-1], text, URL, "") == (Link(15, 19, "https://acme.example/x"),)
