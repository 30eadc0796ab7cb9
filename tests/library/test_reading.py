from __future__ import annotations

import pytest

from smallprint.errors import NoSuchPolicy
from smallprint.library import reading
from smallprint.library.directory import popularity, replace_popularity, scaled
from smallprint.library.likeness import settle
from smallprint.library.reading import KeptRejections
from smallprint.library.writing import save
from smallprint.records import UNKNOWN_DOMAIN, DomainRank, FrontierItem, Popularity

from .making import capture, prose, rejection

SHOP, HELP, NEWS = "https://shop.example/privacy", "https://help.shop.example/data", "https://news.example/privacy"


@pytest.fixture
def filled(library):
    with library.transaction() as db:
        save(db, [capture(url, prose(n)) for n, url in enumerate((SHOP, HELP, NEWS))])
    return library


def id_of(url: str) -> str:
    return capture(url).policy_id


@pytest.mark.parametrize(
    ("wanted", "url"),
    [
        (id_of(NEWS), NEWS),
        (id_of(NEWS)[:-3], NEWS),
        (capture(NEWS, prose(2)).version_id, NEWS),
        (NEWS, NEWS),
        ("http://www.news.example/privacy/?utm_source=x#top", NEWS),
        ("news.example/privacy", NEWS),
        ("news.example", NEWS),
        ("NEWS.example", NEWS),
        ("news", NEWS),
        (HELP, HELP),
    ],
)
def test_a_policy_is_found_by(filled, wanted, url):
    assert reading.find_policy(filled, wanted).url == url


def test_no_name_is_no_policy_s(filled):
    with pytest.raises(NoSuchPolicy, match="the library has no policy ''"):
        reading.find_policy(filled, "")


def test_a_name_of_several_policies_lists_them(filled):
    ids = ", ".join(sorted((id_of(SHOP), id_of(HELP))))
    with pytest.raises(NoSuchPolicy) as error:
        reading.find_policy(filled, "shop.example")
    assert str(error.value) == f"2 policies are known by 'shop.example': {ids}; give one of these ids"


def test_of_many_only_five_are_listed(library):
    with library.transaction() as db:
        save(db, [capture(f"https://big.example/privacy/{n}") for n in range(7)])
    with pytest.raises(NoSuchPolicy, match=r"^7 policies are known by 'big.example': (\S+, ){4}\S+ …; give one"):
        reading.find_policy(library, "big.example")


@pytest.mark.parametrize(
    "wanted", ["nobody.example", "https://shop.example/terms", "%", "_hop", "http://[", "x\0y", "\\"]
)
def test_an_unknown_policy(filled, wanted):
    with pytest.raises(NoSuchPolicy) as error:
        reading.find_policy(filled, wanted)
    assert str(error.value) == f"the library has no policy {wanted!r}; give an id, an address or a domain"


def test_what_is_not_there_is_said(filled):
    with pytest.raises(NoSuchPolicy, match="no version 'x@y' is in the library"):
        reading.text(filled, "x@y")
    with pytest.raises(NoSuchPolicy, match="no page 'x' is in the library"):
        reading.page(filled, "x")


def test_status_counts(filled):
    from smallprint.library.frontier import StoredFrontier

    with filled.transaction() as db:
        save(db, [capture(NEWS, prose(8), "2025"), capture("https://copy.example/privacy", prose(0), "2020")])
        save(db, [rejection("https://x.example/")])
        StoredFrontier(filled).add([FrontierItem("https://a.example/"), FrontierItem("https://b.example/")])
        StoredFrontier(filled).done("https://a.example/", "page")
    replace_popularity(filled, [DomainRank("shop.example", 1e-7, False), DomainRank("no.example", 1e-8, False)], 1e-8)
    settle(filled, 0.9)
    assert reading.status(filled) == reading.Status(
        policies=3,
        domains=2,
        versions=4,
        captures=5,
        words=1200,
        near_duplicate_groups=0,
        folded=0,
        rejections={"too short": 1, "exact duplicate": 1},
        with_popularity=2,
        popularity_domains=2,
        frontier_due=1,
        frontier_done=1,
        unfinished=(),
        outdated=0,
        kept_rejections=KeptRejections(with_page=0, bytes=0, without_page=1),
    )


