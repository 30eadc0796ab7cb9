from __future__ import annotations

import pytest

from smallprint.ask.ranking.units import sentences_of
from smallprint.clean.segments import compose
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
    return units(*(Block("row", text) for text in texts))


def test_a_row_is_read_under_its_columns_heads():
    found = rows("Data | Purpose | Kept for", "Contact details | Answering you | Two years")
    assert found[1] == ("Data | Purpose | Kept for:", "Contact details | Answering you | Two years")
    # The first row may be one like the others, so that it is read, too.
    assert found[0] == ("", "Data | Purpose | Kept for")


def test_a_long_row_is_read_cell_by_cell():
    long = "to deliver what you ordered and " * 12
    found = rows("Data | Purpose | Kept for", f"Contact details | {long.strip()} | 2 years")
    assert found[1:] == [("Contact details – Purpose:", long.strip()), ("Contact details – Kept for:", "2 years")]


def test_an_empty_corner_leaves_the_heads_where_they_belong():
    found = rows("Collected? | Sold?", "Your location, where you allow it | yes | no")
    assert found[-1] == ("Collected? | Sold?:", "Your location, where you allow it | yes | no") or found[-1][0] == ""


@pytest.mark.parametrize("first", ["E-mail | me@shop.example", "Telephone | 555 0142", "We sell nothing. | At all."])
def test_a_first_row_that_says_something_heads_nothing(first):
    assert rows(first, "By post to us | 12 Mill Lane, Ashford")[-1][0] == ""


def test_no_words_of_a_long_row_are_lost():
    long = "we share what you tell us with our partners so that they can advertise, " * 5
    found = rows("Data | Shared", f"{long.strip()} | with partners in the advertising trade for money")
    assert found[1:] == [("", long.strip()), ("Shared:", "with partners in the advertising trade for money")]


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
