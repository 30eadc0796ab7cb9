"""What every engine must do, written against the protocol: to add an engine, add it to `ENGINES` in conftest.py."""

from __future__ import annotations

import math
import random

import pytest

from smallprint.errors import BadIndex
from smallprint.index.engine import Bars, Count
from smallprint.index.fields import own_number, state_of
from smallprint.index.ordering import find
from smallprint.index.tree import TITLE_BOOST, AllOf, AnyOf, Between, Favoured, OneOf, Query, Ranking, Words

from ..making import entry

COOKIES = Query(Words("text", ("cookies",)))


def ids(engine, query, ranking=Ranking.RELEVANCE, limit=50, **how):
    return [hit.policy_id for hit in find(engine, query, ranking, limit, **how).hits]


def tally(engine, query, *fields):
    return engine.tallies([Count(query, fields)])[0]


def test_added_changed_and_removed_without_making_it_anew(engine):
    engine.update([entry("a"), entry("b", "we share names")], [])
    assert (sorted(ids(engine, COOKIES)), dict(engine.stamps())) == (["a"], {"a": "1", "b": "1"})
    before = engine.state()
    engine.update([entry("b", "we share cookies", stamp="2")], ["a"])
    assert (ids(engine, COOKIES), dict(engine.stamps())) == (["b"], {"b": "2"})
    assert engine.state() != before


def test_another_reader_sees_a_commit_whole_or_not_at_all(engine, open_again):
    engine.update([entry("a")], [])
    reader = open_again()
    seen = []

    def entries():
        for number in range(50):
            seen.append(reader.counts([COOKIES])[0])
            yield entry(f"n{number}")

    engine.update(entries(), ["a"])
    assert set(seen) == {1}
    assert reader.counts([COOKIES])[0] == 50


def test_an_update_that_fails_leaves_the_last_good_index(engine):
    engine.update([entry("a")], [])

    def broken():
        yield entry("b")
        raise RuntimeError("half-way")

    with pytest.raises(RuntimeError):
        engine.update(broken(), ["a"])
    assert ids(engine, COOKIES) == ["a"]
    engine.update([entry("c")], [])
    assert sorted(ids(engine, COOKIES)) == ["a", "c"]


def test_two_writers_at_once_are_told_apart(engine, open_again):
    engine.update([entry("a")], [])

    def entries():
        with pytest.raises(BadIndex, match="another process"):
            open_again().update([entry("x")], [])
        yield entry("b")

    engine.update(entries(), [])
    assert sorted(ids(engine, COOKIES)) == ["a", "b"]


def bm25(count, length, average, documents, matching):
    """Okapi's formula with Lucene's idf, as DESIGN has it."""
    idf = math.log(1 + (documents - matching + 0.5) / (matching + 0.5))
    return idf * count * 2.2 / (count + 1.2 * (1 - 0.75 + 0.75 * length / average))


def test_relevance_is_bm25_of_title_by_its_boost_plus_body(engine):
    bodies = {"a": "cookies", "b": "cookies cookies other words", "c": "nothing of the kind"}
    engine.update(
        [entry(name, body, title="cookies" if name == "a" else "privacy") for name, body in bodies.items()], []
    )
    lengths = {name: len(body.split()) for name, body in bodies.items()}
    average = sum(lengths.values()) / 3
    expected = {
        "a": bm25(1, 1, average, 3, 2) + TITLE_BOOST * bm25(1, 1, 1, 3, 1),
        "b": bm25(2, 4, average, 3, 2),
    }
    found = {hit.policy_id: hit.score for hit in find(engine, COOKIES, Ranking.RELEVANCE, 10).hits}
    assert found == pytest.approx(expected, rel=1e-5)


def product(engine, query):
    """Score every match by hand: probability × relevance × popularity."""
    relevance = {hit.policy_id: hit.score for hit in find(engine, query, Ranking.RELEVANCE, 10_000, fold=False).hits}
    p = {hit.policy_id: hit.score for hit in find(engine, query, Ranking.PROBABILITY, 10_000, fold=False).hits}
    popular = {hit.policy_id: hit.score for hit in find(engine, query, Ranking.POPULARITY, 10_000, fold=False).hits}
    return {name: p[name] * score * popular[name] for name, score in relevance.items()}


