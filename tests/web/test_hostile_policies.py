"""Policies are hostile input: one that attacks with all it has is inert on every page that shows it."""

from __future__ import annotations

import json
import re

import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint.annotate.readability import Readability
from smallprint.annotate.vagueness import Vagueness, VagueWord
from smallprint.library.directory import replace_companies
from smallprint.library.reading import find_policy
from smallprint.records import Block, Company, Mention, SectorGuess
from smallprint.sources.companies import Listed
from smallprint.taxonomy import Label
from smallprint.web.rendering import static

from ..library.test_annotations import table
from .making import add_policy

ATTACK = (
    "<img src=x onerror=alert(1)></p></title></textarea></details><script>alert(2)</script>\"'><svg/onload=alert(3)>"
)
URL = "https://evil.example/privacy?<script>alert(4)</script>"
FIRST = Label("first-party")
QUERY = "%3Cscript%3Ealert(5)%3C/script%3E"


def blocks(word):
    return [
        Block("heading", f"{ATTACK} heading", 1),
        Block("paragraph", f"We may {word} your cookies with anybody. {ATTACK}"),
        Block("paragraph", f"{{{{ 7 * 7 }}}} We ask for {{% raw %}} {ATTACK}:"),
        Block("item", f"your name {ATTACK}"),
        Block("row", f"{ATTACK} | {ATTACK}"),
    ]


@pytest.fixture
def evil(serve, library):
    """Give a client, and the id of a policy with two versions whose every word was written to do harm."""
    for at, word in (("2021-05-01", "share"), ("2023-02-10", "sell")):
        text = f"We may {word} your cookies"
        start = len(f"{ATTACK} heading\n\n")
        packed = add_policy(
            library, URL, blocks(word), at, title=ATTACK, asked="javascript:alert(6)", source=ATTACK,
            said=[
                ("readability", Readability(10, 1, 15, 0, 9.0)),
                ("sector", SectorGuess("media", 0.9)),
                ("practices", table({}, {FIRST: 255}, {FIRST: 200}, {FIRST: 255}, {})),
                # Marks that cross the attack itself.
                ("vagueness", Vagueness(2, 1, 1, (VagueWord(start + 3, start + 6, 0.9), VagueWord(3, 30, 0.9)))),
                ("mentions", (Mention("technology", "cookies", start + text.index("cookies"), start + 90),)),
            ],
        )  # fmt: skip
    add_policy(library, "https://other.example/privacy", blocks("keep"), title=ATTACK)
    replace_companies(library, [Listed(Company("evil.example", ATTACK, ATTACK, 1999, ATTACK, ATTACK), 3)])
    assert packed.policy_id == find_policy(library, "evil.example").policy_id
    return serve(library.path, serve_rate=0), packed.policy_id


HTMX, SENDING = static("htmx-2.0.11.min.js"), static("sending.js")
SCRIPTS = ([HTMX], [HTMX, SENDING], [HTMX, SENDING, static("ask.js")], [HTMX, SENDING, static("conversation.js")])
PAGES = {
    "": 200,
    "?mark=vague&mark=names&show=first-party&others=hide&s=1": 200,
    f"?q={QUERY}": 200,
    f"?version={QUERY}": 404,
    f"?show={QUERY}&others={QUERY}&mark={QUERY}": 200,
    "/diff": 200,
    f"/diff?old={QUERY}": 404,
    "/evidence?s=0&s=1&s=2&s=3&s=4": 200,
    f"/evidence?version={QUERY}": 404,
    "/ask": 200,
    "/ask?question=Do+you+sell+my+cookies%3F": 200,
    f"/ask?question={QUERY}": 200,
    f"/ask?question=x&version={QUERY}": 404,
    f"?question={QUERY}&at={QUERY}&at=3-900&at=20-25": 200,
}


