from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smallprint.annotate.kinds import Annotator
from smallprint.annotate.registry import Annotation
from smallprint.library import Library
from smallprint.library.annotations import pack, save_annotations
from smallprint.library.directory import KnownSector, company, has_companies, replace_companies, sector
from smallprint.library.writing import save
from smallprint.records import Company, SectorGuess
from smallprint.sources.companies import Listed, best_by_domain

from .making import capture

BANK = Company("one.example", "one bank", "banking", 1972, "1001 - 5000", "utopia")
CLINIC = Company("two.example", "two clinics", "Medical  Practice")
ALCHEMIST = Company("three.example", "three alchemists", "alchemy")
BARE = Company("four.example", "four")


def listed(*found: Company, employees: int = 10) -> list[Listed]:
    return [Listed(one, employees) for one in found]


def rows(library: Library) -> list[tuple]:
    return [tuple(row) for row in library.db.execute("SELECT * FROM companies ORDER BY domain")]


@pytest.fixture
def version_id(library):
    """Store a version of a policy of one.example."""
    packed = capture()
    with library.transaction() as db:
        save(db, [packed])
    return packed.version_id


def guessed(library: Library, version_id: str, guess: SectorGuess) -> None:
    with library.transaction() as db:
        save_annotations(db, version_id, [pack(Annotation(Annotator("sector", "sector", "1"), guess))])


# The list


def test_a_library_without_a_list(library):
    assert not has_companies(library)
    assert company(library, "one.example") is None


def test_companies_are_kept_with_their_sectors(library):
    assert replace_companies(library, listed(BANK, CLINIC, ALCHEMIST, BARE)) == 4
    assert has_companies(library)
    assert [company(library, f"{name}.example") for name in ("one", "two", "three", "four", "five")] == [
        BANK, CLINIC, ALCHEMIST, BARE, None,
    ]  # fmt: skip
    assert rows(library) == [
        ("four.example", "four", None, None, None, None, None, 10),
        ("one.example", "one bank", "banking", "finance", 1972, "1001 - 5000", "utopia", 10),
        ("three.example", "three alchemists", "alchemy", None, None, None, None, 10),
        ("two.example", "two clinics", "Medical  Practice", "medical", None, None, None, 10),
    ]


def test_a_new_list_takes_the_place_of_the_old(library):
    replace_companies(library, listed(BANK, CLINIC, employees=9000))
    assert replace_companies(library, listed(Company("one.example", "one bakery"), employees=0)) == 1
    assert rows(library) == [("one.example", "one bakery", None, None, None, None, None, 0)]
    assert replace_companies(library, []) == 0
    assert not has_companies(library)


def test_a_list_that_breaks_off_changes_nothing(library):
    replace_companies(library, listed(BANK))
    before = rows(library)
    with pytest.raises(ZeroDivisionError):
        replace_companies(library, (Listed(CLINIC, 1 // left) for left in (1, 0)))
    assert rows(library) == before


def test_lists_of_any_length(library):
    for count in (0, 1, 2, 7):
        found = [Company(f"c{n}.example", f"c{n}") for n in range(count)]
        assert replace_companies(library, listed(*found)) == count
        assert company(library, f"c{count - 1}.example") == (found[-1] if found else None)


# Several companies on one domain


CLAIMANTS = (
    Listed(Company("one.example", "b bank", "banking", 1972, "1001 - 5000", "utopia"), 1200),
    Listed(Company("one.example", "a bank of b", "banking"), 40),
    Listed(Company("one.example", "b bank", "accounting", 1990), 1200),
    Listed(Company("one.example", "b bank"), 0),
)


def test_the_largest_company_holds_whatever_the_order(library):
    for order in permutations(CLAIMANTS):
        assert replace_companies(library, order) == 1
        assert rows(library) == [("one.example", "b bank", "accounting", "finance", 1990, None, None, 1200)]


CLAIMS = st.builds(
    Listed,
    st.builds(
        Company,
        domain=st.sampled_from(["one.example", "two.example"]),
        name=st.sampled_from(["a", "b", "é", "Z", "\U0001f600", "\uffff"]),
        industry=st.sampled_from([None, "banking", "alchemy"]),
        founded=st.sampled_from([None, 900, 1972]),
        size=st.sampled_from([None, "1-10"]),
        country=st.sampled_from([None, "utopia"]),
    ),
    employees=st.integers(0, 2),
)


@given(st.lists(CLAIMS, max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
def test_the_library_chooses_as_the_list_does(library, claims):
    replace_companies(library, claims)
    expected = best_by_domain(iter(claims), lambda domain: True)
    assert {domain: company(library, domain) for domain in ("one.example", "two.example")} == {
        domain: expected.get(domain) for domain in ("one.example", "two.example")
    }


# Sectors


def test_a_sector_that_nobody_knows(library, version_id):
    assert sector(library, version_id) == KnownSector("unknown", "nobody", 0.0)
    assert sector(library, "no such version") == KnownSector("unknown", "nobody", 0.0)


def test_a_sector_that_the_classifier_guessed(library, version_id):
    guessed(library, version_id, SectorGuess("media", 0.71))
    assert sector(library, version_id) == KnownSector("media", "classifier", 0.71)
    guessed(library, version_id, SectorGuess("unknown", 0.2))
    assert sector(library, version_id) == KnownSector("unknown", "classifier", 0.2)


def test_the_company_list_knows_better(library, version_id):
    guessed(library, version_id, SectorGuess("media", 0.99))
    replace_companies(library, listed(BANK))
    assert sector(library, version_id) == KnownSector("finance", "company list", 1.0)
    replace_companies(library, listed(CLINIC))
    assert sector(library, version_id) == KnownSector("media", "classifier", 0.99)


@pytest.mark.parametrize("industry", [None, "alchemy"])
def test_a_company_whose_industry_says_nothing_leaves_it_to_the_classifier(library, version_id, industry):
    replace_companies(library, listed(Company("one.example", "one", industry)))
    assert sector(library, version_id) == KnownSector("unknown", "nobody", 0.0)
    guessed(library, version_id, SectorGuess("media", 0.71))
    assert sector(library, version_id) == KnownSector("media", "classifier", 0.71)


def test_a_subdomains_policy_is_of_its_company(library):
    packed = capture("https://www.help.one.example/privacy")
    with library.transaction() as db:
        save(db, [packed])
    replace_companies(library, listed(BANK))
    assert sector(library, packed.version_id) == KnownSector("finance", "company list", 1.0)
