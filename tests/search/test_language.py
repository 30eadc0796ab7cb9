from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint.index.fields import FACETS, site_name
from smallprint.index.tree import EVERYTHING, AllOf, AnyOf, Between, OneOf, Query, Words
from smallprint.index.words import words
from smallprint.limits import MAX_QUERY, MAX_QUERY_WORDS
from smallprint.search.language import RUN_WEIGHT, _practice_names, favoured, parse_limits, parse_query


def any_of(*runs, field="text"):
    return AnyOf(tuple(Words(field, run) for run in runs))


def read(text, **how):
    return parse_query(text, together=False, **how)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", Query(EVERYTHING)),
        ("   ", Query(EVERYTHING)),
        ("cookies", Query(any_of(("cookies",)))),
        ("data breach", Query(any_of(("data",), ("breach",)))),
        ('"data breach"', Query(any_of(("data", "breach")))),
        ("“data breach” sold", Query(any_of(("data", "breach"), ("sold",)))),
        ("«data breach»", Query(any_of(("data", "breach")))),
        ('"data breach', Query(any_of(("data", "breach")))),
        ('sold"data breach"', Query(any_of(("sold",), ("data", "breach")))),
        ("opt-out", Query(any_of(("opt", "out")))),
        ("e-mail -spam", Query(any_of(("e", "mail")), unwanted=(Words("text", ("spam",)),))),
        ("−spam", Query(EVERYTHING, unwanted=(Words("text", ("spam",)),))),
        ('-"third party"', Query(EVERYTHING, unwanted=(Words("text", ("third", "party")),))),
        ("a - b", Query(any_of(("a",), ("b",)))),
        ("cookies cookies COOKIES", Query(any_of(("cookies",)))),
        ("title:privacy url:legal", Query(AnyOf((Words("title", ("privacy",)), Words("url", ("legal",)))))),
        ('title:"privacy notice"', Query(any_of(("privacy", "notice"), field="title"))),
        ("site:www.Example.com", Query(EVERYTHING, filters=(OneOf("site", ("example.com",)),))),
        ("site:https://example.com/privacy x", Query(any_of(("x",)), filters=(OneOf("site", ("example.com",)),))),
        ("-site:example.com", Query(EVERYTHING, unwanted=(OneOf("site", ("example.com",)),))),
        ("sector:medical", Query(EVERYTHING, filters=(OneOf("sector", ("medical",)),))),
        (
            "grade:8:12 vague:..0.2",
            Query(EVERYTHING, filters=(Between("grade", 8.0, 12.0), Between("vagueness", None, 0.2))),
        ),
        ("grade:high", Query(any_of(("grade", "high")))),
        ("year:2020 names:GDPR", Query(EVERYTHING, filters=(OneOf("year", ("2020",)), OneOf("mention", ("gdpr",))))),
        ("note: read", Query(any_of(("note",), ("read",)))),
        ("title:", Query(any_of(("title",)))),
        ("http://x.example/a", Query(any_of(("http", "x.example", "a")))),
        ("'; DROP TABLE policies; --", Query(any_of(("drop",), ("table",), ("policies",)))),
        (".*(a|b)+$ [", Query(any_of(("a", "b")))),
    ],
)
def test_what_is_typed_becomes_a_tree(text, query):
    assert read(text).query == query


@pytest.mark.parametrize("text", ["😀", "?!", '""', "***", "-"])
def test_where_there_is_no_word_nothing_is_found_and_it_is_said(text):
    found = parse_query(text)
    assert found.query == Query(AnyOf(()))
    assert found.notes


def test_words_side_by_side_count_once_more():
    data, breach, both = (
        Words("text", ("data",)),
        Words("text", ("breach",)),
        Words("text", ("data", "breach"), RUN_WEIGHT),
    )
    assert parse_query("data breach").query.wanted == AnyOf((data, breach, both))
    assert parse_query("data breach").highlights == (("data",), ("breach",), ("data", "breach"))
    assert parse_query("data -x breach").query.wanted == AnyOf((data, breach, both))
    assert parse_query("data breach", operator="all").query.wanted == AnyOf((AllOf((data, breach)), both))
    assert parse_query('data "breach"').query.wanted == AnyOf((data, breach))
    assert parse_query("data title:breach").query.wanted == AnyOf((data, Words("title", ("breach",))))
    assert parse_query("opt-out now").query.wanted.parts[-1] == Words("text", ("opt", "out", "now"), RUN_WEIGHT)
    assert parse_query("opt-out").query.wanted == AnyOf((Words("text", ("opt", "out")),))


def test_all_words_if_wanted():
    assert read("data breach", operator="all").query.wanted == AllOf(
        (Words("text", ("data",)), Words("text", ("breach",)))
    )


def test_words_may_be_looked_for_in_addresses():
    found = parse_query("privacy-policy", "url")
    assert found.query.wanted == any_of(("privacy", "policy"), field="url")
    assert found.highlights == ()


def test_very_long_queries_are_cut_and_say_so():
    found = parse_query(" ".join(f"w{number}" for number in range(10_000)))
    assert len(found.query.wanted.parts) == MAX_QUERY_WORDS
    assert len(found.notes) == 2
    assert parse_query("a" * (MAX_QUERY + 1)).notes


@settings(deadline=None)  # the machine may be busy
@given(st.text(max_size=200))
def test_no_text_fails(text):
    for field in ("text", "url"):
        parse_query(text, field)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(['"', "-", ":", "title:", "site:", "grade:", "a", "8:12", " ", "“", "’", "x.y", "\n"]),
        max_size=30,
    )
)
def test_no_mix_of_operators_fails(pieces):
    found = parse_query("".join(pieces))
    assert isinstance(found.query, Query)


def test_sites_and_limits():
    assert site_name("https://user@www.Example.com:8080/x") == "example.com"
    assert parse_limits("8:12") == (8.0, 12.0)
    assert parse_limits("8-12") == (8.0, 12.0)
    assert parse_limits("8..") == (8.0, None)
    assert parse_limits(":") is parse_limits("x:y") is parse_limits("") is None


# Which practices the words of a search name


def named(text):
    return {one.value for one in favoured(words(text))}


@pytest.mark.parametrize(
    ("text", "practices"),
    [
        ("do not track", {"do-not-track"}),
        ("European audience", {"audiences / Audience Type / Europeans"}),
        ("not on a track", set()),
        ("third party advertisers", {"third-party / Purpose / Advertising"}),
        ("retention of location", {"retention", "first-party / Personal Information Type / Location"}),
        ("privacy policy", set()),
        ("", set()),
    ],
)
def test_what_words_name(text, practices):
    assert named(text) == practices


def test_every_practice_in_the_table_can_be_chosen_as_a_facet():
    known = {choice.value for facet in FACETS if facet.key == "practice" for choice in facet.choices()}
    assert {practice for _, practices in _practice_names() for practice in practices} <= known


def test_only_plain_words_of_a_search_of_texts_name_practices():
    assert parse_query("retention").query.favoured
    assert not parse_query("retention", "url").query.favoured
    assert not parse_query('"retention"').query.favoured
    assert not parse_query("title:retention -location").query.favoured
