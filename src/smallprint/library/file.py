"""Opening a library: for writing or, where storage is read-only, for reading; migrations, lock, transactions."""

from __future__ import annotations

import fcntl
import os
import secrets
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from smallprint.errors import LibraryBusy, LibraryError, LibraryTooNew, NotALibrary, ReadOnlyLibrary
from smallprint.library import storage
from smallprint.library.schema import APPLICATION_ID, MIGRATIONS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")
BUSY_SECONDS = 30.0
CACHE_KIB = 32_768
# Among the library's facts: how often it was written to, a mark that no other state of any library has, and, in a
# backup only, what it holds.
REVISION, MARK, BACKUP = "revision", "mark", "backup"


class Connection(sqlite3.Connection):
    """A connection with short ways to ask for single values, rows and records."""

    def row(self, query: str, *values: Any) -> sqlite3.Row | None:
        """Return the first row, if there is one."""
        row: sqlite3.Row | None = self.execute(query, values).fetchone()
        return row

    def value(self, query: str, *values: Any) -> Any:
        """Return the first value of the first row; None where there is no row."""
        row = self.row(query, *values)
        return None if row is None else row[0]

    def column(self, query: str, *values: Any) -> list[Any]:
        """Return the first value of every row."""
        return [row[0] for row in self.execute(query, values)]

    def records(self, kind: type[Record], query: str, *values: Any) -> Iterator[Record]:
        """Yield a record for every row, whose columns are its fields; SQLite has truth values as numbers."""
        flags = [field.name for field in fields(kind) if field.type == "bool"]
        for row in self.execute(query, values):
            yield kind(**dict(row) | {flag: bool(row[flag]) for flag in flags})

    def record(self, kind: type[Record], query: str, *values: Any) -> Record | None:
        """Return a record of the first row, if there is one."""
        return next(self.records(kind, query, *values), None)


