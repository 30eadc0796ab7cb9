"""SQLite's failures, told apart by their names and turned into lines that say what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from smallprint.errors import DamagedLibrary, LibraryBusy, LibraryError, LibraryFull

# The beginnings of SQLite's names (https://sqlite.org/rescode.html). A row that claims more bytes than there can be, or
# a file that ends before one of its pages, was cut off or overwritten.
_FULL = ("SQLITE_FULL",)
_DAMAGED = (
    "SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT", "SQLITE_TOOBIG", "SQLITE_MISMATCH", "SQLITE_IOERR_SHORT_READ",
    "SQLITE_IOERR_CORRUPTFS",
)  # fmt: skip
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
_CLOSED = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_PERM", "SQLITE_AUTH")
# These have no name of their own: a table or column that is not there, and letters that are none.
_LACKING = ("no such table", "no such column", "Could not decode")


@contextmanager
def spoken(path: Path) -> Iterator[None]:
    """Turn SQLite's failures into lines that say what to do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        message, name = str(error), getattr(error, "sqlite_errorname", "")
        if name.startswith(_FULL):
            raise LibraryFull(
                f"no room on the disk for {path}; free some and run the same command again; nothing stored was lost"
            ) from error
        if name.startswith(_DAMAGED) or message.startswith(_LACKING):
            raise damaged(path, message) from error
        if name.startswith(_BUSY):
            raise LibraryBusy(f"{path} is in use by another process; try again when it is done") from error
        if name.startswith(_CLOSED):
            raise LibraryError(f"cannot use {path} ({message}); check its folder and permissions") from error
        raise


def damaged(path: Path, detail: str) -> DamagedLibrary:
    """Return the error that a file is no library or is damaged."""
    return DamagedLibrary(
        f"{path} is no library or is damaged ({detail}); choose another --library, or restore a backup with "
        "'smallprint restore'"
    )
