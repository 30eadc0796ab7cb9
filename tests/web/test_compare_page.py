"""Policies side by side: what each says with its own words, and silence as silence."""

from __future__ import annotations

import pytest

from smallprint.library.likeness import settle
from smallprint.library.reading import find_policy
from smallprint.library.writing import save
from smallprint.view.comparison import compare

from ..library.making import capture
from ..library.test_rates import DENIED, FIRST, SECURITY, add
from .making import tree_of, words_of

NAMES = ("tidemarkbank.example", "kitegram.example", "haywaininsurance.example", "brightvale.example",
         "tasklattice.example")  # fmt: skip
STATES = {"says": "says so", "denies": "says it does not", "both": "says both", "silent": "silent",
          "unknown": "not annotated yet"}  # fmt: skip


@pytest.fixture(scope="module")
def found(annotated_library):
    return compare(annotated_library, [find_policy(annotated_library, one) for one in NAMES[:3]])


def asked(*named, **more):
    return "/compare?" + "&".join([*(f"policy={one}" for one in named), *(f"{k}={v}" for k, v in more.items())])


def rows(tree):
    return tree.css("[aria-labelledby=matters] tbody tr")


def states(row):
    """Give the states of a row's cells, by their class, after comparing the words shown."""
    cells = row.css("td")
    for cell in cells:
        shown = words_of(cell.css_first("summary") or cell).removeprefix(words_of(cell.css_first(".who"))).strip()
        state = cell.attributes["class"]
        assert shown == STATES[state] or (shown, state) == ("mentions it", "says")
    return [cell.attributes["class"] for cell in cells]


def test_rows_are_those_of_the_comparison(client, found):
    tree = tree_of(client.get(asked(*NAMES[:3])))
    shown = rows(tree)
    assert [states(row) for row in shown] == [[cell.state for cell in row.cells] for row in found.rows]
    for row, one in zip(shown, found.rows, strict=True):
        assert words_of(row.css_first("th")).endswith(one.name)
        assert ("category" in (row.attributes.get("class") or "")) == one.is_category
    assert [words_of(node) for node in tree.css("[aria-labelledby=matters] thead th")] == ["Practice", *NAMES[:3]]


def test_quotes_are_the_policies_own_sentences_and_lead_to_them(client, found):
    tree = tree_of(client.get(asked(*NAMES[:3])))
    quotes = 0
    for row, one in zip(rows(tree), found.rows, strict=True):
        for node, cell, column in zip(row.css("td"), one.cells, found.columns, strict=True):
            expected = [quote for quote in (cell.affirmed, cell.denied) if quote]
            shown = node.css("blockquote")
            assert len(shown) == len(expected)
            for quoted, quote in zip(shown, expected, strict=True):
                assert " ".join(quote.text.split()) in words_of(quoted)
                version = column.version.version_id.rpartition("@")[2]
                address = f"/policies/{column.policy_id}?version={version}#s{quote.segment}"
                assert quoted.css_first("a").attributes["href"] == address
                quotes += 1
    assert quotes > 60


def test_silence_is_never_a_denial(client, found):
    tree = tree_of(client.get(asked(*NAMES[:3])))
    silent = tree.css("[aria-labelledby=matters] td.silent")
    assert len(silent) == sum(cell.state == "silent" for row in found.rows for cell in row.cells) > 10
    for node in silent:
        assert node.css("details, blockquote") == []
        assert words_of(node).endswith(" silent")
    assert "Not saying something is not the same as not doing it." in words_of(
        tree.css_first(".compared strong, strong")
    )


def test_who_denies_and_who_was_not_annotated(serve, library):
    add(library, "https://a.example/privacy", "We collect nothing at all from you.", "media", FIRST, DENIED)
    add(library, "https://b.example/privacy", "It is safe with us and encrypted.", "media", SECURITY)
    with library.transaction() as db:
        save(db, [capture("https://c.example/privacy", "Nobody read this.")])
    tree = tree_of(serve(library.path).get(asked("a.example", "b.example", "c.example")))
    assert [states(row) for row in rows(tree)] == [["denies", "silent", "unknown"], ["silent", "says", "unknown"]]
    assert "denies it:" in words_of(rows(tree)[0].css_first("td"))


def test_measures_and_names_are_told(client, found):
    tree = tree_of(client.get(asked(*NAMES[:3])))
    table = {
        words_of(row.css_first("th")): [
            words_of(cell).removeprefix(words_of(cell.css_first(".who"))).strip() for cell in row.css("td")
        ]
        for row in tree.css("[aria-labelledby=measures] tbody tr")
    }
    assert table["Reading grade"] == [f"{column.measures.grade:.1f}" for column in found.columns]
    assert table["Words"] == [f"{column.version.words:,}" for column in found.columns]
    assert table["Title"] == [" ".join(column.version.title.split()) for column in found.columns]
    counts = [
        [cell.text().split()[1] for cell in row.css("td")] for row in tree.css("[aria-labelledby=named] tbody tr")
    ]
    assert counts == [[f"{count}" if count else "not" for count in row.counts] for row in found.mentions]