class Library:
    """A library file, open for reading, and for writing by whoever holds `writing()` unless it `is_read_only`.

    It belongs to the thread that opened it, unless `any_thread` is set; even then only one may use it at a time.
    """

    def __init__(self, path: Path, *, create: bool = False, any_thread: bool = False) -> None:
        self.path = path
        self._is_held = False
        if not create and not path.is_file():
            raise LibraryError(f"there is no library at {path}; make one with 'smallprint ingest' or 'make run'")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(
                f"cannot make the folder {path.parent} ({error.strerror}); choose another --library"
            ) from None
        self.is_read_only = path.is_file() and not storage.can_write(path)
        with storage.readable_errors(path):
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

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        try:
            if isinstance(error, sqlite3.DatabaseError):  # met while reading, outside of any transaction
                with suppress(sqlite3.DatabaseError), storage.readable_errors(self.path):
                    raise error
            # A value of another kind than was written may end in anything, far from here.
            if isinstance(error, storage.UNFORESEEN) and (fault := storage.first_fault(self.db)):
                raise storage.damaged(self.path, fault) from error
        finally:
            self.close()

    def close(self) -> None:
        """Close the file; what was committed is safe."""
        with storage.readable_errors(self.path):
            self.db.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the library for writing; a second writer is told so at once, but who holds it may ask again."""
        if self._is_held:
            yield
            return
        self._must_be_writable()
        with _locked(self.path):
            storage.tighten(self.path)
            self._is_held = True
            try:
                yield
            finally:
                self._is_held = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See the library as it is now until the end of this, whatever others write meanwhile."""
        is_outermost = not self.db.in_transaction
        if is_outermost:
            self.db.execute("BEGIN")
        try:
            yield
        finally:
            if is_outermost and self.db.in_transaction:
                self.db.execute("COMMIT")  # nothing was written, and a cursor may still be open

    @contextmanager
    def transaction(self, *, aside: bool = False) -> Iterator[Connection]:
        """Do all that happens within, or nothing of it. What is written `aside` changes nothing that is counted."""
        self._must_be_writable()
        with storage.readable_errors(self.path):
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
            raise storage.damaged(self.path, "its revision is no number") from None

    def state(self) -> str:
        """Return a name for what the library holds, such as "57.9f86d081884c7d65"; indexes note which they are of."""
        facts = dict(self.db.execute("SELECT key, value FROM facts WHERE key IN (?, ?)", (REVISION, MARK)).fetchall())
        return f"{facts.get(REVISION, 0)}.{facts.get(MARK, '')}"

    def fact(self, key: str) -> str | None:
        """Return something noted about the library as a whole."""
        value = self.db.value("SELECT value FROM facts WHERE key = ?", key)
        return None if value is None else str(value)

    def note(self, key: str, value: str) -> None:
        """Note something about the library as a whole."""
        self.db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, value))

    def _connect(self, *, any_thread: bool) -> Connection:
        address = str(self.path)
        if self.is_read_only:
            address = f"{self.path.absolute().as_uri()}?mode=ro"
            log = storage.beside(self.path, "-wal")
            if not log.is_file() or not log.stat().st_size:
                # Without a log to read, SQLite would try to make one; told that nobody writes, it does not.
                address += "&immutable=1"
            elif not storage.beside(self.path, "-shm").is_file():
                raise ReadOnlyLibrary(
                    f"{self.path} was not closed properly, and {log.name} cannot be read on read-only storage; copy "
                    "both to a folder that can be written to"
                )
        else:
            with suppress(OSError):  # SQLite says what is wrong
                storage.create_private(self.path)
        return sqlite3.connect(
            address, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=not any_thread, factory=Connection,
            uri=self.is_read_only,
        )  # fmt: skip

    def _must_be_writable(self) -> None:
        if self.is_read_only:
            raise ReadOnlyLibrary(
                f"{self.path} cannot be written to, so it can only be read; copy it to a folder that can be written to"
            )

    def _use_log(self) -> None:
        """Turn WAL mode on where it is off, as in a copy that VACUUM made, so that readers and writers do not wait."""
        if self.is_read_only or self.db.value("PRAGMA journal_mode") == "wal":
            return
        self.db.execute("PRAGMA busy_timeout = 0")
        with suppress(sqlite3.OperationalError):  # somebody is reading: whoever opens it next will do it
            self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute(f"PRAGMA busy_timeout = {int(1000 * BUSY_SECONDS)}")

    def _bring_up_to_date(self) -> None:
        version = self.db.value("PRAGMA user_version")
        has_tables = self.db.value("SELECT count(*) FROM sqlite_master")
        if self.db.value("PRAGMA application_id") != APPLICATION_ID and (has_tables or version):
            raise NotALibrary(f"{self.path} is a database, but no Smallprint library; choose another --library")
        if version > len(MIGRATIONS):
            raise LibraryTooNew(
                f"{self.path} was written by a newer Smallprint (schema {version}, this one knows {len(MIGRATIONS)}); "
                "upgrade Smallprint to open it"
            )
        if version == len(MIGRATIONS):
            self._use_log()
            return
        if self.is_read_only:
            raise ReadOnlyLibrary(
                f"{self.path} is of an older Smallprint and cannot be brought up to date on read-only storage; copy it "
                "to a folder that can be written to"
            )
        with _locked(self.path):
            self.db.execute("PRAGMA journal_mode = WAL")
            # Whoever held the lock before us may have done it.
            version = self.db.value("PRAGMA user_version")
            for number, script in enumerate(MIGRATIONS[version:], version + 1):
                marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number};"
                self.db.executescript(f"BEGIN; {script}; {marks} COMMIT;")


def insert(table: str, columns: Collection[str]) -> str:
    """Return a statement that inserts a row."""
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - our own names


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    try:
        file = os.open(storage.beside(path, ".lock"), os.O_RDWR | os.O_CREAT | os.O_APPEND, storage.FILE_MODE)
    except OSError as error:
        raise LibraryError(f"cannot write beside {path} ({error.strerror}); check its folder and permissions") from None
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LibraryBusy(
                f"another command is writing to {path}; run this again when it has ended (reading works meanwhile)"
            ) from None
        yield
    finally:
        os.close(file)  # which also lets go of the lock, as does the end of the process
