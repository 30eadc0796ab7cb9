"""Where a policy stands among others: words that claim no more than was counted, and strips that draw the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint.library.reading import find_policy
from smallprint.library.statistics import Distribution, LibraryRates, Rates
from smallprint.view.policy import policy_view
from smallprint.web.present.figures import standings, strips

HUNDRED = Distribution(tuple(float(value) for value in range(1, 101)))
SHARES = Distribution(tuple(value / 100 for value in range(1, 101)))


@pytest.fixture(scope="module")
def bank(annotated_library):
    return policy_view(annotated_library, find_policy(annotated_library, "tidemarkbank.example"))


def measured(bank, grade):
    return replace(bank, measures=replace(bank.measures, grade=grade, vagueness=None))


def told(bank, grade, *, own=HUNDRED, whole=HUNDRED):
    sectors = {"finance": Rates(own.n, {}, own, SHARES)} if own else {}
    counted = LibraryRates(Rates(whole.n, {}, whole, SHARES), sectors)
    return standings(measured(bank, grade), counted)


@pytest.mark.parametrize(
    ("grade", "words"),
    [
        (90.0, "Harder to read than 89 % of 100"),
        (100.5, "Harder to read than 100 % of 100"),
        (99.9, "Harder to read than 99 % of 100"),
        (10.0, "Easier to read than 90 % of 100"),
        (50.0, "About as hard to read as the median of 100"),
    ],
)
def test_words(bank, grade, words):
    (one,) = told(bank, grade)
    sector = "policies of the sector Finance, Marketing and Human Resources."
    assert one.words == (f"{words} {sector}", f"{words} policies in the library.")
    assert (one.value, one.measure.title) == (f"{grade:.1f}", "Reading grade")


def test_a_sector_with_too_few_policies_is_left_out(bank):
    few = Distribution(HUNDRED.values[:49])
    assert [len(told(bank, 90.0, own=own)[0].words) for own in (None, few, HUNDRED)] == [1, 1, 2]
    (one,) = told(bank, 90.0, own=None, whole=few)
    assert (one.words, one.svg) == (("Fewer than 50 policies are available for comparison.",), None)


def test_a_policy_without_measures(bank):
    counted = LibraryRates(Rates(0, {}, Distribution(()), Distribution(())), {})
    assert standings(measured(bank, None), counted) == ()


def at(node, name):
    return float(node.attributes[name].removesuffix("%"))


def test_strips_draw_what_they_were_given():
    rows = [("sector", (10, 20, 30, 40, 50)), ("library", (0, 25, 50, 75, 100))]
    svg = LexborHTMLParser(strips("grade", "Title", "Words", rows, 60, "60.0", (0, 100))).css_first("svg")
    assert [(at(node, "x1"), at(node, "x2")) for node in svg.css(".spread")] == [(10, 50), (0, 100)]
    assert [(at(node, "x"), at(node, "width")) for node in svg.css(".half")] == [(20, 20), (25, 50)]
    assert [at(node, "x1") for node in svg.css(".axis")] == [30, 50]
    assert [at(node, "x1") for node in svg.css(".median")] == [60, 60]
    assert [(node.text(), at(node, "x")) for node in svg.css(".here")] == [("60.0", 60)]
    assert [node.text() for node in svg.css(".tick")] == ["sector", "library"]
    assert (svg.css_first("title").text(), svg.css_first("desc").text()) == ("Title", "Words")
    assert svg.css("[style], style, script, [fill], [stroke]") == []


def test_strips_stay_within_their_limits_and_escape_what_they_are_given():
    hostile = "<script>alert(1)</script>"
    row = (hostile, (-50, 0, 5, 5, 500))
    svg = LexborHTMLParser(strips("grade", hostile, hostile, [row], 5, hostile, (5, 5)))
    assert svg.css("script") == []
    for node in svg.css("line"):
        assert 0 <= at(node, "x1") <= 100
        assert 0 <= at(node, "x2") <= 100
