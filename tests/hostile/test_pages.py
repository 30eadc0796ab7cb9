"""Policies that attack are inert on every page: each of their words is text, and no element is theirs."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from .making import ATTACKS, BARE, COMMANDS, EVIL, NAME, PROSE, TWIN, page, text

ACTIVE = "img, iframe, frame, object, embed, base, style, applet, audio, video, canvas, math, foreignObject, animate"
ADDRESSES = (
    "href",
    "src",
    "action",
    "formaction",
    "cite",
    "data",
    "poster",
    "background",
    "hx-get",
    "hx-post",
    "xlink:href",
)
# Elements that our templates have, and where words of others stand; nothing else may stand within those.
WORDS = {
    ".hit h3 a": set(), ".hit .source a": set(), ".passage a": {"mark"}, ".others a": set(), ".others .source": set(),
    "h1": set(), "head > title": set(), ".words": {"mark", "ins", "del", "span", "a"}, ".contents a": set(),
    "blockquote": {"p", "a", "span", "mark"}, ".answer h3": set(), ".answer > .note": {"a"},
    ".above": set(), ".lead-in": set(), ".address": set(), ".proper": set(), ".choice .note": {"code", "a"},
}  # fmt: skip
QUERIES = (
    "", "cookies", "script", "alert onerror", NAME, "evil in:url", "7 cmd HYPERLINK", '"window.hit=1"', "url:privacy",
    *ATTACKS, "\u202ereversed", "\x1b[31m", "\x00", "title:<script>", 'site:"><script>',
)  # fmt: skip


def policy_pages(ids):
    evil = f"/policies/{ids[EVIL]}"
    every = "&".join(f"s={number}" for number in range(30))
    for one in ids.values():
        yield f"/policies/{one}?mark=vague&mark=names&q={quote('script cookies onerror')}"
    yield from (evil, f"{evil}?{every}&show=third-party&others=hide", f"{evil}?version=2022", f"{evil}/diff")
    yield from (f"{evil}/diff?old=2023&new=2022", f"{evil}/evidence?{every}", f"{evil}/evidence?version=2022&{every}")
    for attack in map(quote, ATTACKS):
        yield from (f"{evil}?q={attack}&show={attack}&mark={attack}&others={attack}", f"{evil}?version={attack}")
        yield from (
            f"{evil}/diff?old={attack}",
            f"{evil}/evidence?version={attack}",
            f"{evil}/ask?question={attack}",
            f"{evil}?question={attack}&at={attack}&at=5-900",
            f"/policies/{quote(attack, safe='')}",
        )
    for one in ids.values():
        yield f"/policies/{one}/ask?question={quote('Do you sell my payment information?')}"
    yield from (f"{evil}/ask?question=delete&version=2022", f"{evil}/ask?version={quote(ATTACKS[0])}")
    yield f"/compare?policy={ids[EVIL]}&policy={ids[BARE]}&policy={ids[TWIN]}&policy={ids['local']}"
    yield from (f"/compare?policy={quote(attack)}&policy={ids[EVIL]}&only={quote(attack)}" for attack in ATTACKS)


def is_inert(answer):
    """See that a page has no element, attribute or address but those of our templates; give its tree."""
    assert answer.status_code < 500, answer.text[:300]
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    tree = LexborHTMLParser(answer.text)
    assert [node.html for node in tree.css(ACTIVE)] == []
    for node in tree.css("*"):
        names = set(node.attributes)
        assert not [name for name in names if name.startswith(("on", "hx-on", "hx-vals", "srcdoc", "style"))], node.html
        for name in names & set(ADDRESSES):
            address = node.attributes[name] or ""
            assert re.match(r"/(?!/)|#|https?://|$", address), node.html
            # What is loaded or sent is ours; others are only linked to.
            assert node.tag == "a" or not urlsplit(address).netloc or name == "cite", node.html
    assert {node.attributes.get("src", "").partition("?")[0] for node in tree.css("script")} <= {
        "/static/htmx-2.0.11.min.js",
        "/static/search.js",
        "/static/sending.js",
        "/static/conversation.js",
        "/static/ask.js",
    }
    assert "".join(node.text() for node in tree.css("script")) == ""
    assert [node.attributes.get("http-equiv") for node in tree.css("meta")] == [None] * len(tree.css("meta"))
    assert len(tree.css("head > title")) <= 1
    for selector, allowed in WORDS.items():
        for node in tree.css(selector):
            assert {one.tag for one in node.css("*")} - {node.tag} <= allowed, node.html
    return tree


def test_the_attacks_came_in(ids):
    assert set(ids) == {EVIL, TWIN, BARE, "local"}


@pytest.mark.parametrize("query", QUERIES)
def test_results_are_inert(client, query):
    tree = is_inert(client.get("/search", params={"q": query}))
    is_inert(client.get("/search", params={"q": query}, headers={"HX-Request": "true"}))
    is_inert(client.get("/search", params={"q": query, "in": "url", "index": "page", "fold": "0"}))
    for link in tree.css("details.alike"):
        is_inert(client.get(link.attributes["hx-get"]))
        is_inert(client.get(link.attributes["hx-get"], headers={"HX-Request": "true"}))


def test_results_show_their_words_as_words(client):
    tree = is_inert(client.get("/search?q=cookies&fold=0"))
    assert len(tree.css(".hit")) == 4
    assert len(is_inert(client.get("/search?q=cookies")).css("details.alike")) == 1
    titles = [node.text() for node in tree.css(".hit h3")]
    assert all(title.startswith("=HYPERLINK(") and NAME in title for title in titles)
    assert any("<script>window.hit=1;alert(1)</script>" in title for title in titles)
    passages = " ".join(node.text() for node in tree.css(".passage"))
    assert "<" in passages
    # An address that is none of the web's is no link.
    sources = {node.text(): node.css("a") for node in tree.css(".hit .source")}
    assert [bool(links) for address, links in sources.items() if address.startswith("file:")] == [False]


def test_every_page_of_a_policy_is_inert(client, ids):
    pages = list(policy_pages(ids))
    assert len(pages) > 60
    for path in pages:
        is_inert(client.get(path))
        if "/ask?" in path:
            is_inert(client.get(path, headers={"HX-Request": "true"}))


def test_an_answer_shows_their_words_as_words(client, ids):
    tree = is_inert(client.get(f"/policies/{ids[EVIL]}/ask?question={quote('Do you share my information?')}"))
    words = " ".join(node.text() for node in tree.css(".answer .words"))
    assert "<" in words
    assert "49" not in words


def test_a_policys_page_shows_every_attack_as_words(client, ids):
    tree = is_inert(client.get(f"/policies/{ids[EVIL]}"))
    words = " ".join(node.text() for node in tree.css(".passage .words"))
    for attack in ATTACKS:
        assert attack in words, attack
    assert "49" not in words
    assert all(node.text() for node in tree.css(".contents a"))
    # The company's name and trade are another's words, too.
    assert ATTACKS[0] in tree.css_first(".particulars .proper").text()


def test_no_command_of_a_page_is_in_its_text(client, ids):
    for one in ids.values():
        text_ = client.get(f"/policies/{one}/text").text
        assert not [ascii(command) for command in COMMANDS if command in text_]
    titles = [node.text() for node in is_inert(client.get("/search?fold=0")).css(".hit h3")]
    assert all(title.isprintable() for title in titles)


@pytest.mark.parametrize(
    "path", ["/", "/statistics", "/about", "/privacy", "/help", f"/{quote(ATTACKS[0])}", f"/?q={quote(ATTACKS[1])}"]
)
def test_every_other_page_is_inert(client, path):
    is_inert(client.get(path))


@pytest.mark.parametrize(
    "given", [page(), text(), *ATTACKS, f"https://evil.example/{ATTACKS[0]}", " ".join(PROSE) + ATTACKS[1]]
)
def test_what_is_pasted_is_inert(client, given):
    is_inert(client.post("/read", data={"given": given}))


def test_text_and_page_are_never_shown_as_pages(client, ids):
    for part, kind in (("text", "text/plain; charset=utf-8"), ("page", "application/octet-stream")):
        answer = client.get(f"/policies/{ids[EVIL]}/{part}")
        assert "<script>" in answer.text
        assert (answer.headers["content-type"], answer.headers["x-content-type-options"]) == (kind, "nosniff")
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert ("attachment" in answer.headers.get("content-disposition", "")) == (part == "page")


def test_what_is_looked_for_would_be_found():
    class Answer:
        status_code, headers = 200, {"content-security-policy": "script-src 'self';"}

    for attack in ATTACKS[:10]:
        Answer.text = f'<h1>{attack}</h1><p title="{attack}">'
        with pytest.raises(AssertionError):
            is_inert(Answer)
