"""Opening a library: migrations, the writer's lock, transactions, and every SQLite failure as one clear line."""

from __future__ import annotations

import fcntl
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO

from smallprint.errors import LibraryBusy, LibraryError, LibraryFull, LibraryTooNew, NotALibrary
from smallprint.library.schema import APPLICATION_ID, MIGRATIONS

BUSY_SECONDS = 30.0
CACHE_KIB = 32_768
# Among the library's facts: how often it was written to, and a mark that no other state of any library has.
REVISION, MARK = "revision", "mark"


class Library:
    """A library file, open for reading, and for writing by whoever holds `writing()`.

    It belongs to the thread that opened it, unless `any_thread` is set; even then only one may use it at a time.
    """

    def __init__(self, path: Path, *, create: bool = False, any_thread: bool = False) -> None:
        self.path = path
        self._held = False
        if not create and not path.is_file():
            raise LibraryError(f"there is no library at {path}; make one with 'smallprint ingest' or 'make run'")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(
                f"cannot make the folder {path.parent} ({error.strerror}); choose another --library"
            ) from None
        with spoken(path):
            self.db = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=not any_thread
            )
            try:
                self.db.row_factory = sqlite3.Row
                self.db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
                self.db.execute("PRAGMA foreign_keys = ON")
                # In WAL mode a crash can harm nothing that was committed.
                self.db.execute("PRAGMA synchronous = NORMAL")
                self._bring_up_to_date()
            except BaseException:
                self.db.close()
                raise

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if isinstance(error, sqlite3.DatabaseError):  # met while reading, outside of any transaction
            with spoken(self.path):
                raise error

    def close(self) -> None:
        """Close the file; what was committed is safe."""
        with spoken(self.path):
            self.db.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the library for writing; a second writer is told so at once, but who holds it may ask again."""
        if self._held:
            yield
            return
        with _locked(self.path):
            self._held = True
            try:
                yield
            finally:
                self._held = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See the library as it is now until the end of this, whatever others write meanwhile."""
        if self._is_in_transaction():
            yield
            return
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            if self._is_in_transaction():
                self.db.execute("COMMIT")  # nothing was written, and a cursor may still be open

    @contextmanager
    def transaction(self, *, aside: bool = False) -> Iterator[sqlite3.Connection]:
        """Do all that happens within, or nothing of it. What is written `aside` changes nothing that is counted."""
        with spoken(self.path):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
                if not aside:
                    self.note(REVISION, str(int(self.fact(REVISION) or 0) + 1))
                    self.note(MARK, secrets.token_hex(8))
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:  # a full disk may have rolled it back already
                    self.db.execute("ROLLBACK")
                raise

    def state(self) -> str:
        """Return a name for what the library holds, such as "57.9f86d081884c7d65"; indexes note which they are of."""
        return f"{self.fact(REVISION) or 0}.{self.fact(MARK) or ''}"

    def _is_in_transaction(self) -> bool:
        return self.db.in_transaction

    def fact(self, key: str) -> str | None:
        """Give something noted about the library as a whole."""
        row = self.db.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row["value"])

    def note(self, key: str, value: str) -> None:
        """Note something about the library as a whole."""
        self.db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, value))

    def _bring_up_to_date(self) -> None:
        version = self.db.execute("PRAGMA user_version").fetchone()[0]
        application = self.db.execute("PRAGMA application_id").fetchone()[0]
        tables = self.db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != APPLICATION_ID and (tables or version):
            raise NotALibrary(f"{self.path} is a database, but no Smallprint library; choose another --library")
        if version > len(MIGRATIONS):
            raise LibraryTooNew(
                f"{self.path} was written by a newer Smallprint (schema {version}, this one knows {len(MIGRATIONS)}); "
                "upgrade Smallprint to open it"
            )
        if version == len(MIGRATIONS):
            return
        with _locked(self.path):
            self.db.execute("PRAGMA journal_mode = WAL")
            # Whoever held the lock before us may have done it.
            version = self.db.execute("PRAGMA user_version").fetchone()[0]
            for number, script in enumerate(MIGRATIONS[version:], version + 1):
                marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number};"
                self.db.executescript(f"BEGIN; {script}; {marks} COMMIT;")


@contextmanager
def spoken(path: Path) -> Iterator[None]:
    """Turn SQLite's failures into lines that say what to do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        message = str(error)
        if "full" in message:
            raise LibraryFull(
                f"no room on the disk for {path}; free some and run the same command again; nothing stored was lost"
            ) from error
        if "not a database" in message or "malformed" in message:
            raise NotALibrary(f"{path} is no library or is damaged ({message}); choose another --library") from error
        if "locked" in message:
            raise LibraryBusy(f"{path} is in use by another process; try again when it is done") from error
        if "unable to open" in message or "readonly" in message or "disk I/O" in message:
            raise LibraryError(f"cannot use {path} ({message}); check its folder and permissions") from error
        raise


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    file = _open_lock(path)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LibraryBusy(
                f"another command is writing to {path}; run this again when it has ended (reading works meanwhile)"
            ) from None
        yield
    finally:
        file.close()  # which also lets go of the lock, as does the end of the process


def _open_lock(path: Path) -> IO[bytes]:
    lock = path.with_name(path.name + ".lock")
    try:
        return lock.open("ab")
    except OSError as error:
        raise LibraryError(f"cannot write beside {path} ({error.strerror}); check its folder and permissions") from None
