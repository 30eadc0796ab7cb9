"""No site fills a page while others wait, and ties are ordered however few are looked at."""

from __future__ import annotations

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from smallprint.index.ordering import in_order, leaders, spread


def placed(sites, page):
    """Give the places of hits, by their sites, in the order in which they are shown."""
    return [place for place, _ in spread(enumerate(sites), page, lambda hit: hit[1])]


def test_a_third_of_a_site_waits_for_the_next_page():
    assert placed("aaabcd", 3) == [0, 1, 3, 2, 4, 5]


def test_where_one_site_is_left_its_hits_follow_each_other():
    assert placed("aaaaa", 3) == [0, 1, 2, 3, 4]


def test_no_more_is_taken_than_a_page_needs():
    hits = iter(enumerate("aabaaa"))
    assert [place for place, _ in islice(spread(hits, 3, lambda hit: hit[1]), 3)] == [0, 1, 2]
    assert next(hits) == (3, "a")


def test_the_first_of_a_group_stands_for_it():
    assert list(leaders("abacb", str)) == ["a", "b", "c"]


@given(st.text("abcde", max_size=60), st.integers(1, 12))
def test_nothing_is_lost_and_no_page_has_three_of_a_site_while_another_site_waits(sites, page):
    order = placed(sites, page)
    assert sorted(order) == list(range(len(sites)))
    for start in range(0, len(order), page):
        shown = [sites[place] for place in order[start : start + page]]
        crowded = {site for site in shown if shown.count(site) > 2}
        later = {sites[place] for place in order[start + page :]}
        assert not crowded or later <= {site for site in shown if shown.count(site) >= 2}


@given(st.text("abcde", max_size=60), st.integers(1, 12))
def test_pages_do_not_depend_on_what_comes_after_them(sites, page):
    whole = placed(sites, page)
    for known in range(len(sites)):
        taken = []
        hits = (taken.append(hit) or hit for hit in enumerate(sites))
        assert [place for place, _ in islice(spread(hits, page, lambda hit: hit[1]), known)] == whole[:known]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 99)), max_size=80, unique=True), st.integers(1, 20))
def test_ties_are_ordered_by_own_number_however_few_are_looked_at(matches, first):
    ranked = sorted(((value, own, own) for value, own in matches), key=lambda match: -match[0])
    found = list(in_order(lambda size: ranked[:size], len(ranked), first))
    assert found == sorted(ranked, key=lambda match: (-match[0], -match[1]))