def made_up(count):
    luck = random.Random(3)
    return [
        entry(
            f"p{number}",
            " ".join(luck.choice("we collect share cookies data names".split()) for _ in range(luck.randrange(5, 60))),
            p_policy=round(luck.uniform(0.5, 1), 6),
            popularity=round(luck.uniform(1, 10), 6),
        )
        for number in range(count)
    ]


def test_custom_order_is_the_exact_product_over_all_matches(engine):
    engine.update(made_up(400), [])
    for text in ("cookies", "data", "names"):
        query = Query(AnyOf((Words("text", (text,)), Words("text", ("share", "cookies")))))
        exact = sorted(product(engine, query).items(), key=lambda pair: -pair[1])[:50]
        found = [(hit.policy_id, hit.score) for hit in find(engine, query, Ranking.CUSTOM, 50, fold=False).hits]
        assert [name for name, _ in found] == [name for name, _ in exact]
        assert [score for _, score in found] == pytest.approx([score for _, score in exact], rel=1e-5)


def test_without_words_the_custom_order_is_that_of_the_priors(engine):
    engine.update([entry("a", popularity=2.0), entry("b", popularity=5.0), entry("c", sector=("travel",))], [])
    assert ids(engine, Query(), Ranking.CUSTOM) == ["b", "a", "c"]
    assert ids(engine, Query(filters=(OneOf("sector", ("medical",)),)), Ranking.CUSTOM) == ["b", "a"]


def test_orders_by_popularity_probability_and_date(engine):
    engine.update([
        entry("a", popularity=2.0, p_policy=0.7, date="2020-12"),
        entry("b", popularity=3.0, p_policy=0.6, date="2021-01-05T10:00:00"),
        entry("c", popularity=1.0, p_policy=0.9, date="2019"),
    ], [])  # fmt: skip
    assert ids(engine, COOKIES, Ranking.POPULARITY) == ["b", "a", "c"]
    assert ids(engine, COOKIES, Ranking.PROBABILITY) == ["c", "a", "b"]
    assert ids(engine, COOKIES, Ranking.DATE) == ["b", "a", "c"]


def test_ties_are_broken_the_same_way_whatever_the_order_of_indexing(open_again):
    orders = []
    for turn, numbers in enumerate((range(20), reversed(range(20)))):
        engine = open_again(str(turn))
        engine.update([entry(f"p{number}") for number in numbers], [])
        orders.append([ids(engine, COOKIES, ranking) for ranking in Ranking])
    assert orders[0] == orders[1]


def test_phrases_all_any_and_exclusions(engine):
    engine.update([
        entry("a", "a data breach happened"), entry("b", "breach of data"), entry("c", "data only", title="Cookies")
    ], [])  # fmt: skip
    data, breach = Words("text", ("data",)), Words("text", ("breach",))
    assert ids(engine, Query(Words("text", ("data", "breach")))) == ["a"]
    assert sorted(ids(engine, Query(AnyOf((data, breach))))) == ["a", "b", "c"]
    assert sorted(ids(engine, Query(AllOf((data, breach))))) == ["a", "b"]
    assert ids(engine, Query(data, unwanted=(breach,))) == ["c"]
    assert ids(engine, Query(Words("title", ("cookies",)))) == ["c"]
    assert ids(engine, Query(Words("body", ("cookies",)))) == []
    assert ids(engine, Query(Words("url", ("b", "example")))) == ["b"]
    assert ids(engine, Query(AnyOf(()))) == []
    assert sorted(ids(engine, Query(unwanted=(OneOf("sector", ("travel",)),)))) == ["a", "b", "c"]


