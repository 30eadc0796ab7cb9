"""Files that other programs read: harmless lines of CSV and JSON, and files that are whole or not there at all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from smallprint.controls import escaped

# Between the values of a list that stands in one cell.
JOINT = " | "
_FORMULAS = frozenset("=+-@\t\r")


def csv_line(cells: Sequence[Any]) -> bytes:
    """Return a line of CSV; None becomes an empty cell."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(["" if cell is None else cell for cell in cells])
    return buffer.getvalue().encode()


def inert(value: Any) -> Any:
    """Return a cell with an apostrophe before what a spreadsheet would run as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in _FORMULAS else value


def json_line(value: Any) -> bytes:
    """Return a value as one line of JSON, with control characters escaped."""
    return escaped(json.dumps(value, ensure_ascii=False)).encode() + b"\n"


@contextmanager
def whole_file(to: Path) -> Iterator[Path]:
    """Yield a path beside `to` to write to. It replaces `to` at the end, unless something was raised."""
    part = to.with_name(f"{to.name}.part")
    try:
        yield part
        part.replace(to)
    finally:
        part.unlink(missing_ok=True)
