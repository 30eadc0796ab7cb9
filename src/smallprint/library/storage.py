"""A library's file on the disk: who may read and write it, what SQLite's failures mean, and damage seen at once."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from smallprint.errors import DamagedLibrary, LibraryBusy, LibraryError, LibraryFull

FILE_MODE, FOLDER_MODE = 0o600, 0o700
_DAMAGED = (
    "{path} is not a library, or is damaged ({detail}); choose another --library, or restore a backup with "
    "'smallprint restore'"
)
# By the beginnings of SQLite's names (https://sqlite.org/rescode.html). A row that claims more bytes than there can be,
# or a file that ends before one of its pages, was cut off or overwritten.
_FAILURES: tuple[tuple[str, type[LibraryError], str], ...] = (
    ("SQLITE_FULL", LibraryFull,
     "no room on the disk for {path}; free some and run the same command again; nothing stored was lost"),
    ("SQLITE_CORRUPT SQLITE_NOTADB SQLITE_FORMAT SQLITE_TOOBIG SQLITE_MISMATCH SQLITE_IOERR_SHORT_READ "
     "SQLITE_IOERR_CORRUPTFS", DamagedLibrary, _DAMAGED),
    ("SQLITE_BUSY SQLITE_LOCKED SQLITE_PROTOCOL", LibraryBusy,
     "{path} is in use by another process; try again when it is done"),
    ("SQLITE_CANTOPEN SQLITE_READONLY SQLITE_IOERR SQLITE_PERM SQLITE_AUTH", LibraryError,
     "cannot use {path} ({detail}); check its folder and permissions"),
)  # fmt: skip
# These have no name of their own: a table or column that is not there, and letters that are none.
_LACKING = ("no such table", "no such column", "Could not decode")
# So many messages of SQLite's are given; a torn file has thousands.
MOST_MESSAGES = 20
_KINDS = {"TEXT": ("text",), "INTEGER": ("integer",), "REAL": ("real", "integer"), "BLOB": ("blob",)}
# What reading a value of another kind than was written may end in.
UNFORESEEN = (
    TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError, MemoryError, sqlite3.Error,
)  # fmt: skip


def create_private(path: Path) -> None:
    """Make an empty file for the owner alone, if there is none; SQLite gives the files beside it the same mode.

    A file that is there is not opened: to close it would end all locks that SQLite holds on it in this process, and
    another process could then delete the log that is in use (https://sqlite.org/howtocorrupt.html, 2.2).
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))


def tighten(path: Path) -> None:
    """Take from all but the owner what they may do with a library, its indexes, and the files beside it."""
    modes = {"": FILE_MODE, "-wal": FILE_MODE, "-shm": FILE_MODE, ".lock": FILE_MODE, ".index": FOLDER_MODE}
    for suffix, mode in modes.items():
        # Whose file it is not, cannot change it, and what is not there needs no change.
        with suppress(OSError):
            if stat.S_IMODE(beside(path, suffix).stat().st_mode) & ~mode:
                beside(path, suffix).chmod(mode)


def can_write(path: Path) -> bool:
    """Return whether a library can be written to: SQLite writes to the file and beside it."""
    return os.access(path.parent, os.W_OK | os.X_OK) and (not path.exists() or os.access(path, os.W_OK))


def beside(path: Path, suffix: str) -> Path:
    """Return the path of a file beside a library."""
    return path.with_name(path.name + suffix)


@contextmanager
def readable_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's failures into lines that say what to do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        message, name = str(error), getattr(error, "sqlite_errorname", "")
        if message.startswith(_LACKING):
            raise damaged(path, message) from error
        for beginnings, kind, line in _FAILURES:
            if name.startswith(tuple(beginnings.split())):
                raise kind(line.format(path=path, detail=message)) from error
        raise


def damaged(path: Path, detail: str) -> DamagedLibrary:
    """Return the error that a file is not a library, or is damaged."""
    return DamagedLibrary(_DAMAGED.format(path=path, detail=detail))


def structure_faults(db: sqlite3.Connection) -> Iterator[str]:
    """Yield what SQLite finds wrong with the file."""
    for (message,) in db.execute(f"PRAGMA integrity_check({MOST_MESSAGES})"):
        if message != "ok":
            yield " ".join(str(message).split())


def value_faults(db: sqlite3.Connection) -> Iterator[str]:
    """Yield which columns have values of a kind that they never have, such as a number in the place of a title."""
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
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
