from __future__ import annotations

from smallprint.index.fields import FACETS
from smallprint.index.tree import Ranking
from smallprint.search import results
from smallprint.search.exports import rows
from smallprint.search.language import parse_query
from smallprint.search.request import Request, read_request
from smallprint.search.results import near_duplicates, query_of, search


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


def test_a_page_takes_as_many_queries_whatever_its_size_and_parses_its_text_once(shelf, monkeypatch):
    library, engine = shelf
    parsed, statements = [], []
    monkeypatch.setattr(results, "parse_query", lambda *given: parsed.append(given) or parse_query(*given))
    search(library, engine, Request("cookies", size=1))
    parsed.clear()
    library.db.set_trace_callback(statements.append)
    found = search(library, engine, Request("cookies", size=50, chosen={"sector": ("medical", "travel")}))
    library.db.set_trace_callback(None)
    assert len(found.hits) > 10
    assert len(statements) <= 4
    assert len(parsed) == 1
    assert found.parsed == parse_query("cookies")


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
    assert low.ranges[0].counts == free.ranges[0].counts
    assert low.ranges[1].counts != free.ranges[1].counts
    assert sum(free.ranges[0].counts) == free.total


def test_near_duplicates_are_counted_and_can_be_opened(shelf):
    library, engine = shelf
    found = search(library, engine, Request(size=100))
    folded = [hit for hit in found.hits if hit.alike]
    assert folded
    assert found.total == len(found.hits) + sum(hit.alike for hit in folded)
    assert len({hit.policy.group for hit in found.hits}) == len(found.hits) == found.groups
    members = near_duplicates(library, engine, Request(), folded[0].policy.group)
    assert len(members) == folded[0].alike + 1
    one_by_one = search(library, engine, Request(size=100, fold=False))
    assert len(one_by_one.hits) == one_by_one.total == one_by_one.groups == found.total


def test_a_site_search_never_loses_a_near_duplicate(shelf):
    library, engine = shelf
    (folded, *_) = [hit for hit in search(library, engine, Request(size=100)).hits if hit.alike]
    for member in near_duplicates(library, engine, Request(), folded.policy.group):
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
    found = search(library, engine, request)
    hit = found.hits[0]
    why = engine.explain(query_of(request, found.parsed), hit.policy.policy_id)
    assert abs(why.score - hit.score) < 1e-4
    assert abs(why.p_policy * why.relevance * why.popularity - why.score) < 1e-6


def test_every_choice_of_a_facet_has_a_name_of_its_own(shelf):
    for one in FACETS:
        names = [(choice.under, choice.label) for choice in one.choices()]
        assert len(set(names)) == len(names)
        assert all(choice.label for choice in one.choices())


def test_where_no_single_thing_is_to_blame_the_words_alone_are_offered(shelf):
    asked = Request(text="cookies zzyzx", match="all", chosen={"sector": ("nonprofit",), "body": ("evidon",)})
    found = search(*shelf, asked)
    assert found.total == 0
    (way,) = found.ways_out
    assert (way.what, way.request) == ("all but the words", Request(text="cookies zzyzx"))
    assert search(*shelf, way.request).total == way.count > 0
    assert search(*shelf, Request(text="zzyzx", match="all", chosen={"sector": ("nonprofit",)})).ways_out == ()


def test_policies_are_narrowed_by_the_companys_country_and_size(shelf):
    library, engine = shelf
    free = search(library, engine, Request())
    listed = library.db.execute(
        "SELECT c.country, count(*) FROM policies p JOIN companies c USING (domain) WHERE p.copy_of IS NULL GROUP BY 1"
    )
    assert counts(free, "country") == dict(listed.fetchall())
    (country,) = [facet for facet in free.facets if facet.facet.key == "country"]
    assert {value.choice.value: value.choice.label for value in country.values}["united states"] == "United States"
    sizes = list(counts(free, "employees"))
    assert sizes == sorted(sizes, key=lambda size: int(size.rstrip("+").split("-")[0]))
    found = search(library, engine, read_request([("country", "canada"), ("employees", "51-200")]))
    assert 0 < found.total < counts(free, "country")["canada"]
    assert {(hit.policy.country, hit.policy.employees) for hit in found.hits} == {("canada", "51-200")}
    typed = search(library, engine, Request('country:canada employees:"51-200"'))
    assert typed.total == found.total
    assert [(row.country, row.employees) for row in rows(library, engine, Request("country:Canada"))] == [
        (hit.policy.country, hit.policy.employees)
        for hit in search(library, engine, Request("country:canada", size=100, fold=False)).hits
    ]
