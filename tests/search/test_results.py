from __future__ import annotations

from smallprint.index.tree import Ranking
from smallprint.search.facets import facets
from smallprint.search.request import Request, read_request
from smallprint.search.results import alike, explained, search


def counts(found, key):
    (one,) = [one for one in found.facets if one.facet.key == key]
    return {value.choice.value: value.count for value in one.values}


def test_hits_carry_snippets_whose_marks_are_the_words_asked_for(shelf):
    found = search(*shelf, Request(text="sell personal information"))
    assert found.hits
    for hit in found.hits:
        for one in hit.snippets:
            marked = {word for mark in one.marks for word in hit.text[mark.start : mark.end].lower().split()}
            assert marked
            assert marked <= {"sell", "personal", "information"}


def test_any_word_by_default_all_if_asked(shelf):
    any_, all_ = (search(*shelf, Request(text="sell cookies", match=match)).total for match in ("any", "all"))
    assert 0 < all_ < any_


def test_or_inside_a_facet_and_across_and_its_own_choice_does_not_lower_its_counts(shelf):
    free = search(*shelf, Request(text="cookies"))
    medical = search(*shelf, Request(text="cookies", chosen={"sector": ("medical",)}))
    both = search(*shelf, Request(text="cookies", chosen={"sector": ("medical", "travel")}))
    sectors = counts(free, "sector")
    assert medical.total == sectors["medical"] > 0
    assert both.total == sectors["medical"] + sectors["travel"]
    assert counts(medical, "sector") == sectors
    named = counts(medical, "regulation")
    and_ = search(*shelf, Request(text="cookies", chosen={"sector": ("medical",), "regulation": ("gdpr",)}))
    assert and_.total == named["gdpr"] < medical.total
    assert counts(and_, "sector")["medical"] == and_.total


def test_shares_are_of_all_policies_with_that_value(shelf):
    library, engine = shelf
    found = search(library, engine, Request(text="cookies"))
    whole = search(library, engine, Request())
    (sector,) = [one for one in found.facets if one.facet.key == "sector"]
    every = counts(whole, "sector")
    assert {v.choice.value: v.share for v in sector.values} == {
        v.choice.value: v.count / every[v.choice.value] for v in sector.values
    }


def test_ranges_narrow_and_their_bars_do_not_change_with_their_own_choice(shelf):
    free = search(*shelf, Request())
    low = search(*shelf, Request(ranges={"grade": (None, 10.0)}))
    assert 0 < low.total < free.total
    assert all(hit.policy.grade <= 10 for hit in low.hits)
    assert low.scales[0].counts == free.scales[0].counts
    assert low.scales[1].counts != free.scales[1].counts
    assert sum(free.scales[0].counts) == free.total


def test_near_duplicates_are_counted_and_can_be_opened(shelf):
    library, engine = shelf
    found = search(library, engine, Request(size=100))
    folded = [hit for hit in found.hits if hit.alike]
    assert folded
    assert found.total == len(found.hits) + sum(hit.alike for hit in folded)
    assert len({hit.policy.group for hit in found.hits}) == len(found.hits) == found.groups
    members = alike(library, engine, Request(), folded[0].policy.group)
    assert len(members) == folded[0].alike + 1
    one_by_one = search(library, engine, Request(size=100, fold=False))
    assert len(one_by_one.hits) == one_by_one.total == one_by_one.groups == found.total


def test_a_site_search_never_loses_a_near_duplicate(shelf):
    library, engine = shelf
    (folded, *_) = [hit for hit in search(library, engine, Request(size=100)).hits if hit.alike]
    for member in alike(library, engine, Request(), folded.policy.group):
        (hit,) = search(library, engine, Request(text=f"site:{member.domain}")).hits
        assert hit.policy.policy_id == member.policy_id


def test_where_nothing_is_found_ways_out_lead_somewhere(shelf):
    library, engine = shelf
    stuck = search(library, engine, read_request([("q", "cookies"), ("grade", "0:1"), ("sector", "medical")]))
    assert (stuck.total, stuck.hits) == (0, ())
    assert {way.what for way in stuck.ways_out} == {"Reading grade", "all filters"}
    for way in stuck.ways_out:
        assert search(library, engine, way.request).total == way.count > 0
    assert search(library, engine, Request(text="xyzzyx")).ways_out == ()
    (way,) = search(library, engine, Request(text="cookies -cookies")).ways_out
    assert search(library, engine, way.request).total == way.count


def test_every_ranking_gives_the_same_policies(shelf):
    library, engine = shelf
    found = {
        rank: {
            hit.policy.policy_id
            for hit in search(library, engine, Request("cookies", rank=rank, size=100, fold=False)).hits
        }
        for rank in Ranking
    }
    assert len(set(map(frozenset, found.values()))) == 1


def test_a_hit_is_explained_by_its_factors(shelf):
    library, engine = shelf
    request = Request("cookies location")
    hit = search(library, engine, request).hits[0]
    why = explained(engine, request, hit.policy.policy_id)
    assert abs(why.score - hit.score) < 1e-4
    assert abs(why.p_policy * why.relevance * why.popularity - why.score) < 1e-6


def test_every_choice_of_a_facet_has_a_name_of_its_own(shelf):
    for one in facets():
        names = [(choice.under, choice.plain) for choice in one.choices]
        assert len(set(names)) == len(names)
        assert all(choice.plain for choice in one.choices)


def test_where_no_single_thing_is_to_blame_the_words_alone_are_offered(shelf):
    asked = Request(text="cookies zzyzx", match="all", chosen={"sector": ("nonprofit",), "body": ("evidon",)})
    found = search(*shelf, asked)
    assert found.total == 0
    (way,) = found.ways_out
    assert (way.what, way.request) == ("all but the words", Request(text="cookies zzyzx"))
    assert search(*shelf, way.request).total == way.count > 0
    assert search(*shelf, Request(text="zzyzx", match="all", chosen={"sector": ("nonprofit",)})).ways_out == ()
