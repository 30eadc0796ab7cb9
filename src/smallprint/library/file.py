"""Opening a library: for writing or, where storage is read-only, for reading; migrations, lock, transactions."""

from __future__ import annotations

import fcntl
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from smallprint.errors import LibraryBusy, LibraryError, LibraryTooNew, NotALibrary, ReadOnlyLibrary
from smallprint.library.damage import UNFORESEEN, first_fault
from smallprint.library.failures import damaged, spoken
from smallprint.library.permissions import FILE, beside, can_write, create_private, tighten
from smallprint.library.schema import APPLICATION_ID, MIGRATIONS

BUSY_SECONDS = 30.0
CACHE_KIB = 32_768
# Among the library's facts: how often it was written to, a mark that no other state of any library has, and, in a
# backup only, what it holds.
REVISION, MARK, BACKUP = "revision", "mark", "backup"


class Library:
    """A library file, open for reading, and for writing by whoever holds `writing()`.

    On storage that cannot be written to it `is_read_only`: it can be read, and whatever would write is refused.
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
        self.is_read_only = path.is_file() and not can_write(path)
        with spoken(path):
            self.db = self._connect(any_thread=any_thread)
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
        try:
            if isinstance(error, sqlite3.DatabaseError):  # met while reading, outside of any transaction
                with suppress(sqlite3.DatabaseError), spoken(self.path):
                    raise error
            # A value of another kind than was written may end in anything, far from here.
            if isinstance(error, UNFORESEEN) and (fault := first_fault(self.db)):
                raise damaged(self.path, fault) from error
        finally:
            self.close()

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
        self._must_be_writable()
        with _locked(self.path):
            tighten(self.path)
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
        self._must_be_writable()
        with spoken(self.path):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
                if not aside:
                    self.note(REVISION, str(self.revision() + 1))
                    self.note(MARK, secrets.token_hex(8))
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:  # a full disk may have rolled it back already
                    self.db.execute("ROLLBACK")
                raise

    def revision(self) -> int:
        """Return how often the library was written to."""
        try:
            return int(self.fact(REVISION) or 0)
        except ValueError:
            raise damaged(self.path, "its revision is no number") from None

    def state(self) -> str:
        """Return a name for what the library holds, such as "57.9f86d081884c7d65"; indexes note which they are of."""
        facts = dict(self.db.execute("SELECT key, value FROM facts WHERE key IN (?, ?)", (REVISION, MARK)).fetchall())
        return f"{facts.get(REVISION, 0)}.{facts.get(MARK, '')}"

    def _is_in_transaction(self) -> bool:
        return self.db.in_transaction

    def fact(self, key: str) -> str | None:
        """Give something noted about the library as a whole."""
        row = self.db.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row["value"])

    def note(self, key: str, value: str) -> None:
        """Note something about the library as a whole."""
        self.db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, value))

    def _connect(self, *, any_thread: bool) -> sqlite3.Connection:
        def connect(address: str | Path, *, is_uri: bool = False) -> sqlite3.Connection:
            return sqlite3.connect(
                address, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=not any_thread, uri=is_uri
            )

        if not self.is_read_only:
            with suppress(OSError):  # SQLite says what is wrong
                create_private(self.path)
            return connect(self.path)
        address = f"{self.path.absolute().as_uri()}?mode=ro"
        log = beside(self.path, "-wal")
        if not log.is_file() or not log.stat().st_size:
            # Without a log to read, SQLite would try to make one; told that nobody writes, it does not.
            return connect(f"{address}&immutable=1", is_uri=True)
        if not beside(self.path, "-shm").is_file():
            raise ReadOnlyLibrary(
                f"{self.path} was not closed properly, and {log.name} cannot be read on read-only storage; copy both "
                "to a folder that can be written to"
            )
        return connect(address, is_uri=True)

    def _must_be_writable(self) -> None:
        if self.is_read_only:
            raise ReadOnlyLibrary(
                f"{self.path} cannot be written to, so it can only be read; copy it to a folder that can be written to"
            )

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
        if self.is_read_only:
            raise ReadOnlyLibrary(
                f"{self.path} is of an older Smallprint and cannot be brought up to date on read-only storage; copy it "
                "to a folder that can be written to"
            )
        with _locked(self.path):
            self.db.execute("PRAGMA journal_mode = WAL")
            # Whoever held the lock before us may have done it.
            version = self.db.execute("PRAGMA user_version").fetchone()[0]
            for number, script in enumerate(MIGRATIONS[version:], version + 1):
                marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number};"
                self.db.executescript(f"BEGIN; {script}; {marks} COMMIT;")


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
    try:
        return os.fdopen(os.open(beside(path, ".lock"), os.O_RDWR | os.O_CREAT | os.O_APPEND, FILE), "ab")
    except OSError as error:
        raise LibraryError(f"cannot write beside {path} ({error.strerror}); check its folder and permissions") from None
