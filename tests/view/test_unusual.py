from __future__ import annotations

import pytest

from smallprint.annotate.readability import Readability
from smallprint.annotate.registry import Annotations
from smallprint.annotate.vagueness import Vagueness
from smallprint.library.statistics import Distribution, LibraryRates, Rates
from smallprint.records import Segment
from smallprint.taxonomy import Label
from smallprint.view.unusual import LEAST_POLICIES, Missing, Outlier, Rare, Unusual, in_words, unusual

from ..library.test_annotations import table

FIRST, SECURITY, CHANGE = Label("first-party"), Label("security"), Label("change")
SIGNAL, UNHEEDED = Label("do-not-track"), Label("do-not-track", "Do Not Track policy", "Not honored")
HEALTH = Label("first-party", "Personal Information Type", "Health")
GENERIC = Label("security", "Security Measure", "Generic")
HUNDRED = Distribution(tuple(float(value) for value in range(1, 101)))
SHARES = Distribution(tuple(value / 100 for value in range(1, 101)))


def rates(policies: int = 100, **counts: int) -> Rates:
    known = {"first": FIRST, "security": SECURITY, "signal": SIGNAL, "unheeded": UNHEEDED, "health": HEALTH,
             "generic": GENERIC, "change": CHANGE}  # fmt: skip
    return Rates(policies, {known[name]: count for name, count in counts.items()}, HUNDRED, SHARES)


def said(*rows: dict[Label, int], grade: float = 50.0, vague: int = 50) -> Annotations:
    return Annotations({}, Readability(1, 1, 1, 0, grade), None, None, Vagueness(100, 100, vague), table(*rows))


def found(said: Annotations, own: Rates, whole: Rates | None = None, sector: str = "medical") -> Unusual:
    segments = [Segment(ordinal + 10, "paragraph", 0, 1) for ordinal in range(len(said.practices))]
    return unusual(said, segments, sector, LibraryRates(whole or own, {"medical": own}))


def test_what_few_say():
    told = found(said({}, {FIRST: 255, HEALTH: 200}), rates(first=90, health=9))
    assert told == Unusual(
        "medical",
        "sector",
        100,
        (Rare(HEALTH, "what they collect and why · what is collected: health", 9, 100, 0.784, (11,)),),
    )
    assert told.rare[0].share == 0.09


@pytest.mark.parametrize(
    ("row", "counts"),
    [
        ({FIRST: 255, HEALTH: 200}, {"first": 90, "health": 10}),  # one in ten is not rare
        ({FIRST: 255, HEALTH: 150}, {"first": 90, "health": 9}),  # not likely enough
        ({FIRST: 255, HEALTH: 127}, {"first": 90, "health": 9}),  # does not hold
    ],
)
def test_what_is_not_rare(row, counts):
    assert found(said(row), rates(**counts)).rare == ()


def test_a_value_says_more_than_its_category_and_a_passage_is_told_once():
    told = found(said({SIGNAL: 255, UNHEEDED: 255}), rates(signal=9, unheeded=8))
    assert [one.label for one in told.rare] == [UNHEEDED]
    told = found(said({FIRST: 255, HEALTH: 255, CHANGE: 255}), rates(first=90, health=3, change=2))
    assert [one.label for one in told.rare] == [CHANGE]
    told = found(said({FIRST: 255, HEALTH: 255}, {CHANGE: 255}), rates(first=90, health=3, change=2))
    assert [(one.label, one.segments) for one in told.rare] == [(CHANGE, (11,)), (HEALTH, (10,))]


def test_what_most_say_and_this_one_does_not():
    told = found(said({FIRST: 255}), rates(first=97, security=76, change=75, generic=99))
    # Three in four is not enough, and values are left out.
    assert told.missing == (Missing(SECURITY, "how they protect it", 76, 100),)
    assert told.missing[0].share == 0.76


def test_what_is_nearly_said_is_not_missing():
    assert found(said({SECURITY: 64}), rates(security=90)).missing == ()
    assert len(found(said({SECURITY: 63}), rates(security=90)).missing) == 1


def test_the_most_common_comes_first():
    told = found(said({}), rates(first=80, security=90))
    assert [one.label for one in told.missing] == [SECURITY, FIRST]


@pytest.mark.parametrize(
    ("grade", "vague", "outliers"),
    [
        (50.0, 50, ()),
        (95.0, 6, ()),
        (96.5, 50, (Outlier("grade", 96.5, 5.95, 95.05, 0.96, 100),)),
        (2.0, 50, (Outlier("grade", 2.0, 5.95, 95.05, 0.015, 100),)),
        (50.0, 100, (Outlier("vagueness", 1.0, 0.0595, 0.9505, 0.995, 100),)),
    ],
)
def test_measures_beyond_what_others_have(grade, vague, outliers):
    told = found(said({}, grade=grade, vague=vague), rates())
    assert [(one.measure, one.value, one.below, one.policies) for one in told.outliers] == [
        (one.measure, one.value, one.below, one.policies) for one in outliers
    ]
    for one, other in zip(told.outliers, outliers, strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high))


@pytest.mark.parametrize(
    ("sector", "own", "whole", "expected"),
    [
        ("medical", LEAST_POLICIES, 900, ("medical", "sector", LEAST_POLICIES)),
        ("medical", LEAST_POLICIES - 1, 900, (None, "too few in sector", 900)),
        ("travel", 100, 900, (None, "too few in sector", 900)),
        ("unknown", 100, 900, (None, "sector unknown", 900)),
        ("medical", 10, LEAST_POLICIES - 1, (None, "too few in library", LEAST_POLICIES - 1)),
    ],
)
def test_whom_it_is_set_against(sector, own, whole, expected):
    told = found(said({}), rates(own, security=own), rates(whole, security=whole), sector)
    assert (told.sector, told.basis, told.policies) == expected
    assert [one.policies for one in told.missing] == ([] if expected[1] == "too few in library" else [expected[2]])


def test_a_version_of_which_nothing_was_said():
    own = rates(security=100)
    assert unusual(Annotations({}), [], "medical", LibraryRates(own, {"medical": own})) == Unusual(
        "medical", "sector", 100
    )


def test_it_is_told_in_words_that_claim_no_more_than_was_counted():
    told = found(said({FIRST: 255, HEALTH: 255}, grade=99.5, vague=3), rates(first=90, health=4, security=82))
    assert in_words(told) == (
        "“what they collect and why · what is collected: health”: "
        "said by 4 of 100 policies of the sector Medical (4 %).",
        "“how they protect it”: not found here; 82 % of 100 policies of the sector Medical say something of it.",
        "Reading grade 99.5: harder than 99 % of 100 policies of the sector Medical.",
        "3 % of its sentences are vague: fewer than in 98 % of 100 policies of the sector Medical.",
    )
    whole = found(said({}), rates(first=90), sector="unknown")
    assert in_words(whole) == (
        "“what they collect and why”: not found here; 90 % of 100 policies in the library say something of it.",
    )


def test_neither_none_nor_all_is_claimed_where_it_is_not_so():
    many = Rates(10_000, {HEALTH: 3, SECURITY: 9_999}, HUNDRED, SHARES)
    first, second = in_words(found(said({FIRST: 255, HEALTH: 255}), many))
    assert "(under 1 %)" in first
    assert "over 99 % of 10,000" in second
