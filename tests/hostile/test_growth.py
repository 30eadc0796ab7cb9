"""The work on a page grows with its length, never with its square: from cleaning to comparing and quoting."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest

from smallprint.annotate.annotating import annotate, annotators
from smallprint.ask.question import normalise
from smallprint.clean.cleaning import _excess, read
from smallprint.clean.dates import effective_on, updated_on
from smallprint.clean.language import language
from smallprint.clean.lines import read_lines
from smallprint.clean.policyhood import evidence
from smallprint.clean.segments import compose
from smallprint.records import Block, Document, Page, PageKind
from smallprint.search.language import understand
from smallprint.search.snippets import snippets
from smallprint.sources.links import policy_links
from smallprint.text import shingles, word_hashes
from smallprint.view.changes import diff

from .growing import PAGES, TEXTS

URL = "https://shop.example/privacy"
SIZES = (10_000, 40_000)


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


def grows_linearly(work: Callable[[str], object], make: Callable[[int], str]) -> bool:
    """Tell whether four times the input takes about four times the CPU; what is quadratic takes sixteen times."""

    def seconds(size: int) -> float:
        content = make(size)
        begun = time.process_time()
        work(content)
        return time.process_time() - begun

    # The constant drowns the noise of what takes no time; a busy machine may disturb one run, not four.
    return any(seconds(SIZES[1]) <= 8 * seconds(SIZES[0]) + 0.1 for _ in range(4))


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_the_work_on_a_page_grows_with_its_length(name):
    assert grows_linearly(lambda content: read_through(content, "html"), PAGES[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_the_work_on_a_text_grows_with_its_length(name):
    assert grows_linearly(lambda content: read_through(content, "text"), TEXTS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_comparing_and_quoting_grow_with_the_length(name):
    def compare(content: str) -> None:
        changed = " ".join(f"{word}x" if place % 7 == 0 else word for place, word in enumerate(content.split(" ")))
        for other in (changed, content[::-1]):
            diff(content, other)
        text, segments = compose(read_lines(content))
        snippets(text, segments, (("we",), ("data",), ("a",), ("collect", "your")))
        understand(content)
        normalise(content)

    assert grows_linearly(compare, TEXTS[name])


def test_the_measure_of_growth_tells_a_quadratic_step():
    assert not grows_linearly(re.compile("a*b").search, lambda size: "a" * size)