def test_filters_leave_scores_as_they_are(engine):
    engine.update([entry("a", grade=9.0, vagueness=0.1), entry("b", "cookies", grade=12.0), entry("c")], [])
    bare = {hit.policy_id: hit.score for hit in find(engine, COOKIES, Ranking.CUSTOM, 10).hits}
    for filters, expected in (
        ((Between("grade", 8.0, 12.0),), ["a", "b"]),
        ((Between("grade", None, 9.0),), ["a"]),
        ((Between("grade", 9.5, None),), ["b"]),
        ((Between("vagueness", 0.0, 0.2), OneOf("year", ("2024",))), ["a"]),
        ((OneOf("sector", ("travel", "medical")),), ["a", "b", "c"]),
        ((OneOf("sector", ("travel",)),), []),
    ):
        found = {
            hit.policy_id: hit.score
            for hit in find(engine, Query(COOKIES.wanted, filters=filters), Ranking.CUSTOM, 10).hits
        }
        assert sorted(found) == expected
        assert found == pytest.approx({name: bare[name] for name in expected})


def test_near_duplicates_are_folded_under_the_best_that_matches(engine):
    twins = [entry(f"t{number}", "cookies " * (number + 1), group="t0", grouped=True) for number in range(5)]
    engine.update([*twins, entry("x", "we mention cookies once among many other words")], [])
    found = find(engine, COOKIES, Ranking.RELEVANCE, 10)
    assert (found.total, tally(engine, COOKIES).groups, len(found.hits)) == (6, 2, 2)
    assert found.hits[0].policy_id == ids(engine, COOKIES, fold=False)[0]
    assert len(find(engine, COOKIES, Ranking.RELEVANCE, 10, fold=False).hits) == 6
    # A leader that does not match is no reason to lose the others.
    engine.update([entry("t0", "nothing", group="t0", grouped=True)], [])
    assert sorted(hit.policy_id[0] for hit in find(engine, COOKIES, Ranking.RELEVANCE, 10).hits) == ["t", "x"]


def test_pages_follow_one_another_without_gap_or_repetition(engine):
    engine.update([entry(f"p{n}", "cookies " * (n % 7 + 1), group=f"g{n // 3}", grouped=True) for n in range(300)], [])
    whole = ids(engine, COOKIES, Ranking.CUSTOM, 100)
    pages = [name for start in range(0, 100, 10) for name in ids(engine, COOKIES, Ranking.CUSTOM, 10, offset=start)]
    assert len(whole) == 100
    assert pages == whole


def test_counts_by_value_and_by_step(engine):
    engine.update([
        entry("a", mention=("gdpr", "cookies"), grade=9.4, practice=("first-party",)),
        entry("b", mention=("gdpr",), grade=9.9, sector=("travel",), date="2020-12"),
        entry("c", grade=99.0),
    ], [])  # fmt: skip
    assert tally(engine, COOKIES, "sector", "mention", "practice", "year").values == {
        "sector": {"medical": 2, "travel": 1},
        "mention": {"gdpr": 2, "cookies": 1},
        "practice": {"first-party": 1},
        "year": {"2024": 2, "2020": 1},
    }
    assert engine.tallies([Count(COOKIES, bars=(Bars("grade", 8.0, 1.0, 4),))])[0].bars == ((0, 2, 0, 1),)
    assert tally(engine, Query(), "sector").values == {"sector": {"medical": 2, "travel": 1}}
    engine.update([entry("d")], [])
    assert tally(engine, Query(), "sector").values == {"sector": {"medical": 3, "travel": 1}}


def test_a_score_is_explained_by_its_factors(engine):
    engine.update([entry("a", "cookies data", popularity=3.0), entry("b", "other words")], [])
    query = Query(AnyOf((Words("text", ("cookies",)), Words("text", ("data",)), Words("text", ("names",)))))
    found = engine.explain(query, "a")
    (hit,) = find(engine, query, Ranking.CUSTOM, 1).hits
    assert found.score == pytest.approx(hit.score, rel=1e-5)
    assert (found.p_policy, found.popularity) == (0.9, 3.0)
    assert sum(found.words.values()) == pytest.approx(found.relevance)
    assert set(found.words) == {"body:cookies", "body:data"}
    assert engine.explain(query, "b") is None


