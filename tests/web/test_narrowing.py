"""What stands beside and below the results, piece by piece: bars inside a range, pages, ranges in words."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint.index.fields import RANGES
from smallprint.index.tree import Query
from smallprint.search.language import ParsedQuery
from smallprint.search.request import Request
from smallprint.search.results import RangeCounts, Results
from smallprint.web.pages.results import paging, spoken
from smallprint.web.present.narrowing import narrowing, small_histogram

GRADE, VAGUE = RANGES


def found(request=None, groups=0, scales=()):
    return Results(request or Request(), ParsedQuery(Query()), groups, groups, (), (), scales, (), (), 0.0)


def dimmed(scale, low, high):
    """Say which bars are dimmed, by where they begin."""
    counts = (1,) * scale.bars.count
    _, ((_, chart, *_),) = narrowing(found(scales=(RangeCounts(scale, counts, low, high),)))
    bars = LexborHTMLParser(chart).css("rect")
    return [round(place * scale.bars.step, 2) for place, bar in enumerate(bars) if "out" in bar.attributes["class"]]


def test_bars_outside_of_a_range_are_dimmed():
    assert dimmed(GRADE, None, None) == []
    assert dimmed(GRADE, 3, None) == [0, 1, 2]
    assert dimmed(GRADE, 3.5, None) == [0, 1, 2]
    assert dimmed(GRADE, None, 21) == [22, 23, 24]
    assert dimmed(GRADE, 30, None) == list(range(24))  # the last bar takes all above
    assert dimmed(VAGUE, 0.15, 0.8) == [0, 0.05, 0.1, 0.85, 0.9, 0.95]


def test_a_small_histogram_is_as_high_as_its_counts_and_says_so():
    svg = LexborHTMLParser(small_histogram('<b>"one"', (0, 1, 4, 2000), (True, True, False, True)))
    assert svg.css_first("svg").attributes["aria-label"] == '<b>"one"'
    heights = [float(bar.attributes["height"]) for bar in svg.css("rect")]
    assert heights == [1.5, 1.5, 36.0]  # one policy among thousands is still to be seen
    assert [bar.attributes["class"] for bar in svg.css("rect")] == ["bin", "bin out", "bin"]
    assert LexborHTMLParser(small_histogram("none", (), ())).css("rect") == []


def test_a_measure_that_nothing_has_is_left_out_unless_it_is_chosen():
    empty = (0,) * GRADE.bars.count
    assert narrowing(found(scales=(RangeCounts(GRADE, empty, None, None),)))[1] == []
    chosen = RangeCounts(GRADE, empty, 0.0, None)
    ((counts, _, first, last),) = narrowing(found(scales=(chosen,)))[1]
    assert (counts, first, last) == (chosen, "0", "24+")


@pytest.mark.parametrize(
    ("page", "groups", "numbers"),
    [(1, 10, []), (1, 11, [1, 2]), (1, 95, [1, 2, 3, None, 10]), (5, 95, [1, 2, 3, 4, 5, 6, 7, None, 10]),
     (6, 95, [1, None, 4, 5, 6, 7, 8, 9, 10]), (10, 95, [1, None, 8, 9, 10]),
     (50, 5000, [1, None, 48, 49, 50, 51, 52, None, 100])],
)  # fmt: skip
def test_pages_that_are_linked(page, groups, numbers):
    made = paging(found(Request(page=page), groups))
    assert [number for number, _ in made.steps] == numbers
    assert [number for number, address in made.steps if number and not address] == ([page] if numbers else [])


def test_there_are_a_hundred_pages_at_most():
    made = paging(found(Request(page=100), 1234))
    assert (made.last, made.next, made.beyond) == (100, None, 234)
    assert paging(found(Request(page=2), 1000)).beyond == 0
    assert paging(found(Request(page=7), 15)).previous == "/search?page=2"
    assert paging(found(Request(), 0)) == paging(found(Request(), 10)).__class__(None, None, (), 0, 0)


@pytest.mark.parametrize(
    ("limits", "said"),
    [((8, 12), "8 to 12"), ((8.5, None), "from 8.5"), ((None, 0.2), "up to 0.2"), ((0, 0), "0 to 0")],
)
def test_ranges_in_words(limits, said):
    assert spoken(limits) == said
