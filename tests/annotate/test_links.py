from __future__ import annotations

import pytest

from smallprint.annotate.links import KIND, PolicyLink, by_kind, find_links, kind_of
from smallprint.clean.cleaning import clean
from smallprint.records import Capture, Document, Link, Page, Segment, Span
from smallprint.settings import Settings

TEXT = "You can opt out of this here. To delete your account, visit this page. See our Cookie Policy."
SENTENCES = (Span(0, 29), Span(30, 70), Span(71, 93))
SEGMENTS = (Segment(0, "paragraph", 0, len(TEXT), (), None, SENTENCES),)
LINKS = (
    Link(24, 28, "https://one.example/x?id=1"),
    Link(60, 69, "https://one.example/y"),
    Link(79, 92, "https://one.example/legal/cookies"),
)
DOCUMENT = Document("v", "https://one.example/privacy", "", TEXT, TEXT, SEGMENTS, LINKS)
FOUND = (
    PolicyLink("opt-out", "here", "https://one.example/x?id=1", 24, 28),
    PolicyLink("request", "this page", "https://one.example/y", 60, 69),
    PolicyLink("policy", "Cookie Policy", "https://one.example/legal/cookies", 79, 92),
)


@pytest.mark.parametrize(
    ("words", "url", "before", "kind"),
    [
        ("Do Not Sell My Personal Information", "https://one.example/ccpa", "", "opt-out"),
        ("unsubscribe", "https://one.example/u", "", "opt-out"),
        ("Cookie settings", "https://one.example/#cookies", "", "opt-out"),
        ("http://optout.aboutads.info/", "http://optout.aboutads.info/", "visit ", "opt-out"),
        ("Nielsen", "https://nielsen.example/optout.html", "", "opt-out"),
        ("here", "https://one.example/form", "To opt-out of sales, click ", "opt-out"),
        ("Data Subject Access Request Portal", "https://one.example/z", "", "request"),
        ("Delete your account", "https://one.example/delete", "", "request"),
        ("privacy.one.example", "https://privacyportal.onetrust.com/webform/1", "", "request"),
        ("here", "https://one.example/form", "To exercise your rights, click ", "request"),
        ("contact us", "https://one.example/help", "", "contact"),
        ("privacy@one.example", "mailto:privacy@one.example", "", "contact"),
        ("our privacy team", "mailto:privacy@one.example", "", "contact"),
        ("here", "https://one.example/contact-us/", "write ", "contact"),
        ("Google's Privacy Policy", "https://google.example/", "", "policy"),
        ("Terms of Use", "https://one.example/tos", "", "policy"),
        ("here", "https://other.example/privacy", "see ", "policy"),
        ("our products", "https://one.example/products", "", "other"),
        ("here", "https://one.example/products", "look at our shoes ", "other"),
        ("[email protected]", "https://one.example/cdn-cgi/l/email-protection#12", "contact us at ", "other"),
        ("Section 4: your choices", "https://one.example/privacy#four", "", "other"),
        ("", "https://one.example/", "", "other"),
    ],
)
def test_the_kind_of_a_link(words, url, before, kind):
    assert kind_of(words, url, before, "https://one.example/privacy") == kind


def test_links_have_their_words_kind_and_place():
    assert find_links(DOCUMENT) == FOUND


def test_links_are_stored_and_read_back():
    assert KIND.decode(KIND.encode(FOUND)) == FOUND
    assert KIND.decode(KIND.encode(())) == ()


def test_only_the_words_before_a_link_in_its_own_sentence_count():
    text = "You can opt out. More is here."
    segments = (Segment(0, "paragraph", 0, len(text), (), None, (Span(0, 16), Span(17, 30))),)
    document = Document("v", "", "", text, text, segments, (Link(25, 29, "https://one.example/x"),))
    assert [link.kind for link in find_links(document)] == ["other"]


def test_what_a_reader_can_do_names_every_address_once_and_nothing_but_web_and_mail():
    again = PolicyLink("opt-out", "opt out", "https://one.example/x?id=1", 200, 207)
    script = PolicyLink("contact", "contact us", "javascript:alert(1)", 210, 220)
    other = PolicyLink("other", "shoes", "https://one.example/shoes", 230, 235)
    groups = by_kind((*FOUND, again, script, other))
    assert groups == {"opt-out": FOUND[:1], "request": FOUND[1:2], "policy": FOUND[2:]}
    assert list(groups) == ["opt-out", "request", "policy"]
    assert by_kind(()) == {}


def test_hosts():
    assert [link.host for link in FOUND] == ["one.example"] * 3
    assert PolicyLink("contact", "us", "mailto:us@one.example?subject=x", 0, 2).host == "us@one.example"
    assert PolicyLink("policy", "p", "https://www.two.example:8080/p", 0, 2).host == "two.example"


@pytest.mark.parametrize("words", ["a " * 50_000, "learn " * 20_000, "http://" + "a." * 40_000, "privacy " * 30_000])
def test_long_words_take_no_longer_than_they_are_long(words):
    assert kind_of(words, f"https://one.example/{words[:4000]}", words[:80]) in {"other", "policy"}


def test_hostile_links_of_a_page_are_left_out():
    prose = "<p>" + "We collect your personal data and share it with our partners under this privacy policy. " * 20
    page = (
        f"<html><head><title>Privacy Policy</title></head><body>{prose} <a href='javascript:alert(1)'>opt out</a> "
        "<a href='data:text/html,x'>contact us</a> <a href='vbscript:x'>terms</a> <a href='//evil.example/a b'>privacy"
        " policy of &lt;b&gt;Evil</a> <a href='mailto:me@one.example'>write</a></p></body></html>"
    )
    capture = clean(Page("https://one.example/privacy", page.encode(), "html", "test", "2024-01-01"), Settings())
    assert isinstance(capture, Capture)
    document = Document("v", capture.url, "", capture.text, "", capture.segments, capture.links)
    assert [(link.kind, link.words, link.url) for link in find_links(document)] == [
        ("policy", "privacy policy of <b>Evil", "https://evil.example/a%20b"),
        ("contact", "write", "mailto:me@one.example"),
    ]