def of_sites(names, **facts):
    """Make policies, the best first, each of the site that its letter names."""
    return [
        entry(f"{site}{number}", popularity=5.0 - number / 10, site=(f"{site}.example",), **facts)
        for number, site in enumerate(names)
    ]


def test_a_page_has_two_of_a_site_and_the_rest_come_later(engine):
    engine.update(of_sites("aaabc"), [])
    pages = [ids(engine, COOKIES, Ranking.CUSTOM, 3, offset=start) for start in (0, 3)]
    assert pages == [["a0", "a1", "b3"], ["a2", "c4"]]
    assert tally(engine, COOKIES).groups == 5


def test_sites_are_not_spread_where_one_was_asked_for_or_all_are_wanted_or_the_order_is_another(engine):
    engine.update(of_sites("aaab"), [])
    assert ids(engine, Query(COOKIES.wanted, filters=(OneOf("site", ("a.example",)),)), Ranking.CUSTOM, 2) == [
        "a0",
        "a1",
    ]
    assert ids(engine, COOKIES, Ranking.CUSTOM, 4, fold=False) == ["a0", "a1", "a2", "b3"]
    assert ids(engine, COOKIES, Ranking.POPULARITY, 4) == ["a0", "a1", "a2", "b3"]


def test_many_of_a_site_do_not_hide_the_others(engine):
    engine.update(of_sites("a" * 40 + "b"), [])
    engine.update([entry(f"x{number}", popularity=3.0, site=("a.example",)) for number in range(200)], [])
    assert ids(engine, COOKIES, Ranking.CUSTOM, 3) == ["a0", "a1", "b40"]


def test_what_is_favoured_comes_first_and_nothing_else_is_found(engine):
    engine.update([entry("a"), entry("b", practice=("retention",)), entry("c", "names", practice=("retention",))], [])
    query = Query(COOKIES.wanted, favoured=(Favoured("practice", "retention", 2.0),))
    assert ids(engine, query) == ["b", "a"]
    assert engine.counts([query])[0] == 2
    told = engine.explain(query, "b")
    assert told.relevance == pytest.approx(sum(told.words.values()))
    assert "practice:retention" in told.words
    assert "practice:retention" not in engine.explain(query, "a").words


def by_own_number(names):
    return sorted(names, key=own_number, reverse=True)


@pytest.mark.parametrize("ranking", Ranking)
def test_ties_are_ordered_by_the_policies_own_numbers(engine, ranking):
    names = [f"p{number}" for number in range(300)]
    engine.update([entry(name) for name in names], [])
    assert ids(engine, COOKIES, ranking, 300, fold=False) == by_own_number(names)
    assert ids(engine, COOKIES, ranking, 10, offset=100, fold=False) == by_own_number(names)[100:110]


@pytest.mark.parametrize(
    ("ranking", "fact"),
    [(Ranking.POPULARITY, "popularity"), (Ranking.PROBABILITY, "p_policy"), (Ranking.DATE, "date")],
)
def test_the_value_counts_before_the_own_number(engine, ranking, fact):
    values = {"date": ["2019-12-31", "2020-01-01"]}.get(fact, [0.5, 0.500001])
    names = [f"p{number}" for number in range(200)]
    engine.update([entry(name, **{fact: values[number % 2]}) for number, name in enumerate(names)], [])
    expected = [*by_own_number(names[1::2]), *by_own_number(names[::2])]
    assert ids(engine, COOKIES, ranking, 200, fold=False) == expected


def test_a_walk_goes_through_all_matches_in_the_order_of_pages(engine):
    engine.update(made_up(400), [])
    for ranking in Ranking:
        matches = engine.walk(COOKIES, ranking, 10)
        walked = [(hit.policy_id, hit.score) for hit in matches.hits]
        assert len(walked) == matches.total == engine.counts([COOKIES])[0]
        assert len(set(walked)) == len(walked)
        pages = [
            (hit.policy_id, hit.score)
            for start in range(0, matches.total, 50)
            for hit in find(engine, COOKIES, ranking, 50, start, fold=False).hits
        ]
        assert walked == pages