def test_an_empty_library_has_a_status(library):
    found = reading.status(library)
    assert (found.policies, found.words, found.rejections, found.with_popularity) == (0, 0, {}, 0)
    assert list(reading.policies(library)) == list(reading.rejections(library)) == []


# Popularity


def test_popularity_is_one_for_the_least_and_one_more_for_every_tenfold():
    assert [scaled(pagerank, 1e-9) for pagerank in (1e-9, 1e-8, 1e-4)] == pytest.approx([1.0, 2.0, 6.0])
    assert scaled(1e-12, 1e-9) == 1.0


def test_popularity_is_replaced_as_a_whole(library):
    replace_popularity(library, [DomainRank("a.example", 1e-7, False), DomainRank("b.example", 1e-8, True)], 1e-9)
    assert popularity(library, "a.example").value == pytest.approx(3.0)
    assert popularity(library, "b.example") == Popularity(pytest.approx(2.0), estimated=True)
    assert replace_popularity(library, [DomainRank("b.example", 1e-8, False)], 1e-8).domains == 1
    assert popularity(library, "a.example") == UNKNOWN_DOMAIN
    assert popularity(library, "b.example") == Popularity(1.0, estimated=False)
    assert library.fact("pr_min") == "1e-08"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_of_two_lines_on_one_domain_the_measured_and_greater_holds(library, order):
    lines = [
        DomainRank("a.example", 1e-5, True),
        DomainRank("a.example", 1e-7, False),
        DomainRank("a.example", 1e-8, False),
    ]
    replace_popularity(library, [lines[place] for place in order], 1e-9)
    assert popularity(library, "a.example") == Popularity(pytest.approx(3.0), estimated=False)


def test_an_import_that_fails_leaves_what_was_known(library):
    replace_popularity(library, [DomainRank("a.example", 1e-7, False)], 1e-9)

    def broken():
        yield DomainRank("b.example", 1e-7, False)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        replace_popularity(library, broken(), 1e-8)
    assert popularity(library, "a.example").value == pytest.approx(3.0)
    assert (popularity(library, "b.example"), library.fact("pr_min")) == (UNKNOWN_DOMAIN, "1e-09")


def test_an_exact_copy_makes_its_domain_no_less_plain(library):
    with library.transaction() as db:
        save(db, [capture("https://twice.example/privacy", prose(1)), capture("https://twice.example/legal", prose(1))])
    settle(library, 0.9)
    kept = reading.find_policy(library, "twice.example")
    assert kept.copy_of is None
    assert len(reading.known_by(library, "twice.example")) == 1


def statements(library, work):
    """Return what a piece of work does, and the statements it takes."""
    kept: list[str] = []
    library.db.set_trace_callback(kept.append)
    try:
        return work(), len(kept)
    finally:
        library.db.set_trace_callback(None)


def test_a_policy_and_its_versions_are_read_by_id_in_one_statement(filled):
    with filled.transaction() as db:
        save(db, [capture(NEWS, prose(7), "2024-06-01")])
    policy, count = statements(filled, lambda: reading.find_policy(filled, id_of(NEWS)))
    assert count == 1
    assert policy == reading.find_policy(filled, NEWS)
    assert [(version.version_id, version.first_seen, version.language) for version in policy.versions] == [
        (capture(NEWS, prose(2)).version_id, "2024-01-01", "en"),
        (capture(NEWS, prose(7)).version_id, "2024-06-01", "en"),
    ]


def test_a_policy_without_versions_is_still_found(filled):
    with filled.transaction() as db:
        db.execute("DELETE FROM captures WHERE policy_id = ?", (id_of(NEWS),))
    policy = reading.find_policy(filled, id_of(NEWS))
    assert (policy.url, policy.versions) == (NEWS, ())
