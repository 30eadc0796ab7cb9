"""Marks nest and cover exactly the places they were given, however these cross."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.web.present.marks import Mark, marked

from .making import Marked

TEXT = "a <b> & c"
PLACES = st.tuples(st.integers(0, 40), st.integers(0, 12), st.sampled_from(["found", "name", "vague"]))


@pytest.mark.parametrize(
    ("marks", "html"),
    [
        ([], "one two three"),
        ([Mark(4, 7, "vague")], 'one <mark class="vague">two</mark> three'),
        ([Mark(4, 7, "name", '"2"')], 'one <mark class="name" title="&#34;2&#34;">two</mark> three'),
        # One within the other, given in either order.
        (
            [Mark(4, 7, "vague"), Mark(0, 7, "name")],
            '<mark class="name">one <mark class="vague">two</mark></mark> three',
        ),
        # Two that cross: the later one is cut.
        (
            [Mark(0, 7, "name"), Mark(4, 13, "vague")],
            '<mark class="name">one <mark class="vague">two</mark></mark><mark class="vague"> three</mark>',
        ),
        # Two that touch, and one of no length.
        ([Mark(0, 3, "name"), Mark(3, 7, "vague"), Mark(5, 5, "found")],
         '<mark class="name">one</mark><mark class="vague"> two</mark> three'),
    ],
)  # fmt: skip
def test_how_marks_are_written(marks, html):
    assert marked("one two three", 0, 13, marks) == html


def test_only_what_lies_within_is_written():
    html = marked("one two three", 4, 7, [Mark(0, 5, "name"), Mark(6, 13, "vague"), Mark(8, 13, "found")])
    assert html == '<mark class="name">t</mark>w<mark class="vague">o</mark>'


def test_words_and_titles_are_escaped():
    assert marked(TEXT, 0, len(TEXT), [Mark(2, 5, "found")]) == (
        'a <mark class="found">&lt;b&gt;</mark> &amp; c'
    )  # fmt: skip
    assert "<script>" not in marked(TEXT, 0, 3, [Mark(0, 1, "<script>", "<script>")])


@given(st.text("ab<&\"'\n é", max_size=40), st.lists(PLACES, max_size=12), st.integers(0, 10), st.integers(0, 40))
def test_marks_cover_what_they_were_given_and_no_word_is_lost(text, places, start, end):
    start, end = min(start, len(text)), min(max(start, end), len(text))
    marks = [Mark(begin, begin + length, css) for begin, length, css in places]
    found = Marked(marked(text, start, max(start, end), marks), start)
    assert found.text == text[start:end]
    for css in ("found", "name", "vague"):
        wanted = {at for one in marks if one.css == css for at in range(one.start, one.end)}
        assert found.covered(css) == {at for at in wanted if start <= at < end}