def test_a_walk_does_not_see_what_is_written_meanwhile(engine):
    engine.update([entry(f"p{number}") for number in range(100)], [])
    matches = engine.walk(COOKIES, Ranking.RELEVANCE, 5)
    first = next(matches.hits).policy_id
    engine.update([entry("new")], [f"p{number}" for number in range(100)])
    assert sorted([first, *(hit.policy_id for hit in matches.hits)]) == sorted(f"p{number}" for number in range(100))
    assert ids(engine, COOKIES) == ["new"]


def test_several_counts_at_once_are_those_of_each(engine):
    engine.update([entry("a", grade=9.0), entry("b", sector=("travel",)), entry("c", "other words")], [])
    medical = Query(filters=(OneOf("sector", ("medical",)),))
    assert engine.counts([COOKIES, medical, Query(), Query(AnyOf(()))]) == [2, 2, 3, 0]
    assert engine.counts([]) == engine.tallies([]) == []
    several = [Count(COOKIES, ("sector",)), Count(medical, ("year",), (Bars("grade", 8.0, 1.0, 2),)), Count(Query())]
    assert engine.tallies(several) == [engine.tallies([count])[0] for count in several]


def test_a_facet_counted_without_its_own_choice_is_counted_as_if_nothing_were_chosen(engine):
    engine.update([entry("a"), entry("b", sector=("travel",)), entry("c", sector=("travel",), grade=9.0)], [])
    chosen = Query(COOKIES.wanted, filters=(OneOf("sector", ("medical",)),))
    assert tally(engine, chosen, "sector").values == {"sector": {"medical": 1}}
    assert tally(engine, COOKIES, "sector").values == {"sector": {"medical": 1, "travel": 2}}


def test_stamps_come_by_id_and_the_state_is_their_sum(engine, open_again):
    engine.update([entry(name, stamp=name.upper()) for name in "cab"], [])
    assert list(engine.stamps()) == [("a", "A"), ("b", "B"), ("c", "C")]
    assert engine.state() == state_of([("b", "B"), ("c", "C"), ("a", "A")])
    other = open_again("other")
    other.update([entry("a", stamp="A"), entry("x")], [])
    other.update([entry("c", stamp="C"), entry("b", stamp="B")], ["x"])
    assert other.state() == engine.state()
    other.update([entry("a", stamp="2")], [])
    assert other.state() != engine.state()


def test_two_indexes_know_nothing_of_each_other(engine, open_again):
    engine.update([entry("a")], [])
    other = open_again("other")
    other.update([entry("b"), entry("c", "names")], [])
    assert (ids(engine, COOKIES), ids(other, COOKIES)) == (["a"], ["b"])
    assert [index.counts([Query()]) for index in (engine, other)] == [[1], [2]]
    engine.note_library_state("of a")
    assert (engine.library_state(), other.library_state()) == ("of a", "")


def test_a_site_is_found_by_each_of_its_names(engine):
    engine.update([entry("a", site=("a.example", "www.a.example")), entry("b", site=("b.example",))], [])
    for name, found in (("a.example", ["a"]), ("www.a.example", ["a"]), ("example", [])):
        assert ids(engine, Query(filters=(OneOf("site", (name,)),))) == found


def test_what_is_favoured_counts_for_as_much_however_few_policies_are_annotated(engine, open_again):
    """How rare a practice is among all policies counts, not among those that have any."""
    query = Query(COOKIES.wanted, favoured=(Favoured("practice", "retention", 2.0),))
    for name, others, average in (("all", ("security",), 2), ("few", (), 22 / 21)):
        own = open_again(name)
        own.update([entry("a", practice=("retention",)), *(entry(f"p{n}", practice=others) for n in range(20))], [])
        # Each policy has one value more, the same for all.
        expected = 2 * bm25(1, 2, average, 21, 1)
        assert own.explain(query, "a").words["practice:retention"] == pytest.approx(expected, rel=1e-5)
        assert tally(own, Query(), "practice").values["practice"] == {"retention": 1, **dict.fromkeys(others, 20)}
