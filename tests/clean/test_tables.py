from __future__ import annotations

import pytest

from smallprint.clean.tables import HEADS, UNDER_HEADS, Table, are_heads


@pytest.mark.parametrize("row", ["Data | Use", "Sold?2 | “Shared”3", "Data | | Kept for", "The (new) rules | Why?"])
def test_short_cells_may_be_heads(row):
    assert are_heads(row)


@pytest.mark.parametrize(
    "row",
    [
        "Data",
        "Data |",
        "Mail | a@shop.example",
        "Kept | 2 years",
        "We sell it. | No",
        "Data | one two three four five six seven eight nine",
    ],
)
def test_what_says_something_is_no_head(row):
    assert not are_heads(row)


def test_only_the_first_row_may_have_heads_unless_they_are_marked():
    table = Table()
    assert [table.level(row) for row in ("Mail | 2 years", "Data | Use", "a | b")] == [0, 0, 0]
    assert [table.level("Data | Use", is_marked=True), table.level("a | b")] == [HEADS, UNDER_HEADS]
