from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.annotate.kinds import Annotator
from smallprint.annotate.readability import Readability
from smallprint.annotate.registry import Annotation
from smallprint.annotate.vagueness import Vagueness
from smallprint.library.annotations import pack, save_annotations
from smallprint.library.directory import replace_companies
from smallprint.library.likeness import settle
from smallprint.library.statistics import Distribution, LibraryRates, Rates, rates
from smallprint.library.writing import save
from smallprint.records import Company, SectorGuess
from smallprint.sources.companies import Listed
from smallprint.taxonomy import Label

from .making import capture, changed, prose
from .test_annotations import table

FIRST, SECURITY = Label("first-party"), Label("security")
DENIED = Label("first-party", "Does/Does Not", "Does Not")


def add(library, url, text, sector, *labels, grade=10.0, vague=1, sentences=4, at="2024-01-01"):
    """Store a policy with what is said of it."""
    packed = capture(url, text, at)
    said = {
        "readability": Readability(10, 1, 15, 0, grade),
        "vagueness": Vagueness(sentences, vague, vague),
        "sector": SectorGuess(sector, 0.9),
        "practices": table(dict.fromkeys(labels, 255)),
    }
    with library.transaction() as db:
        save(db, [packed])
        save_annotations(
            db, packed.version_id, [pack(Annotation(Annotator(kind, "by", "1"), one)) for kind, one in said.items()]
        )
    return packed


EMPTY = Rates(0, {}, Distribution(()), Distribution(()))


def test_of_nothing(library):
    assert rates(library) == LibraryRates(EMPTY, {})
    assert EMPTY.share(FIRST) == 0


def test_rates_of_the_whole_and_of_sectors(library):
    add(library, "https://a.example/privacy", prose(1), "medical", FIRST, SECURITY, grade=12.0, vague=2)
    add(library, "https://b.example/privacy", prose(2), "medical", FIRST, DENIED, grade=8.0, vague=0)
    add(library, "https://c.example/privacy", prose(3), "travel", grade=None, vague=0, sentences=0)
    found = rates(library)
    assert found == LibraryRates(
        Rates(3, {FIRST: 2, SECURITY: 1, DENIED: 1}, Distribution((8.0, 12.0)), Distribution((0.0, 0.5))),
        {
            "medical": Rates(
                2, {FIRST: 2, SECURITY: 1, DENIED: 1}, Distribution((8.0, 12.0)), Distribution((0.0, 0.5))
            ),
            "travel": Rates(1, {}, Distribution(()), Distribution(())),
        },
    )
    assert (found.whole.share(FIRST), found.sectors["medical"].share(SECURITY)) == (2 / 3, 1 / 2)
    assert found.whole.share(Label("contact")) == 0


def test_only_current_versions_count(library):
    add(library, "https://a.example/privacy", prose(1), "medical", SECURITY, at="2020-01-01")
    add(library, "https://a.example/privacy", prose(2), "medical", FIRST, at="2022-01-01")
    add(library, "https://a.example/privacy", prose(3), "medical", SECURITY, at="2021-01-01")
    assert rates(library).whole.labels == {FIRST: 1}


def test_the_company_list_goes_before_the_guess(library):
    add(library, "https://a.example/privacy", prose(1), "medical", FIRST)
    replace_companies(library, [Listed(Company("a.example", "A", "banking"), 5)])
    assert list(rates(library).sectors) == ["finance"]


def test_copies_do_not_count_and_near_duplicates_count_once(library):
    text = prose(1)
    add(library, "https://a.example/privacy", text, "medical", FIRST)
    add(library, "https://b.example/privacy", text, "medical", FIRST)
    add(library, "https://c.example/privacy", changed(text, 7), "medical", SECURITY)
    assert rates(library).whole.policies == 3
    settled = settle(library, 0.9)
    assert (settled.copies, settled.folded) == (1, 1)
    found = rates(library)
    assert (found.whole.policies, sum(found.whole.labels.values())) == (1, 1)


def test_what_was_not_annotated_does_not_count(library):
    add(library, "https://a.example/privacy", prose(1), "medical", FIRST)
    with library.transaction() as db:
        save(db, [capture("https://b.example/privacy", prose(2))])
    assert rates(library).whole.policies == 1


@given(st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=20))
def test_quantiles_lie_within_and_rise(values):
    found = Distribution(tuple(sorted(values)))
    cuts = [found.quantile(share / 10) for share in range(11)]
    assert (cuts[0], cuts[-1]) == (min(values), max(values))
    assert cuts == sorted(cuts)
    assert all(0 < found.share_below(value) < 1 for value in values)


@pytest.mark.parametrize(
    ("value", "share"), [(0.0, 0.0), (1.0, 0.125), (2.0, 0.5), (2.5, 0.75), (4.0, 0.875), (9.0, 1.0)]
)
def test_the_share_below(value, share):
    assert Distribution((1.0, 2.0, 2.0, 4.0)).share_below(value) == share


def test_between_two_values_a_quantile_is_in_proportion():
    found = Distribution((1.0, 2.0, 4.0))
    assert [found.quantile(share) for share in (0, 0.25, 0.5, 0.75, 1)] == [1.0, 1.5, 2.0, 3.0, 4.0]
    assert (Distribution(()).quantile(0.5), Distribution(()).share_below(1.0)) == (None, None)
