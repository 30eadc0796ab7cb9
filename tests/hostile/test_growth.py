"""The work on a page grows with its length, never with its square: from cleaning to comparing and quoting."""

from __future__ import annotations

import pytest

from smallprint.annotate.registry import annotate, annotators
from smallprint.ask.question.normalising import normalise
from smallprint.clean.cleaning import _excess, read
from smallprint.clean.dates import effective_on, updated_on
from smallprint.clean.language import language
from smallprint.clean.lines import read_lines
from smallprint.clean.segments import compose
from smallprint.models.policyhood import evidence
from smallprint.records import Block, Document, Page, PageKind
from smallprint.search.language import parse_query
from smallprint.search.snippets import snippets
from smallprint.sources.links import policy_links
from smallprint.text import shingles, word_hashes
from smallprint.view.changes import diff

from ..growth import grows_linearly
from .growing import PAGES, TEXTS

URL = "https://shop.example/privacy"
LARGEST = 24_000


def read_through(content: str, kind: PageKind) -> None:
    """Do all that is done with a page from its bytes to its annotations, whether it is a policy or not."""
    reading = read(Page(URL, content.encode(), kind, "test", "2026-01-01T00:00:00+00:00"))
    if isinstance(reading, str) or _excess(reading):
        return
    for blocks in (reading.policy_blocks(), [Block(b.kind, b.text, b.level) for b in reading.blocks]):
        plain = "\n".join(block.text for block in blocks)
        evidence(URL, reading.title, tuple(block.text for block in blocks if block.kind == "heading"), plain)
        language(plain)
        shingles(word_hashes(plain))
        text, segments = compose(blocks)
        effective_on(text)
        updated_on(text)
        annotate(Document("v1", URL, reading.title, text, plain, segments), annotators("fast"))
    if kind == "html":
        policy_links(content, URL)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_the_work_on_a_page_grows_with_its_length(name):
    assert grows_linearly(lambda content: read_through(content, "html"), PAGES[name], LARGEST)


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_the_work_on_a_text_grows_with_its_length(name):
    assert grows_linearly(lambda content: read_through(content, "text"), TEXTS[name], LARGEST)


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_comparing_and_quoting_grow_with_the_length(name):
    def compare(content: str) -> None:
        changed = " ".join(f"{word}x" if place % 7 == 0 else word for place, word in enumerate(content.split(" ")))
        for other in (changed, content[::-1]):
            diff(content, other)
        text, segments = compose(read_lines(content))
        snippets(text, segments, (("we",), ("data",), ("a",), ("collect", "your")))
        parse_query(content)
        normalise(content)

    assert grows_linearly(compare, TEXTS[name], LARGEST)
