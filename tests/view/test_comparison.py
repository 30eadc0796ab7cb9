from __future__ import annotations

import pytest

from smallprint.errors import BadQuery
from smallprint.library import reading
from smallprint.library.annotations import read_annotations
from smallprint.library.writing import save
from smallprint.taxonomy import Label
from smallprint.view.comparison import Cell, compare
from smallprint.view.labels import TELLING

from ..library.making import capture
from ..library.test_rates import DENIED, FIRST, SECURITY, add
from .test_quotes import Knowing

DO_NOT_TRACK = Label("do-not-track", "Do Not Track policy", "Not honored")


def compared(library, *wanted, **options):
    return compare(library, [reading.find_policy(library, one) for one in wanted], **options)


@pytest.fixture(scope="module")
def found(annotated_library):
    return compared(annotated_library, "tidemarkbank.example", "kitegram.example", "haywaininsurance.example")


def test_rows_are_what_any_of_them_says_each_category_before_its_values(found):
    labels = [row.label for row in found.rows]
    assert labels == [label for label in TELLING if label in labels]
    assert all(any(cell.state != "silent" for cell in row.cells) for row in found.rows)
    assert {len(row.cells) for row in found.rows} == {3}
    for row in found.rows:
        assert row.is_category or Label(row.label.category) in labels


def test_every_quotation_is_a_whole_sentence_of_the_policy(annotated_library, found):
    quotes = 0
    for place, column in enumerate(found.columns):
        text = reading.text(annotated_library, column.current_version)
        segments = {one.ordinal: one for one in reading.segments(annotated_library, column.current_version)}
        for row in found.rows:
            for quote in (row.cells[place].affirmed, row.cells[place].denied):
                if quote:
                    quotes += 1
                    assert text[quote.start : quote.end] == quote.text
                    assert (quote.start, quote.end) in {(s.start, s.end) for s in segments[quote.segment].sentences}
    assert quotes > 60


def test_states_agree_with_quotations(found):
    states = {"says": (True, False), "denies": (False, True), "both": (True, True), "silent": (False, False)}
    cells = [cell for row in found.rows for cell in row.cells]
    assert {cell.state for cell in cells} >= {"says", "both", "silent"}
    for cell in cells:
        assert (cell.affirmed is not None, cell.denied is not None) == states[cell.state]
        assert (cell.probability is None) == (cell.segments == 0) == (cell.state == "silent")


def test_one_heeds_no_signal_and_another_is_silent(found):
    (row,) = [row for row in found.rows if row.label == DO_NOT_TRACK]
    assert [cell.state for cell in row.cells] == ["says", "silent", "silent"]
    assert row.cells[0].affirmed.text == (
        "Because there is no accepted standard, our website no longer responds to Do Not Track signals."
    )
    assert row.cells[1] == Cell("silent")
    assert row.name == "what they do about the signal: they do not heed it"


def test_measures(annotated_library, found):
    column = found.columns[0]
    said = read_annotations(annotated_library, column.current_version)
    assert (column.measures.grade, column.measures.vagueness) == (said.readability.grade, said.vagueness.score)
    assert (column.sector.sector, column.company.domain) == ("finance", "tidemarkbank.example")
    assert column.shown == column.current_version


def test_mentions_are_those_that_any_has(annotated_library, found):
    counts = {row.name.id: row.counts for row in found.mentions}
    for place, column in enumerate(found.columns):
        mentions = read_annotations(annotated_library, column.current_version).mentions
        assert {name: count[place] for name, count in counts.items()} == {
            name: sum(one.name == name for one in mentions) for name in counts
        }
    assert all(any(count) for count in counts.values())


def test_who_denies_and_who_was_not_annotated(library):
    add(library, "https://a.example/privacy", "We collect nothing.", "media", FIRST, DENIED)
    add(library, "https://b.example/privacy", "It is safe.", "media", SECURITY)
    with library.transaction() as db:
        save(db, [capture("https://c.example/privacy", "Nobody read this.")])
    found = compared(library, "a.example", "b.example", "c.example", labeller=Knowing())
    assert [(row.label, [cell.state for cell in row.cells]) for row in found.rows] == [
        (FIRST, ["denies", "silent", "unknown"]),
        (SECURITY, ["silent", "says", "unknown"]),
    ]
    assert found.rows[0].cells[0].denied.text == "We collect nothing."
    assert [column.measures.sentences is None for column in found.columns] == [False, False, True]
    assert found.mentions == ()


def test_how_many_can_be_compared(sample_library):
    wanted = ["tidemarkbank.example", "kitegram.example", "haywaininsurance.example", "brightvale.example",
              "tasklattice.example"]  # fmt: skip
    with pytest.raises(BadQuery, match="name 2 to 4 policies to compare, not 1"):
        compared(sample_library, *wanted[:1])
    with pytest.raises(BadQuery, match="not 5"):
        compared(sample_library, *wanted)
    with pytest.raises(BadQuery, match="with itself"):
        compared(sample_library, wanted[0], wanted[0])
