"""Texts that people pasted to have them read, kept beside the library for a while: by an id nobody can guess.

They are in a file of their own, so that no copy of a library holds any; what is deleted is overwritten. Every call
opens the file anew: several processes may share it.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from smallprint.library.storage import beside, can_write, create_private
from smallprint.limits import MAX_PASTES, MAX_PASTES_BYTES

SUFFIX = ".pastes"
ID_BYTES = 16
BUSY_SECONDS = 5.0
_SCHEMA = "CREATE TABLE IF NOT EXISTS pastes (paste_id TEXT PRIMARY KEY, until REAL NOT NULL, text TEXT NOT NULL)"


@dataclass(frozen=True, slots=True)
class Paste:
    """A text that is kept; `until` is in seconds since 1970."""

    paste_id: str
    until: float
    text: str


class Pastes:
    """The texts kept beside a library, each for `minutes`; 0 keeps none, and so does read-only storage."""

    def __init__(self, library: Path, minutes: int, clock: Callable[[], float] = time.time) -> None:
        self.path = beside(library, SUFFIX)
        self.minutes = minutes
        self._library = library
        self._clock = clock

    @property
    def is_on(self) -> bool:
        """Whether texts can be kept."""
        return self.minutes > 0 and can_write(self._library)

    def keep(self, text: str) -> Paste | None:
        """Keep a text, the oldest making room where there are too many; None where storage does not take it."""
        if not self.is_on:
            return None
        paste = Paste(secrets.token_urlsafe(ID_BYTES), self._clock() + 60 * self.minutes, text)
        with suppress(sqlite3.Error, OSError), self._open(create=True) as db:
            db.execute("INSERT INTO pastes VALUES (?, ?, ?)", (paste.paste_id, paste.until, text))
            db.execute(
                "DELETE FROM pastes WHERE rowid NOT IN (SELECT rowid FROM (SELECT rowid, sum(length(text)) OVER newest"
                " AS size, row_number() OVER newest AS place FROM pastes WINDOW newest AS (ORDER BY rowid DESC))"
                " WHERE place <= ? AND size <= ?)",
                (MAX_PASTES, MAX_PASTES_BYTES // 4),  # a character takes up to four bytes
            )
            return paste
        return None

    def find(self, paste_id: str) -> Paste | None:
        """Return a text that is still kept."""
        with self._open() as db:
            row = db.execute("SELECT paste_id, until, text FROM pastes WHERE paste_id = ?", (paste_id,)).fetchone()
        return None if row is None else Paste(*row)

    def ids(self) -> list[str]:
        """List the texts that are kept, the oldest first, after deleting what is expired."""
        with self._open() as db:
            return [row[0] for row in db.execute("SELECT paste_id FROM pastes ORDER BY rowid")]

    def forget(self, paste_id: str) -> bool:
        """Delete a text at once, and tell whether it was there."""
        with self._open() as db:
            return db.execute("DELETE FROM pastes WHERE paste_id = ?", (paste_id,)).rowcount > 0

    def forget_all(self) -> int:
        """Delete every text, and return how many there were."""
        with self._open() as db:
            return db.execute("DELETE FROM pastes").rowcount

    @contextmanager
    def _open(self, *, create: bool = False) -> Iterator[sqlite3.Connection]:
        """Open the file, and delete what is expired; where there is none, or it cannot be written to, it is empty."""
        with closing(self._connect(create=create)) as db:
            db.execute("BEGIN IMMEDIATE")
            before = db.total_changes
            db.execute("DELETE FROM pastes WHERE until <= ?", (self._clock(),))
            yield db
            db.execute("COMMIT")
            if db.total_changes > before:
                # The log would still hold what was deleted.
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _connect(self, *, create: bool) -> sqlite3.Connection:
        if not can_write(self._library) or not (create or self.path.exists()):
            return _prepare(None)
        try:
            return _prepare(self.path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # a damaged file; what it held would be gone within the hour anyway
            for suffix in ("", "-wal", "-shm"):
                beside(self.path, suffix).unlink(missing_ok=True)
            return _prepare(self.path)


def _prepare(file: Path | None) -> sqlite3.Connection:
    """Open a file, making it if there is none, or a database in memory."""
    if file:
        create_private(file)
    db = sqlite3.connect(file or ":memory:", timeout=BUSY_SECONDS, isolation_level=None)
    try:
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(_SCHEMA)
    except BaseException:
        db.close()
        raise
    return db
