from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from smallprint import limits
from smallprint.errors import BadQuery
from smallprint.index.tree import Ranking
from smallprint.search.request import Request, read_request


def test_an_address_is_read_and_written_back():
    full = Request(
        text='"data breach" -x', where="url", chosen={"sector": ("medical", "travel"), "regulation": ("gdpr",)},
        ranges={"grade": (8.0, 12.0), "vagueness": (None, 0.25)}, rank=Ranking.DATE, page=3, size=20, index="page",
        match="all", fold=False,
    )  # fmt: skip
    assert read_request(parse_qsl(full.address())) == full
    assert Request().address() == ""
    assert read_request([]) == Request()


@pytest.mark.parametrize("limits", [(1e-6, None), (0.1234567, 0.9), (123456789.0, None), (None, 1e-9), (0.0, 8.0)])
def test_ranges_are_read_back_to_the_last_digit(limits):
    request = Request(ranges={"vagueness": limits})
    assert "e" not in request.address().partition("=")[2]
    assert read_request(parse_qsl(request.address())) == request


def test_forms_send_empty_fields_and_ends_of_ranges_apart():
    found = read_request(
        [("q", " cookies "), ("grade_min", "8"), ("grade_max", ""), ("vagueness_max", "0.5"), ("sector", "")]
    )
    assert (found.text, found.ranges, found.chosen) == ("cookies", {"grade": (8.0, None), "vagueness": (None, 0.5)}, {})


@pytest.mark.parametrize(
    "pairs",
    [
        [("rank", "best")], [("page", "0")], [("page", str(limits.MAX_RESULT_PAGES + 1))], [("page", "x")],
        [("page", "٣")],
        [("sector", "magic")], [("grade", "low")], [("grade", "12:8")], [("colour", "red")], [("index", "x")],
        [("size", "1000000000000")], [("page", "000000001999999")], [("size", "000000001999999")],
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_one_clear_line(pairs):
    with pytest.raises(BadQuery) as caught:
        read_request(pairs)
    assert "\n" not in str(caught.value)
    assert pairs[0][0] in str(caught.value)


def test_choices_are_toggled_and_let_go_of():
    one = Request(page=5).toggled("sector", "medical").toggled("sector", "travel").toggled("year", "2020")
    assert (one.chosen, one.page) == ({"sector": ("medical", "travel"), "year": ("2020",)}, 1)
    assert one.toggled("sector", "medical").chosen["sector"] == ("travel",)
    assert one.without("sector").chosen == {"year": ("2020",)}
    assert (one.unnarrowed().chosen, one.unnarrowed().ranges) == ({}, {})