def test_on_a_narrow_page_every_cell_names_its_policy(client):
    for row in tree_of(client.get(asked(*NAMES[:3]))).css("tbody tr"):
        assert [node.text() for node in row.css("td > .who")] == list(NAMES[:3])


def test_only_differences(client, found):
    tree = tree_of(client.get(asked(*NAMES[:3], only="differences")))
    differing = [row for row in found.rows if len({cell.state for cell in row.cells}) > 1]
    values = [row for row in rows(tree) if "category" not in (row.attributes.get("class") or "")]
    assert len(values) == len([row for row in differing if not row.is_category])
    assert 0 < len(rows(tree)) < len(found.rows)
    assert [node.attributes["value"] for node in tree.css("form.add input[type=hidden]")][-1] == "differences"


# How many, and which


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_two_to_four_else_a_form(client, count):
    tree = tree_of(client.get(asked(*NAMES[:count])))
    assert bool(tree.css("table")) == (count >= 2)
    assert ("Choose two to four policies" in tree.text()) == (count < 2)
    assert len(tree.css("form.add")) == (count < 4)
    assert [words_of(node.css_first("a")) for node in tree.css(".chosen li")] == list(NAMES[:count])


def test_five_are_too_many(client):
    tree = tree_of(client.get(asked(*NAMES)), 400)
    assert words_of(tree.css_first(".notice")) == (
        "You can compare at most 4 policies at once; 5 were chosen. Remove some."
    )
    assert tree.css("table") == []
    # Whichever is left out, the other four can be compared.
    without = tree.css(".chosen li")[0].css("a")[1].attributes["href"]
    assert len(tree_of(client.get(without)).css("[aria-labelledby=matters] thead th")) == 5


def test_one_that_is_unknown_leaves_the_others(client):
    tree = tree_of(client.get(asked(NAMES[0], "no<b>where", NAMES[1], " ", "")), 404)
    assert words_of(tree.css_first(".notice")) == "There is no policy called “no<b>where” in this library."
    assert len(rows(tree)) > 10


def test_one_that_was_named_twice_counts_once(client, annotated_library):
    policy_id = find_policy(annotated_library, NAMES[0]).policy_id
    tree = tree_of(client.get(asked(NAMES[0], policy_id, NAMES[0])))
    assert len(tree.css(".chosen li")) == 1


def test_adding_by_domain_goes_on_from_those_chosen(client, annotated_library):
    tree = tree_of(client.get(asked(NAMES[0])))
    form = tree.css_first("form.add")
    assert (form.attributes["action"], form.attributes["method"]) == ("/compare", "get")
    hidden = [(node.attributes["name"], node.attributes["value"]) for node in form.css("input[type=hidden]")]
    assert hidden == [("policy", find_policy(annotated_library, NAMES[0]).policy_id)]
    assert form.css("input")[-1].attributes["name"] == "policy"


def test_a_domain_with_several_policies_lets_one_choose(serve, library):
    for path in ("one", "two"):
        with library.transaction() as db:
            save(db, [capture(f"https://many.example/{path}", f"We keep datum {path}.", title=f"Policy {path}")])
    with library.transaction() as db:
        save(db, [capture("https://other.example/privacy", "We keep nothing.")])
    client = serve(library.path)
    tree = tree_of(client.get(asked("other.example", "many.example")))
    assert words_of(tree.css_first(".notice")) == "2 policies match “many.example”. Choose one:"
    links = tree.css(".choice a")
    assert {words_of(node) for node in links} == {"Policy one", "Policy two"}
    assert len(tree_of(client.get(links[0].attributes["href"])).css(".chosen li")) == 2
    both = tree_of(client.get(asked(*(find_policy(library, f"https://many.example/{one}").policy_id
                                      for one in ("one", "two")))))  # fmt: skip
    names = [words_of(node.css_first("a")) for node in both.css(".chosen li")]
    assert len(set(names)) == 2


def test_the_original_stands_in_for_an_exact_copy(serve, library):
    with library.transaction() as db:
        save(db, [capture("https://one.example/privacy", "We keep all data.", "2024-02-01"),
                  capture("https://copy.example/privacy", "We keep all data.", "2024-01-01"),
                  capture("https://two.example/privacy", "We keep no data.")])  # fmt: skip
    settle(library, 0.9)
    tree = tree_of(serve(library.path).get(asked("copy.example", "two.example")))
    assert "is an exact copy of one.example-" in words_of(tree.css_first(".notice"))
    assert [words_of(node.css_first("a")) for node in tree.css(".chosen li")] == ["one.example", "two.example"]
