from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint.index.tree import EVERYTHING, AllOf, AnyOf, Between, OneOf, Query, Words
from smallprint.limits import MAX_QUERY, MAX_QUERY_WORDS
from smallprint.search.language import RUN_WEIGHT, limits, site_name, understand


def any_of(*runs, field="text"):
    return AnyOf(tuple(Words(field, run) for run in runs))


def read(text, **how):
    return understand(text, together=False, **how)


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
            Query(EVERYTHING, filters=(Between("grade", 8.0, 12.0), Between("vague", None, 0.2))),
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
    found = understand(text)
    assert found.query == Query(AnyOf(()))
    assert found.notes


def test_words_side_by_side_count_once_more():
    data, breach, both = (
        Words("text", ("data",)),
        Words("text", ("breach",)),
        Words("text", ("data", "breach"), RUN_WEIGHT),
    )
    assert understand("data breach").query.wanted == AnyOf((data, breach, both))
    assert understand("data breach").highlights == (("data",), ("breach",), ("data", "breach"))
    assert understand("data -x breach").query.wanted == AnyOf((data, breach, both))
    assert understand("data breach", operator="all").query.wanted == AnyOf((AllOf((data, breach)), both))
    assert understand('data "breach"').query.wanted == AnyOf((data, breach))
    assert understand("data title:breach").query.wanted == AnyOf((data, Words("title", ("breach",))))
    assert understand("opt-out now").query.wanted.parts[-1] == Words("text", ("opt", "out", "now"), RUN_WEIGHT)
    assert understand("opt-out").query.wanted == AnyOf((Words("text", ("opt", "out")),))


def test_all_words_if_wanted():
    assert read("data breach", operator="all").query.wanted == AllOf(
        (Words("text", ("data",)), Words("text", ("breach",)))
    )


def test_words_may_be_looked_for_in_addresses():
    found = understand("privacy-policy", "url")
    assert found.query.wanted == any_of(("privacy", "policy"), field="url")
    assert found.highlights == ()


def test_very_long_queries_are_cut_and_say_so():
    found = understand(" ".join(f"w{number}" for number in range(10_000)))
    assert len(found.query.wanted.parts) == MAX_QUERY_WORDS
    assert len(found.notes) == 2
    assert understand("a" * (MAX_QUERY + 1)).notes


@settings(deadline=None)  # the machine may be busy
@given(st.text(max_size=200))
def test_no_text_fails(text):
    for field in ("text", "url"):
        understand(text, field)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(['"', "-", ":", "title:", "site:", "grade:", "a", "8:12", " ", "“", "’", "x.y", "\n"]),
        max_size=30,
    )
)
def test_no_mix_of_operators_fails(pieces):
    found = understand("".join(pieces))
    assert isinstance(found.query, Query)


def test_sites_and_limits():
    assert site_name("https://user@www.Example.com:8080/x") == "example.com"
    assert limits("8:12") == (8.0, 12.0)
    assert limits("8-12") == (8.0, 12.0)
    assert limits("8..") == (8.0, None)
    assert limits(":") is limits("x:y") is limits("") is None
