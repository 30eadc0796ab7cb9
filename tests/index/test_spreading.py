"""No site fills a page while others wait."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from smallprint.index.spreading import spread


def test_a_third_of_a_site_waits_for_the_next_page():
    assert spread("aaabcd", 6, 3, is_all=True) == [0, 1, 3, 2, 4, 5]


def test_where_one_site_is_left_its_hits_follow_each_other():
    assert spread("aaaaa", 5, 3, is_all=True) == [0, 1, 2, 3, 4]


def test_what_more_hits_might_change_is_not_given():
    assert spread("aaa", 3, 3, is_all=False) == []
    assert spread("aabaaa", 6, 3, is_all=False) == [0, 1, 2]


@given(st.text("abcde", max_size=60), st.integers(1, 12))
def test_nothing_is_lost_and_no_page_has_three_of_a_site_while_another_site_waits(sites, page):
    order = spread(sites, len(sites), page, is_all=True)
    assert sorted(order) == list(range(len(sites)))
    for start in range(0, len(order), page):
        shown = [sites[place] for place in order[start : start + page]]
        crowded = {site for site in shown if shown.count(site) > 2}
        later = {sites[place] for place in order[start + page :]}
        assert not crowded or later <= {site for site in shown if shown.count(site) >= 2}


@given(st.text("abcde", max_size=60), st.integers(1, 12), st.integers(0, 60))
def test_pages_do_not_depend_on_how_many_are_looked_at(sites, page, known):
    whole = spread(sites, len(sites), page, is_all=True)
    part = spread(sites[:known], known, page, is_all=False)
    assert part == whole[: len(part)]
