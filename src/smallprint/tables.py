"""Lines of tables for spreadsheets, which must not take anybody's words for formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

# Between the values of a list that stands in one cell.
JOINT = " | "
_FORMULAS = frozenset("=+-@\t\r")


def csv_line(cells: Sequence[Any]) -> bytes:
    """Write a line of CSV; what is None stays empty."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(["" if cell is None else cell for cell in cells])
    return buffer.getvalue().encode()


def inert(value: Any) -> Any:
    """Give a cell back, with an apostrophe before what a spreadsheet would run."""
    return f"'{value}" if isinstance(value, str) and value[:1] in _FORMULAS else value
