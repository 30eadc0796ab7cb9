"""What a chart draws is what it was given, and what the corpus page shows is what was counted."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint.annotate.mentions import names
from smallprint.library.statistics import mentions_by_sector, statistics
from smallprint.sectors import SECTORS
from smallprint.taxonomy import CATEGORY_LABELS
from smallprint.web import figures
from smallprint.web.charts import PLOT, REACH, ROW, Bar, Marks, bars, histogram
from smallprint.web.palette import hue


def drawn(svg):
    return LexborHTMLParser(str(svg)).css_first("svg")


def length(node, name="width"):
    value = node.attributes[name]
    assert value.endswith("%")
    return float(value.removesuffix("%"))


def test_bars_are_as_long_as_their_values():
    rows = [Bar("one", 10, "10 of 20"), Bar("two", 5, "5 of 20"), Bar("none", 0, "0 of 20")]
    svg = drawn(bars("name", "Title", "Words", rows))
    assert [length(node) for node in svg.css("rect")] == [REACH, REACH / 2, 0]
    assert [node.text() for node in svg.css("text.name")] == ["one", "two", "none"]
    assert [node.text() for node in svg.css("text.value")] == ["10 of 20", "5 of 20", "0 of 20"]
    assert svg.attributes["height"] == str(3 * ROW)


def test_bars_of_nothing():
    assert drawn(bars("name", "Title", "Words", [])).css("rect") == []
    assert [length(node) for node in drawn(bars("name", "T", "W", [Bar("a", 0, "0")])).css("rect")] == [0]


def test_a_histogram_is_as_high_as_its_counts_and_shows_every_bin_that_is_not_empty():
    svg = drawn(histogram("name", "Title", "Words", [1, 0, 4000, 2000], [(0, "a"), (4, "b")], Marks(1, 2, 3)))
    rects = svg.css("rect.bin")
    assert [float(node.attributes["height"]) for node in rects] == [1, PLOT, PLOT / 2]
    assert [float(node.attributes["y"]) for node in rects] == [PLOT - 1, 0, PLOT / 2]
    assert [round(length(node, "x")) for node in rects] == [2, 52, 77]
    assert [(node.text(), length(node, "x"), node.attributes["text-anchor"]) for node in svg.css("text.tick")] == [
        ("a", 0, "start"), ("b", 100, "end"),
    ]  # fmt: skip
    line, median = svg.css_first("line.range"), svg.css_first("line.median")
    assert (length(line, "x1"), length(line, "x2"), length(median, "x1")) == (25, 75, 50)


def test_a_histogram_of_nothing():
    assert drawn(histogram("name", "Title", "Words", [], [], Marks(0, 0, 0))).css("rect") == []


@pytest.mark.parametrize("svg", [
    bars("name", "Title", "Words", [Bar("one", 1, "1", "hue-choice", "Ch")]),
    histogram("name", "Title", "Words", [1], [(0, "0")], Marks(0, 0.5, 1)),
])  # fmt: skip
def test_a_chart_speaks_for_itself_and_has_no_style_of_its_own(svg):
    tree = drawn(svg)
    assert tree.attributes["role"] == "img"
    labelled = tree.attributes["aria-labelledby"].split()
    assert [tree.css_first(f"#{one}").text() for one in labelled] == ["Title", "Words"]
    assert tree.css("[style], style, script") == []
    assert [node for node in tree.css("*") if {"fill", "stroke", "font-size"} & set(node.attributes)] == []


# The corpus page


@pytest.fixture(scope="module")
def counted(annotated_library):
    return statistics(annotated_library), mentions_by_sector(annotated_library)


def number(words):
    return int(words.replace(",", ""))


def test_figures_of_sectors_are_those_counted(counted):
    found, _ = counted
    figure = figures.sectors(found)
    assert {row[0]: (number(row[1]), number(row[3])) for row in figure.rows} == {
        one.name: (found.sectors[one.id].policies, found.sectors[one.id].listed) for one in SECTORS
    }
    assert figure.rows[-1][0] == "Unknown"
    sizes = [number(row[1]) for row in figure.rows[:-1]]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("group", figures.GROUPS)
def test_figures_of_names_are_those_counted(counted, group):
    found, _ = counted
    figure = figures.mentions(found, group)
    assert {row[0]: number(row[1]) for row in figure.rows} == {
        one.plain: found.mentions[one.id] for one in names() if one.group == group
    }


def test_figures_of_practices_are_those_counted(counted):
    found, _ = counted
    figure = figures.practices(found)
    marks = [hue(label.category) for label in CATEGORY_LABELS]
    assert [(row[0], number(row[1])) for row in figure.rows] == [
        (f"{mark.plain} ({mark.code})", found.practices[label])
        for mark, label in zip(marks, CATEGORY_LABELS, strict=True)
    ]
    assert [node.text() for node in drawn(figure.svg).css("tspan")] == [mark.code for mark in marks]


@pytest.mark.parametrize("name", ["grade", "vagueness"])
def test_figures_of_spreads_are_those_counted(counted, name):
    found, _ = counted
    spread = getattr(found, name)
    figure = getattr(figures, name)(found)
    assert tuple(number(row[1]) for row in figure.rows) == spread.bins
    assert sum(spread.bins) == spread.n
    shown = [float(node.attributes["height"]) for node in drawn(figure.svg).css("rect")]
    expected = [PLOT * count / max(spread.bins) for count in spread.bins if count]
    assert shown == pytest.approx([max(1, height) for height in expected], abs=0.01)
    assert f"Median {spread.median:{'.1f' if name == 'grade' else '.2f'}};" in figure.caption


def test_the_heat_table_is_what_was_counted(counted):
    found, by_sector = counted
    heat = figures.regulations_by_sector(found, by_sector)
    columns = [one for one in names() if one.group == "regulation"]
    assert [full for _, full in heat.head] == [one.plain for one in columns]
    assert {row[0]: (row[1], tuple(cell.policies for cell in row[2])) for row in heat.rows} == {
        one.name: (found.sectors[one.id].policies, tuple(by_sector[name.id][one.id] for name in columns))
        for one in SECTORS
    }


@pytest.mark.parametrize(
    ("policies", "whole", "shown", "shade"),
    [(0, 10, "–", 0), (0, 0, "–", 0), (1, 1000, "0.10 %", 1), (3, 100, "3.0 %", 2), (1, 2, "50 %", 6)],
)
def test_the_shade_of_a_cell(policies, whole, shown, shade):
    found = figures._cell(policies, whole)
    assert (found.policies, found.shown, found.shade) == (policies, shown, shade)


def test_the_page_shows_these_figures(client, counted):
    found, by_sector = counted
    tree = LexborHTMLParser(client.get("/corpus").text)
    shown = [
        figures.sectors(found), figures.grade(found), figures.vagueness(found), figures.practices(found),
        *(figures.mentions(found, group) for group in figures.GROUPS),
    ]  # fmt: skip
    for figure, node in zip(shown, tree.css("figure"), strict=True):
        rows = [tuple(cell.text() for cell in row.css("th, td")) for row in node.css("tbody tr")]
        assert rows == list(figure.rows)
        assert node.css_first("svg title").text() == figure.title
        assert len(node.css("details summary")) == 1
    facts = [node.text() for node in tree.css(".facts dd")]
    assert [number(one) for one in facts[:3]] == [found.policies, found.annotated, found.sentences]
    heat = figures.regulations_by_sector(found, by_sector)
    rows = tree.css(".heat tbody tr")
    assert [[cell.text() for cell in row.css("td")] for row in rows] == [
        [cell.shown for cell in cells] for _, _, cells in heat.rows
    ]


def test_the_page_follows_the_library(serve, library):
    from smallprint.library.writing import save

    from ..library.making import capture

    client = serve(library.path)
    for policies in range(3):
        tree = LexborHTMLParser(client.get("/corpus").text)
        assert tree.css_first(".facts dd").text() == str(policies)
        assert (f"{policies} polic" in client.get("/").text) == bool(policies)
        with library.transaction() as db:
            save(db, [capture(f"https://{policies}.example/privacy", f"We keep datum {policies}.")])
