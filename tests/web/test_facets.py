"""The facets of a page of results: what they count, and how they narrow down."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest

from smallprint.index.opening import open_engine
from smallprint.library import Library
from smallprint.search.request import Request
from smallprint.search.results import search
from smallprint.settings import Settings

from .listing import boxes, count, facet, is_inside, links, sent, texts, tree_of


def test_sectors_have_a_count_a_bar_and_a_share(client, annotated_sample):
    tree = tree_of(client, "/search?q=gdpr")
    with Library(annotated_sample) as library:
        found = search(library, open_engine(Settings(library=annotated_sample)), Request(text="gdpr"))
    wanted = {one.choice.value: one for one in found.facets[0].values if one.count}
    assert {value: number for value, (_, number) in boxes(tree, "Sector").items()} == {
        value: one.count for value, one in wanted.items()
    }
    rows = facet(tree, "Sector").css("li")
    lengths = [float(row.css_first(".meter .bar").attributes["width"].rstrip("%")) for row in rows]
    shares = [wanted[row.css_first("input").attributes["value"]].share for row in rows]
    assert max(lengths) == 100
    assert lengths == pytest.approx([100 * share / max(shares) for share in shares], abs=0.06)
    percents = [float(row.css_first(".part span").text().rstrip(" %")) for row in rows]
    assert percents == pytest.approx([100 * share for share in shares], abs=0.5)


def test_practices_are_a_tree_and_long_lists_are_folded(client):
    tree = tree_of(client, "/search")
    practices = facet(tree, "Practices")
    row = next(one for one in practices.css("li") if one.css_first("input").attributes["value"] == "retention")
    assert row.css_first("details summary").text() == "in detail: how long they keep it"
    assert "how long" in [legend.text() for legend in row.css("fieldset legend")]
    inner = [node.attributes["value"] for node in row.css_first("details").css("input")]
    assert "retention / Retention Period / Limited" in inner
    assert all(value.startswith("retention / ") for value in inner)
    outside = [node for node in facet(tree, "Sector").css("input") if not is_inside(node, "more-sector")]
    assert len(outside) == 6
    assert facet(tree, "Sector").css_first("#more-sector summary").text().startswith("5 more")


def test_what_has_more_than_eight_values_can_be_looked_through(client):
    tree = tree_of(client, "/search")
    ticks = {one.css_first("legend").text(): len(one.css(".tick")) for one in tree.css("fieldset.facet")}
    long = {one.css_first("legend").text() for one in tree.css("fieldset.facet[data-find]")}
    assert long == {name for name, count in ticks.items() if count > 8}
    assert {"Sector", "Practices"} <= long
    assert tree.css(".find") == []  # without scripts it would be of no use


def test_years_stand_in_their_order_with_a_histogram(client):
    tree = tree_of(client, "/search")
    years = list(boxes(tree, "Year seen"))
    assert years == sorted(years, reverse=True)
    assert len(years) > 3
    assert len(facet(tree, "Year seen").css("svg.small rect")) == len(years)
    narrowed = tree_of(client, f"/search?year={years[0]}")
    assert len(facet(narrowed, "Year seen").css("rect.out")) == len(years) - 1
    assert list(boxes(narrowed, "Year seen")) == years


def test_ranges_have_two_fields_and_dim_what_is_outside(client):
    tree = tree_of(client, "/search")
    for key, name in (("grade", "Reading grade"), ("vagueness", "Vagueness")):
        fields = [node.attributes["name"] for node in facet(tree, name).css("input[type=number]")]
        assert fields == [f"{key}_min", f"{key}_max"]
        assert facet(tree, name).css("rect.out") == []
    narrowed = tree_of(client, "/search?grade=8%3A10")
    low, high = facet(narrowed, "Reading grade").css("input")
    assert (low.attributes["value"], high.attributes["value"]) == ("8", "10")
    assert 0 < len(facet(narrowed, "Reading grade").css("rect.out")) < len(facet(narrowed, "Reading grade").css("rect"))
    assert facet(narrowed, "Vagueness").css("rect.out") == []


# Filters


def test_or_inside_a_facet_and_across(client):
    whole = boxes(tree_of(client, "/search?fold=0"), "Sector")
    either = tree_of(client, "/search?fold=0&sector=medical&sector=travel")
    assert count(either) == whole["medical"][1] + whole["travel"][1]
    # Its own choice leaves a facet's counts as they are, and lowers those of the others.
    assert boxes(either, "Sector") == whole
    both = tree_of(client, "/search?fold=0&sector=medical&sector=travel&regulation=gdpr")
    assert count(both) == boxes(either, "Regulations and agreements")["gdpr"][1] < count(either)
    assert {node.attributes["value"] for node in either.css("input:checked, input[checked]")} == {"medical", "travel"}
    assert "Policies match if they have any of the ticked values in a group" in either.css_first("form#narrow").text()


def test_a_counts_promise_is_kept(client):
    tree = tree_of(client, "/search?q=cookies&fold=0")
    for name, key in (("Sector", "sector"), ("Practices", "practice"), ("Year seen", "year")):
        value, (_, number) = list(boxes(tree, name).items())[3]
        pairs = sent(tree, **{key: [value]})
        assert count(tree_of(client, client.get("/search", params=pairs).headers["location"])) == number


def test_the_form_works_without_scripts_and_ends_at_a_short_address(client):
    tree = tree_of(client, "/search?q=cookies&rank=date&index=page&match=all&fold=0&sector=medical")
    form = tree.css_first("form#narrow")
    assert (form.attributes["action"], form.attributes["method"]) == ("/search", "get")
    assert form.css_first(".apply button").attributes.get("type") in {None, "submit"}
    pairs = sent(tree, regulation=["gdpr", "coppa"], grade_min="8", q="cookies log")
    answer = client.get("/search", params=pairs)
    assert answer.status_code == 303
    wanted = (
        "q=cookies+log&rank=date&index=page&match=all&fold=0&sector=medical&regulation=gdpr&regulation=coppa&grade=8%3A"
    )
    assert answer.headers["location"] == f"/search?{wanted}"
    assert client.get(answer.headers["location"]).status_code == 200


@pytest.mark.parametrize(
    ("typed", "short"),
    [("/search?q=a&in=text", "/search?q=a"), ("/search?q=&in=text", "/search"), ("/search?page=1", "/search"),
     ("/search?q=a&q=b", "/search?q=b"), ("/search?vagueness_min=0.2&vagueness_max=", "/search?vagueness=0.2%3A")],
)  # fmt: skip
def test_long_spellings_lead_to_the_short_one(client, typed, short):
    answer = client.get(typed)
    assert (answer.status_code, answer.headers["location"]) == (303, short)
    assert client.get(short).status_code == 200


def test_chips_name_each_filter_and_take_it_away(client):
    address = (
        "/search?q=data&sector=medical&sector=travel&practice=retention+%2F+Retention+Period+%2F+Limited"
        "&regulation=gdpr&grade=%3A20&vagueness=0.01%3A0.99"
    )
    tree = tree_of(client, address)
    named = [
        "Sector: Medical", "Sector: Travel, Food and Hospitality",
        "Practices: how long they keep it · how long: for a limited time they do not state",
        "Regulations and agreements: GDPR", "Reading grade: up to 20", "Vagueness: 0.01 to 0.99",
    ]  # fmt: skip
    assert texts(tree, ".chip") == [f"Remove {one} ×" for one in named]
    pairs = parse_qsl(urlsplit(address).query)
    for place, link in enumerate(links(tree, ".chip"), 1):
        assert parse_qsl(urlsplit(link).query) == pairs[:place] + pairs[place + 1 :]
    clear = links(tree, ".chips li:last-child a")
    assert clear == ["/search?q=data"]
    assert tree_of(client, clear[0]).css(".chips") == []


def test_what_is_chosen_is_unfolded_and_can_be_let_go_of_even_where_it_finds_nothing(client):
    tree = tree_of(client, "/search?q=zzyzx&sector=medical&practice=retention+%2F+Retention+Period+%2F+Limited")
    assert boxes(tree, "Sector") == {"medical": ("Medical", 0)}
    tree = tree_of(client, "/search?practice=retention+%2F+Retention+Period+%2F+Limited")
    chosen = facet(tree, "Practices").css_first("input[checked]")
    assert chosen.attributes["value"] == "retention / Retention Period / Limited"
    node = chosen
    while node.attributes.get("class") != "facet":
        assert node.tag != "details" or "open" in node.attributes, node.attributes
        node = node.parent


def test_countries_and_sizes_of_companies_are_ticked_like_sectors(client):
    tree = tree_of(client, "/search")
    countries = boxes(tree, "Country")
    assert countries["united kingdom"][0] == "United Kingdom"
    assert list(boxes(tree, "Company size"))[:2] == ["1-10", "11-50"]
    narrowed = tree_of(client, "/search?country=united+kingdom&employees=201-500")
    assert 0 < count(narrowed) < countries["united kingdom"][1]
    assert texts(narrowed, ".chip")[0].startswith("Remove Country: United Kingdom")
    ids = [node.attributes["id"] for node in narrowed.css("#narrow input[id]")]
    assert len(set(ids)) == len(ids)
    assert not any(" " in name for name in ids)


def test_a_limit_of_nothing_is_a_limit(client):
    tree = tree_of(client, "/search?grade=0%3A")
    limits = [tree.css_first(f"#grade-{end}").attributes["value"] for end in ("min", "max")]
    assert limits == ["0", ""]
