"""Tab-separated tables as data sets have them: a line a row, some fields in quotes, the names in the first line."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from smallprint.errors import NoData


def table(path: Path, columns: Iterable[str]) -> list[dict[str, str]]:
    """Read a table that must have these columns; a quote that is never closed stays within its line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise NoData(f"{path} cannot be read ({error}); give a file in the task's layout") from None
    names = lines[0].rstrip("\r").split("\t")
    missing = [name for name in columns if name not in names]
    if missing:
        raise NoData(f"{path} has no column {missing[0]!r}; it needs {', '.join(columns)}")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        fields = _fields(line.rstrip("\r"), len(names))
        if len(fields) != len(names):
            raise NoData(f"line {number} of {path} has {len(fields)} fields, the first line {len(names)}")
        rows.append(dict(zip(names, fields, strict=True)))
    return rows


def number(row: dict[str, str], column: str, path: Path) -> int:
    """Read a whole number from a row."""
    try:
        return int(row[column])
    except ValueError:
        raise NoData(f"{path} has {row[column]!r} as {column!r}, which is no whole number") from None


def _fields(line: str, count: int) -> list[str]:
    """Split a line with quotes as spreadsheets write them; at the tabs alone where that gives too few."""
    quoted = next(csv.reader([line], delimiter="\t")) if '"' in line else []
    return quoted if len(quoted) == count else line.split("\t")
