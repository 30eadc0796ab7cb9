"""Damage that can be seen without knowing what the values mean: SQLite's own checks, and values of impossible kinds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

# So many messages of SQLite's are given; a torn file has thousands.
MOST_MESSAGES = 20
_KINDS = {"TEXT": ("text",), "INTEGER": ("integer",), "REAL": ("real", "integer"), "BLOB": ("blob",)}
# What reading a value of another kind than was written may end in.
UNFORESEEN = (
    TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError, MemoryError, sqlite3.Error,
)  # fmt: skip


def structure_faults(db: sqlite3.Connection) -> Iterator[str]:
    """Go through what SQLite finds wrong with the file."""
    for (message,) in db.execute(f"PRAGMA integrity_check({MOST_MESSAGES})"):
        if message != "ok":
            yield " ".join(str(message).split())


def value_faults(db: sqlite3.Connection) -> Iterator[str]:
    """Look for values of a kind that their column never has, such as a number in the place of a title."""
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        for _, column, kind, is_filled, _, key in db.execute(f"PRAGMA table_info({table})").fetchall():
            kinds = [*_KINDS.get(kind, ()), *([] if is_filled or key else ["null"])]
            marks = ", ".join("?" * len(kinds))
            query = f'SELECT count(*) FROM {table} WHERE typeof("{column}") NOT IN ({marks})'  # noqa: S608 - our own names
            (count,) = db.execute(query, kinds).fetchone()
            if count:
                yield f"{count:,} rows of {table} have no usable {column}"


def first_fault(db: sqlite3.Connection) -> str:
    """Return one thing that is wrong, or nothing; this goes through the whole file."""
    try:
        return next(structure_faults(db), "") or next(value_faults(db), "")
    except (sqlite3.Error, MemoryError, TypeError) as error:
        return str(error)