def is_inert(answer, status=200):
    assert answer.status_code == status
    tree = LexborHTMLParser(answer.text)
    assert tree.css("img, iframe, object, embed, base, style, [style]") == []
    assert [node.text() for node in tree.css("script") if node.text()] == []
    assert [node.attributes["src"] for node in tree.css("script")] in SCRIPTS
    for node in tree.css("*"):
        assert [name for name in node.attributes if name.startswith("on")] == []
    for node in tree.css("[href], [action], [formaction], [src], [cite]"):
        for name in ("href", "action", "formaction", "src", "cite"):
            assert re.match(r"/|#|https?://|$", node.attributes.get(name) or ""), node.html
    assert len(tree.css("title")) - len(tree.css("svg title")) == 1
    assert "{{" not in re.sub(r"\{\{ 7 \* 7 \}\}", "", answer.text)
    assert "49" not in " ".join(node.text() for node in tree.css(".words"))
    return tree


@pytest.mark.parametrize("query", PAGES)
def test_every_page_of_a_hostile_policy_is_inert(evil, query):
    client, policy_id = evil
    is_inert(client.get(f"/policies/{policy_id}{query}"), PAGES[query])


def test_its_words_are_all_there_as_text(evil):
    client, policy_id = evil
    tree = is_inert(client.get(f"/policies/{policy_id}?mark=vague&mark=names&q=img+script"))
    assert tree.css_first("h1").text() == ATTACK
    assert [node.text() for node in tree.css(".passage .words")] == [one.text for one in blocks("sell")]
    assert tree.css_first(".passage mark.name").text().startswith("cookies with anybody. <img src=x")
    tree = is_inert(client.get(f"/policies/{policy_id}/evidence?s=1"))
    assert tree.css_first(".exhibit .words").text() == blocks("sell")[1].text


def test_comparing_hostile_policies(evil):
    client, _ = evil
    tree = is_inert(client.get("/compare?policy=evil.example&policy=other.example"))
    assert ATTACK in tree.css_first("blockquote").text() or "We may sell" in tree.css_first("blockquote").text()
    is_inert(client.get(f"/compare?policy={QUERY}"), 404)
    is_inert(client.get(f"/compare?policy=evil.example&only={QUERY}"))


@pytest.mark.parametrize(
    "said",
    ["Do you sell my cookies?", "what is it vague about?", "anything surprising?",
     "compare what evil.example and other.example sell", ATTACK, f"does {ATTACK} sell my data?"],
)  # fmt: skip
def test_talking_about_hostile_policies(evil, said):
    client, policy_id = evil
    tree = is_inert(client.get("/ask", params={"q": said, "policy": policy_id}))
    assert tree.css_first(".asked").text() == said
    carried = tree.css_first("input[name=conversation]").attributes["value"]
    again = is_inert(client.post("/ask", data={"conversation": carried, "said": "more"}))
    assert again.css_first(".past .asked").text() == said
    is_inert(client.get("/ask", params={"policy": policy_id}))


def test_a_conversation_that_was_made_to_do_harm(evil):
    client, policy_id = evil
    past = [{"asked": ATTACK, "said": ATTACK}]
    pending = {"waits": "which", "options": [{"label": ATTACK, "question": ATTACK, "policy_id": policy_id}]}
    carried = json.dumps({"version": 1, "policy_id": policy_id, "question": ATTACK, "past": past, "pending": pending})
    for choice in ("1", "more", "yes"):
        tree = is_inert(client.post("/ask", data={"conversation": carried, "choice": choice}))
        assert tree.css_first(".past .asked").text() == ATTACK


def test_pages_about_nothing_are_inert(evil):
    client, _ = evil
    for part in ("", "/diff", "/evidence", "/ask", "/text", "/page"):
        is_inert(client.get(f"/policies/{QUERY.replace('/', '%252F')}{part}"), 404)


def test_the_bare_text_and_the_page_are_never_shown_as_pages(evil):
    client, policy_id = evil
    for part, kind in (("text", "text/plain; charset=utf-8"), ("page", "application/octet-stream")):
        answer = client.get(f"/policies/{policy_id}/{part}")
        assert "<script>alert(2)" in answer.text
        assert (answer.headers["content-type"], answer.headers["x-content-type-options"]) == (kind, "nosniff")
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
