"""What a chart draws is what it was given, and what the statistics page shows is what was counted."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint.annotate.mentions import names
from smallprint.library.statistics import mentions_by_sector, statistics
from smallprint.sectors import SECTORS
from smallprint.taxonomy import CATEGORY_LABELS
from smallprint.web.present import figures
from smallprint.web.present.figures import Bar
from smallprint.web.present.marks import hue
from smallprint.web.rendering import chart, share

# The height of a row of bars, the width of the longest bar in percent, and the height of the highest bin.
ROW, REACH, PLOT = 42, 64, 132


def bars(name, title, description, rows, whole=20):
    return chart("bars", name, title, description, rows=rows, whole=whole)


def histogram(name, title, description, counts, ticks, marks):
    return chart("histogram", name, title, description, counts=counts, ticks=ticks, marks=marks)


def drawn(svg):
    return LexborHTMLParser(str(svg)).css_first("svg")


def length(node, name="width"):
    value = node.attributes[name]
    assert value.endswith("%")
    return float(value.removesuffix("%"))


def test_bars_are_as_long_as_their_values():
    rows = [Bar("one", 10), Bar("two", 5), Bar("none", 0)]
    svg = drawn(bars("name", "Title", "Words", rows))
    assert [length(node) for node in svg.css("rect")] == [REACH, REACH / 2, 0]
    assert [node.text() for node in svg.css("text.name")] == ["one", "two", "none"]
    assert [node.text() for node in svg.css("text.value")] == ["10 · 50 %", "5 · 25 %", "0 · 0 %"]
    assert svg.attributes["height"] == str(3 * ROW)


def test_bars_of_nothing():
    assert drawn(bars("name", "Title", "Words", [])).css("rect") == []
    assert [length(node) for node in drawn(bars("name", "T", "W", [Bar("a", 0)])).css("rect")] == [0]


def test_a_histogram_is_as_high_as_its_counts_and_shows_every_bin_that_is_not_empty():
    svg = drawn(histogram("name", "Title", "Words", [1, 0, 4000, 2000], [(0, "a"), (4, "b")], (1, 2, 3)))
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
    assert drawn(histogram("name", "Title", "Words", [], [], (0, 0, 0))).css("rect") == []


@pytest.mark.parametrize("svg", [
    bars("name", "Title", "Words", [Bar("one", 1, "hue-choice", "Ch")]),
    histogram("name", "Title", "Words", [1], [(0, "0")], (0, 0.5, 1)),
])  # fmt: skip
def test_a_chart_speaks_for_itself_and_has_no_style_of_its_own(svg):
    tree = drawn(svg)
    assert tree.attributes["role"] == "img"
    labelled = tree.attributes["aria-labelledby"].split()
    assert [tree.css_first(f"#{one}").text() for one in labelled] == ["Title", "Words"]
    assert tree.css("[style], style, script") == []
    assert [node for node in tree.css("*") if {"fill", "stroke", "font-size"} & set(node.attributes)] == []


# The statistics page


@pytest.fixture(scope="module")
def counted(annotated_library):
    return statistics(annotated_library), mentions_by_sector(annotated_library)


def number(words):
    return int(words.replace(",", ""))


def test_figures_of_sectors_are_those_counted(counted):
    found, _ = counted
    bars = figures.sectors(found)
    assert {bar.label: (bar.value, bar.listed) for bar in bars} == {
        one.name: (found.sectors[one.id].policies, found.sectors[one.id].listed) for one in SECTORS
    }
    assert bars[-1].label == "Unknown"
    sizes = [bar.value for bar in bars[:-1]]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("group", figures.GROUPS)
def test_figures_of_names_are_those_counted(counted, group):
    found, _ = counted
    bars = figures.mentions(found, group)
    assert {bar.label: bar.value for bar in bars} == {
        one.plain: found.mentions[one.id] for one in names() if one.group == group
    }
    assert [bar.value for bar in bars] == sorted((bar.value for bar in bars), reverse=True)


def test_figures_of_practices_are_those_counted(counted, client):
    found, _ = counted
    marks = [hue(label.category) for label in CATEGORY_LABELS]
    assert [(bar.label, bar.code, bar.css, bar.value) for bar in figures.practices(found)] == [
        (mark.plain, mark.code, mark.css, found.practices[str(label)])
        for mark, label in zip(marks, CATEGORY_LABELS, strict=True)
    ]
    tree = LexborHTMLParser(client.get("/statistics").text)
    assert [node.text() for node in tree.css("[aria-labelledby=at-practices] tspan")] == [mark.code for mark in marks]


@pytest.mark.parametrize(("name", "place"), [("grade", 0), ("vagueness", 1)])
def test_figures_of_spreads_are_those_counted(counted, client, name, place):
    found, _ = counted
    spread = getattr(found, name)
    figure = getattr(figures, name)(found)
    assert (figure.spread, len(figure.labels), sum(spread.bins)) == (spread, len(spread.bins), spread.n)
    node = LexborHTMLParser(client.get("/statistics").text).css("[aria-labelledby=at-clarity] figure")[place]
    rows = [[cell.text() for cell in row.css("th, td")] for row in node.css("tbody tr")]
    assert [(label, number(count)) for label, count, _ in rows] == list(zip(figure.labels, spread.bins, strict=True))
    shown = [float(bar.attributes["height"]) for bar in node.css("rect")]
    expected = [PLOT * count / max(spread.bins) for count in spread.bins if count]
    assert shown == pytest.approx([max(1, height) for height in expected], abs=0.01)
    caption = node.css_first("figcaption").text()
    assert f"Median {spread.median:{'.1f' if name == 'grade' else '.2f'}};" in caption


def test_the_heat_table_is_what_was_counted(counted):
    found, by_sector = counted
    head, rows = figures.regulations_by_sector(found, by_sector)
    columns = [one for one in names() if one.group == "regulation"]
    assert [full for _, full in head] == [one.plain for one in columns]
    assert {row[0]: (row[1], tuple(policies for policies, *_ in row[2])) for row in rows} == {
        one.name: (found.sectors[one.id].policies, tuple(by_sector[name.id][one.id] for name in columns))
        for one in SECTORS
    }


@pytest.mark.parametrize(
    ("policies", "whole", "shown", "shade"),
    [(0, 10, "–", 0), (0, 0, "–", 0), (1, 1000, "0.10 %", 1), (3, 100, "3.0 %", 2), (1, 2, "50 %", 6)],
)
def test_the_shade_of_a_cell(policies, whole, shown, shade):
    assert figures._cell(policies, whole) == (policies, shown, shade)


def test_the_page_shows_these_figures(client, counted):
    found, by_sector = counted
    tree = LexborHTMLParser(client.get("/statistics").text)
    named = [(figures.GROUPS[group], figures.mentions(found, group)) for group in figures.GROUPS]
    shown = [("Sectors", figures.sectors(found)), ("Practices", figures.practices(found)), *named]
    nodes = {node.css_first("svg title").text(): node for node in tree.css("figure")}
    assert list(nodes) == ["Sectors", "Reading grade", "Vagueness", "Practices", *(title for title, _ in named)]
    for title, bars in shown:
        rows = [tuple(cell.text() for cell in row.css("th, td")) for row in nodes[title].css("tbody tr")]
        assert rows == [
            (
                f"{bar.label} ({bar.code})" if bar.code else bar.label, f"{bar.value:,}",
                share(bar.value, found.policies), *([] if bar.listed is None else [f"{bar.listed:,}"]),
            )
            for bar in bars
        ]  # fmt: skip
        assert len(nodes[title].css("details summary")) == 1
    facts = [node.text() for node in tree.css(".facts dd")]
    assert [number(one) for one in facts[:3]] == [found.policies, found.annotated, found.sentences]
    _, heat = figures.regulations_by_sector(found, by_sector)
    rows = tree.css(".heat tbody tr")
    assert [[cell.text() for cell in row.css("td")] for row in rows] == [
        [shown for _, shown, _ in cells] for _, _, cells in heat
    ]


def test_the_page_follows_the_library(serve, library):
    from smallprint.library.writing import save

    from ..library.making import capture

    client = serve(library.path)
    for policies in range(3):
        tree = LexborHTMLParser(client.get("/statistics").text)
        assert tree.css_first(".facts dd").text() == str(policies)
        assert (f"{policies} polic" in client.get("/").text) == bool(policies)
        with library.transaction() as db:
            save(db, [capture(f"https://{policies}.example/privacy", f"We keep datum {policies}.")])
