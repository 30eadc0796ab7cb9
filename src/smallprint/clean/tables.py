"""Rows of tables: which of them has the heads of the columns, and which stand under heads."""

from __future__ import annotations

import re

# The level of a block that is a row; 0 is a row of a table without heads.
HEADS, UNDER_HEADS = 1, 2
# What stands before each item of a list in a cell, as browsers show it.
BULLET = "•"
# Unmarked, the first row has the columns' heads if all of its cells are as short as this.
HEAD_WORDS = 8
# What closes a sentence, or is said of one thing alone, heads no column; "Shared2" has a footnote.
_NO_HEAD = re.compile(r"[.!;]$|@|(?<![\w?”\"’)])\d")


class Table:
    """A table whose rows come one by one."""

    def __init__(self) -> None:
        self.has_rows = self.has_heads = self.has_marked_heads = False

    def level(self, row: str, *, is_marked: bool = False) -> int:
        """Return the level of the next row; `is_marked` says that the page calls its cells heads."""
        if is_marked or (not self.has_rows and are_heads(row)):
            self.has_rows = self.has_heads = True
            self.has_marked_heads = self.has_marked_heads or is_marked
            return HEADS
        self.has_rows = True
        return UNDER_HEADS if self.has_heads else 0


def are_heads(row: str) -> bool:
    """Return whether the cells of a first row can be the heads of columns."""
    cells = [cell.strip() for cell in row.split("|")]
    return sum(map(bool, cells)) > 1 and all(
        len(cell.split()) <= HEAD_WORDS and not _NO_HEAD.search(cell) for cell in cells
    )
