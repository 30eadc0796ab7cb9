"""One library for many threads: a few open connections, lent to one borrower at a time, each with a time limit."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from smallprint.errors import LibraryBusy, LibraryError, TooSlow
from smallprint.library.damage import UNFORESEEN, first_fault
from smallprint.library.failures import damaged, spoken
from smallprint.library.file import Library
from smallprint.library.permissions import beside, can_write

# Opening a library costs 2.3 ms and a cold cache, taking an open one 10 µs; each may cache 32 MiB of pages.
SIZE = 8
# How many steps of SQLite's machine pass between two looks at the clock: about a millisecond.
STEPS = 50_000

_Identity = tuple[int, ...]
State = tuple[int, ...]


class Pool:
    """Libraries of one path, opened when first needed and kept open."""

    def __init__(self, path: Path, *, seconds: float = 0.0, size: int = SIZE) -> None:
        self.path = path
        self.seconds = seconds
        self._room = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[tuple[_Identity, Library]] = []
        self._watcher: tuple[_Identity, Library] | None = None
        self._looked_at: tuple[str, str] | None = None

    @contextmanager
    def library(self, *, seconds: float | None = None) -> Iterator[Library]:
        """Lend a library; a query that outlives `seconds` (the pool's own, if not given; 0 for no limit) is ended."""
        limit = self.seconds if seconds is None else seconds
        if not self._room.acquire(timeout=limit or None):
            raise LibraryBusy(f"{self.path} is being read by too many at once; try again in a moment")
        try:
            identity, library = self._take()
            kept = False
            try:
                try:
                    with _limited(library, limit), spoken(self.path):
                        yield library
                except UNFORESEEN as error:
                    if fault := self._fault(library):
                        raise damaged(self.path, fault) from error
                    raise
                kept = True
            finally:
                # What ended badly may have left a cursor or a transaction open.
                if kept and not library.db.in_transaction:
                    with self._lock:
                        self._idle.append((identity, library))
                else:
                    library.close()
        finally:
            self._room.release()

    def state(self) -> State:
        """Give a value that changes whenever anybody has written to the library or put another in its place; 5 µs."""
        with self._lock:
            identity = self._identity()
            if self._watcher and self._watcher[0] != identity:
                self._watcher[1].close()
                self._watcher = None
            if self._watcher is None:
                self._watcher = (identity, Library(self.path, any_thread=True))
            with spoken(self.path):
                revision = self._watcher[1].revision()
        return (*identity, revision)

    def close(self) -> None:
        """Close what is not lent."""
        with self._lock:
            for _, library in self._idle:
                library.close()
            self._idle.clear()
            if self._watcher:
                self._watcher[1].close()
                self._watcher = None

    def _take(self) -> tuple[_Identity, Library]:
        """Take the library that was used last, whose cache is warm, or open one."""
        identity = self._identity()
        with self._lock:
            if self._idle and self._idle[-1][0] != identity:  # another file has taken its place
                for _, library in self._idle:
                    library.close()
                self._idle.clear()
            if self._idle:
                return self._idle.pop()
        return identity, Library(self.path, any_thread=True)

    def _fault(self, library: Library) -> str:
        """Say what is wrong with a library after something nobody foresaw; each state of it is looked at once."""
        try:
            state = library.state()
        except (*UNFORESEEN, LibraryError):
            state = ""
        with self._lock:
            if self._looked_at is None or self._looked_at[0] != state:
                self._looked_at = (state, first_fault(library.db))
            return self._looked_at[1]

    def _identity(self) -> _Identity:
        try:
            found = self.path.stat()
        except OSError:
            return (0, 0)  # opening it will say what is wrong
        identity = (found.st_dev, found.st_ino)
        if can_write(self.path):
            return identity
        # A library that we cannot write to is read without locks: where another may write, it is to be opened anew.
        log = beside(self.path, "-wal")
        return (*identity, found.st_mtime_ns, log.stat().st_size if log.is_file() else 0)


@contextmanager
def _limited(library: Library, seconds: float) -> Iterator[None]:
    if not seconds:
        yield
        return
    deadline = time.monotonic() + seconds
    library.db.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):
            raise TooSlow(f"this took longer than {seconds:g} seconds; ask for less") from error
        raise
    finally:
        library.db.set_progress_handler(None, 0)
