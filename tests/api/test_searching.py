"""Searches over HTTP: the same answers as the command and the page give, the same words for what is wrong."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from smallprint.api.parameters import Search, SearchPage
from smallprint.index.opening import open_engine
from smallprint.library import Library
from smallprint.search.request import Request, read_request
from smallprint.search.results import as_plain, search
from smallprint.settings import Settings

from ..cli.running import Runner

QUERIES = [
    "", "q=cookies", "q=%22third+parties%22+-children", "q=cookies+advertising&match=all", "q=privacy&in=url",
    "q=data&rank=relevance", "q=data&rank=popularity", "rank=probability", "rank=date&size=3&page=2",
    "q=menu&index=page", "sector=medical&sector=travel&q=email", "regulation=gdpr&technology=cookies&body=nai",
    "practice=retention&practice=security", "year=2024", "grade=8:12", "grade=8..12", "grade_min=9&grade_max=11.5",
    "vagueness=:0.2", "vagueness_min=0.3", "q=cookies&fold=0&size=100", "q=nosuchword&sector=medical&grade=1:2",
    "q=%21%21", "names=gdpr&names=cookies",
]  # fmt: skip


def timeless(answer):
    """Take away what no two answers share."""
    return {key: value for key, value in answer.items() if key not in {"seconds", "next"}}


def bare(answer):
    """Take away explanations that were not asked for."""
    hits = [{key: value for key, value in hit.items() if key != "explanation"} for hit in answer["hits"]]
    return {**timeless(answer), "hits": hits}


@pytest.mark.parametrize("query", QUERIES)
def test_a_search_answers_as_the_library_does(client, annotated_sample, query):
    answer = client.get(f"/api/v1/search?{query}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    with Library(annotated_sample) as library:
        request = read_request(parse_qsl(query))
        found = search(library, open_engine(Settings(library=annotated_sample), request.index), request)
    assert bare(answer.json()) == timeless(as_plain(found))
    assert all(hit["explanation"] is None for hit in answer.json()["hits"])


def test_a_search_answers_as_the_command_does(client, annotated_sample, capsys):
    run = Runner(capsys)
    said = run("search", "cookies", "--sector", "medical", "--explain", "--json", "-l", annotated_sample)
    answer = client.get("/api/v1/search?q=cookies&sector=medical&explain=1").json()
    assert timeless(answer) == timeless(said.json)
    assert answer["hits"][0]["explanation"]["words"]


def test_counts_are_left_out_where_they_are_not_wanted(client):
    answer = client.get("/api/v1/search?q=cookies&facets=0").json()
    assert (answer["facets"], answer["scales"]) == ({}, {})
    assert answer["hits"]


def test_marks_are_the_words_asked_for(client):
    snippets = [one for hit in client.get("/api/v1/search?q=cookies").json()["hits"] for one in hit["snippets"]]
    marked = {one["text"][start:end].lower() for one in snippets for start, end in one["marks"]}
    assert marked == {"cookies"}


def test_the_next_page_is_named_until_there_is_none(client):
    seen, address = [], "/api/v1/search?q=cookies&sector=medical&size=7&fold=0&facets=0"
    while address:
        answer = client.get(address).json()
        seen += [(hit["rank"], hit["policy_id"]) for hit in answer["hits"]]
        address = answer["next"]
    assert [rank for rank, _ in seen] == list(range(1, answer["total"] + 1))
    assert len({policy_id for _, policy_id in seen}) == answer["total"] > 14


def test_the_next_page_tells_as_much_as_this_one(client):
    first = client.get("/api/v1/search?q=cookies&size=3&facets=0&explain=1").json()
    assert first["next"] == "/api/v1/search?q=cookies&size=3&page=2&facets=0&explain=1"
    second = client.get(first["next"]).json()
    assert (second["facets"], bool(second["hits"][0]["explanation"])) == ({}, True)
    assert client.get("/api/v1/search?size=3").json()["next"] == "/api/v1/search?size=3&page=2"


def test_no_next_page_is_named_beyond_the_last_that_can_be_had(client, monkeypatch):
    monkeypatch.setattr("smallprint.limits.MAX_RESULT_PAGES", 2)
    assert client.get("/api/v1/search?size=1&page=1").json()["next"]
    assert client.get("/api/v1/search?size=1&page=2").json()["next"] is None


def test_every_parameter_of_a_page_is_one_of_ours():
    with pytest.raises(Exception, match="choose from") as error:
        read_request([("nonsense", "1")])
    of_pages = set(str(error.value).partition("choose from ")[2].split(", "))
    assert {field.alias or name for name, field in Search.model_fields.items()} == of_pages
    assert set(SearchPage.model_fields) - set(Search.model_fields) == {"facets", "explain"}


def test_what_is_usual_to_us_is_usual_to_a_page():
    assert Search().request() == Request() == read_request([])


# Facets


@pytest.mark.parametrize("query", ["", "q=cookies&sector=medical&sector=travel", "grade=8:12&regulation=gdpr&page=2"])
def test_facets_have_names_and_the_counts_of_the_search(client, annotated_sample, query):
    answer = client.get(f"/api/v1/facets?{query}").json()
    with Library(annotated_sample) as library:
        request = replace(read_request(parse_qsl(query)), page=1)
        found = search(library, open_engine(Settings(library=annotated_sample)), request)
    assert (answer["query"], answer["total"]) == (request.address(), found.total)
    assert answer["behind"] == 0
    assert [(one["key"], one["name"]) for one in answer["facets"]] == [
        (one.facet.key, one.facet.label) for one in found.facets
    ]
    plain = as_plain(found)
    assert {one["key"]: one["values"] for one in answer["facets"]} == plain["facets"]
    for one, scale in zip(answer["scales"], found.ranges, strict=True):
        assert {name: one[name] for name in ("low", "step", "counts")} == plain["scales"][one["key"]]
        assert (one["name"], one["at_least"], one["at_most"]) == (scale.field.label, scale.low, scale.high)


# What is wrong


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("colour=blue", "Colour: Extra inputs are not permitted."),
        ("where=url", "Where: Extra inputs are not permitted."),
        ("page=0", "Page: Input should be greater than or equal to 1."),
        ("page=101", "Page: Input should be less than or equal to 100."),
        ("size=101", "Size: Input should be less than or equal to 100."),
        ("page=", "Page: Input should be a valid integer"),
        ("page=two", "Page: Input should be a valid integer"),
        ("rank=best", "Rank: Input should be 'custom', 'relevance', 'popularity', 'probability' or 'date'."),
        ("sector=farming", "Sector has no value 'farming'"),
        ("sector=medical&sector=farming", "Sector has no value 'farming'"),
        ("regulation=cookies", "Regulation has no value 'cookies'"),
        ("practice=", "Practice: String should match pattern"),
        ("body=nai&body=+", "Body: String should match pattern"),
        ("year=late", "Should match pattern"),
        ("grade=low", "Should match pattern"),
        ("grade=12:8", "Grade = '12:8' is empty; the lower end comes first."),
        ("grade_min=12&grade_max=8", "Grade = '12:8' is empty; the lower end comes first."),
        ("fold=yes", "Fold: Input should be '0' or '1'."),
        ("match=most", "Match: Input should be 'any' or 'all'."),
    ],
)
@pytest.mark.parametrize("path", ["search", "facets", "export"])
def test_what_cannot_be_asked_is_told(client, path, query, said):
    answer = client.get(f"/api/v1/{path}?{query}")
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
    found = answer.json()
    assert set(found) == {"status", "title", "detail"}
    assert said.lower() in found["detail"].lower()


def test_an_index_that_is_not_there_is_told_without_a_path(serve, copied):
    import shutil

    client = serve(copied)
    shutil.rmtree(copied.with_name("copy.db.index"))
    for path in ("search", "facets", "export"):
        answer = client.get(f"/api/v1/{path}?q=cookies")
        assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
        assert "smallprint index" in answer.json()["detail"]
        assert str(copied.parent) not in answer.text


def test_an_index_that_knows_more_than_the_library_is_no_missing_page(serve, copied):
    with Library(copied) as library:
        library.db.execute("PRAGMA foreign_keys = OFF")
        library.db.execute("DELETE FROM policies")
    answer = serve(copied).get("/api/v1/search?q=cookies")
    assert (answer.status_code, answer.json()["hits"]) == (200, [])
    assert any("behind the library" in note for note in answer.json()["notes"])
