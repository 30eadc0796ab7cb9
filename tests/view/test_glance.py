from __future__ import annotations

import re

from smallprint.records import Reason, Rejection, Segment, Span
from smallprint.settings import Settings
from smallprint.view.glance import AROUND, QUOTE, Glance, _quotation, glance, pasted

TEXT = """Privacy Policy

We collect your name, e-mail address and payment details when you open an account. {long}

We may share the following with advertising partners:

- your location, which we learn from your telephone
- the pages that you have looked at, by means of cookies

We keep your information for two years after you close your account, and then we delete it. Under the GDPR you may ask
us for a copy of it. Cookies are small files."""
LONG = "We use it to send you what you ordered, to answer when you write to us, and to keep our books. " * 5


def read(text, **settings) -> Glance:
    found = glance(pasted(text), Settings(**settings))
    assert isinstance(found, Glance)
    return found


def test_a_text_is_read_with_quotations_and_names_in_their_place():
    text = TEXT.format(long=LONG)
    found = read(text)
    assert (found.title, found.is_policy) == ("Privacy Policy", True)
    assert abs(found.words - len(text.split())) <= 4
    by_category = {one.category: one for one in found.practices}
    assert list(by_category)[:2] == ["first-party", "third-party"]
    assert by_category["first-party"].details
    flat = " ".join(text.split())
    lines = [" ".join(line.split()) for line in re.split(r"\n\n|\n- ", text)]
    for one in found.practices:
        assert len(one.quote) <= QUOTE + 2
        assert one.quote.removesuffix(" …").split(": ")[-1] in flat
    names = {one.name: one for one in found.names}
    assert (names["GDPR"].group, names["Cookies"].times) == ("regulation", 2)
    for one in found.names:
        assert any(one.before.removeprefix("… ") + one.words + one.after.removesuffix(" …") in line for line in lines)
        assert len(one.before) <= AROUND + 2


def test_a_list_item_is_quoted_with_the_words_that_introduce_it():
    text = "We share with partners:\nyour location, which we learn\nfrom your telephone. " + "And more of it. " * 30
    start = text.index("your")
    sentences = (Span(start, text.index("And") - 1), Span(text.index("And"), len(text)))
    segment = Segment(1, "item", start, len(text), (), Span(0, start - 1), sentences)
    assert _quotation(text, segment) == "We share with partners: your location, which we learn from your telephone."
    endless = "word " * 200
    quote = _quotation(endless, Segment(0, "paragraph", 0, len(endless), (), None, (Span(0, len(endless)),)))
    assert quote.endswith("word …")
    assert len(quote) <= QUOTE + 2


def test_the_source_of_a_page_is_read_as_a_page():
    body = "".join(f"<p>{line}</p>" for line in TEXT.format(long=LONG).split("\n\n")[1:])
    found = read(f"<!doctype html><html><title>Our policy</title><body><h1>Our policy</h1>{body}</body></html>")
    assert found.title == "Our policy"
    assert pasted("We use <b>bold</b> words.").kind == "text"


def test_what_is_no_policy_is_read_and_said_to_be_none():
    found = read("The bridge was built of stone, and the river was wide and slow below its arches. " * 6)
    assert (found.is_policy, found.title) == (False, "")
    assert found.p_policy < 0.5


def test_what_cannot_be_read_is_a_rejection():
    short = glance(pasted("We keep your data."), Settings())
    assert isinstance(short, Rejection)
    assert short.reason is Reason.TOO_SHORT
    assert isinstance(glance(pasted("\ud800" * 300), Settings()), Rejection)
    assert isinstance(glance(pasted("\x00" * 300), Settings()), Rejection)
