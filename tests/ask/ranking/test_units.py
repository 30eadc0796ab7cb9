from __future__ import annotations

import pytest

from smallprint.ask.ranking.units import sentences_of
from smallprint.clean.segments import compose
from smallprint.clean.tables import HEADS, UNDER_HEADS, Table
from smallprint.records import Block, Segment, Span


def test_sentences_of_a_policy_leave_out_headings_and_keep_rows_whole():
    parts = ["Sharing", "We share it.", "We sell it too.", "Cell one | cell two | three", "Ok.", "your name"]
    text = "\n".join(parts)
    heading, first, second, row, short, item = (
        Span(start, start + len(part)) for part in parts for start in [text.index(part)]
    )
    segments = [
        Segment(0, "heading", heading.start, heading.end),
        Segment(1, "paragraph", first.start, second.end, ("Sharing",), None, (first, second)),
        Segment(2, "row", row.start, row.end, ("Sharing",), None, (Span(row.start, row.start + 8),)),
        Segment(3, "paragraph", short.start, short.end, ("Sharing",), None, (short,)),
        Segment(4, "item", item.start, item.end, ("Sharing",), first, (item,)),
    ]
    found = sentences_of(text, segments)
    assert [one.text for one in found] == [*parts[1:4], parts[5]]
    assert found[-1].spoken == "We share it. your name"
    assert all(text[one.start : one.end] == one.text for one in found)
    assert found[-1].under_heading == "Sharing. We share it. your name"


def units(*blocks):
    text, segments = compose(blocks)
    found = sentences_of(text, segments)
    assert all(text[one.start : one.end] == one.text for one in found)
    return [(one.lead_in, one.text) for one in found]


def rows(*texts):
    table = Table()
    return units(*(Block("row", text, table.level(text)) for text in texts))


def test_a_row_is_read_under_its_columns_heads():
    found = rows("Data | Purpose | Kept for", "Contact details | Answering you | Two years")
    assert found[1] == ("Data | Purpose | Kept for:", "Contact details | Answering you | Two years")
    # The first row may be one like the others, so that it is read, too.
    assert found[0] == ("", "Data | Purpose | Kept for")


def test_a_long_row_is_read_cell_by_cell():
    long = "to deliver what you ordered and " * 12
    found = rows("Data | Purpose | Kept for", f"Contact details | {long.strip()} | 2 years")
    assert found[1:] == [("Contact details – Purpose:", long.strip()), ("Contact details – Kept for:", "2 years")]


def test_a_long_cell_is_read_in_stretches_of_sentences_and_items():
    kept = "that you give to us for as long as you have an account with one of our shops, and then for a year."
    sentences = [f"We keep the {what} {kept}" for what in ("name", "address", "number")]
    found = rows("Data: | Kept for:", f"Contact details | {' '.join(sentences)} • what we found • and what you asked")
    assert found[1:] == [
        ("Contact details – Kept for:", " ".join(sentences[:2])),
        ("Contact details – Kept for:", f"{sentences[2]} • what we found • and what you asked"),
    ]


def test_a_long_row_of_heads_is_read_whole():
    heads = "Data | " + "What we collect your data for and with whom we may share them " * 5 + "| Kept for"
    table = [Block("row", heads, HEADS), Block("row", "Mail | Letters | A year", UNDER_HEADS)]
    assert [lead for lead, _ in units(*table)] == ["", f"{heads}:"]


def test_a_long_first_cell_names_its_row_in_a_few_words():
    long = "To answer what you ask us by letter, by telephone or at the counter of one of our many shops, " * 4
    found = rows("Purpose | Legal basis", f"{long}and elsewhere | Your consent")
    assert found[-1] == ("To answer what you ask us by letter, by telephone or at … – Legal basis:", "Your consent")


@pytest.mark.parametrize("empty", [0, 1])
def test_an_empty_cell_moves_no_head(empty):
    long = "to deliver what you ordered and " * 12
    cells = ["Contact details", long.strip(), "2 years"]
    cells.insert(1 + empty, "")
    found = rows("Data | Purpose | Source | Kept for", " | ".join(cells))
    assert found[-1] == ("Contact details – Kept for:", "2 years")


def test_an_empty_corner_leaves_the_heads_where_they_belong():
    found = rows("Collected? | Sold?", "Your location, where you allow it | yes | no")
    assert found[-1] == ("Collected? | Sold?:", "Your location, where you allow it | yes | no")


def test_a_row_with_too_few_cells_is_under_no_heads():
    assert rows("Data | Purpose | Kept for", "To answer you | Two years")[-1][0] == ""


@pytest.mark.parametrize("first", ["E-mail | me@shop.example", "Telephone | 555 0142", "We sell nothing. | At all."])
def test_a_first_row_that_says_something_heads_nothing(first):
    assert rows(first, "By post to us | 12 Mill Lane, Ashford")[-1][0] == ""


def test_no_words_of_a_long_row_are_lost():
    long = "we share what you tell us with our partners so that they can advertise, " * 5
    found = rows("Data | Shared", f"{long.strip()} | with partners in the advertising trade for money")
    assert [text for _, text in found[1:]] == [long.strip(), "with partners in the advertising trade for money"]


def test_a_run_in_heading_heads_the_rest_of_its_item():
    text, segments = compose([Block("item", "Log files. We lock them away. Nobody else has a key.", 1)])
    assert [one.headings for one in sentences_of(text, segments)] == [("Log files",), ("Log files",)]


def test_a_run_in_heading_that_says_something_is_read_itself():
    found = units(Block("paragraph", "Never sold to anybody. Kept for a year in our own office."))
    assert [text for _, text in found] == ["Never sold to anybody.", "Kept for a year in our own office."]


def test_a_run_in_heading_heads_the_rest_of_its_paragraph():
    text, segments = compose([Block("paragraph", "Security measures. We lock the door. Nobody else has a key.")])
    found = sentences_of(text, segments)
    assert [one.text for one in found] == ["We lock the door.", "Nobody else has a key."]
    assert {one.headings for one in found} == {("Security measures",)}


@pytest.mark.parametrize("first", ["We sell nothing.", "No cookies are used here.", "You may leave."])
def test_a_short_sentence_is_no_run_in_heading(first):
    (_, found), _ = units(Block("paragraph", f"{first} This is all that there is to say."))
    assert found == first
