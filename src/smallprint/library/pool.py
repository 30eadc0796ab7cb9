"""One library for many threads: a few connections, lent for a limited time; what is dear to count is counted once."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from smallprint.errors import LibraryBusy, LibraryError, TooSlow
from smallprint.library.file import Library
from smallprint.library.storage import UNFORESEEN, beside, can_write, damaged, first_fault, readable_errors

# Opening a library costs 2.3 ms and a cold cache, taking an open one 10 µs; each may cache 32 MiB of pages.
SIZE = 8
# How many steps of SQLite's machine pass between two looks at the clock: about a millisecond.
STEPS = 50_000
# So many results are kept in memory.
ENTRIES = 64

State = tuple[int, ...]
_Opened = tuple[State, Library]  # with the identity of its file
_Result = TypeVar("_Result")


class Pool:
    """Libraries of one path, opened when first needed and kept open."""

    def __init__(self, path: Path, *, seconds: float = 0.0, size: int = SIZE) -> None:
        self.path = path
        self.seconds = seconds
        self._room = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[_Opened] = []
        self._watchers: list[_Opened] = []  # one at most
        self._looked_at: tuple[str, str] | None = None
        self._is_closed = False

    @contextmanager
    def library(self, *, seconds: float | None = None) -> Iterator[Library]:
        """Lend a library; a query that outlives `seconds` (the pool's own, if not given; 0 for no limit) is ended."""
        if self._is_closed:
            raise LibraryError(f"{self.path} was closed; open it again")
        limit = self.seconds if seconds is None else seconds
        if not self._room.acquire(timeout=limit or None):
            raise LibraryBusy(f"{self.path} is being read by too many at once; try again in a moment")
        try:
            identity = self._identity()
            with self._lock:
                _close(self._idle, unless=identity)  # another file may have taken its place
                idle = self._idle.pop() if self._idle else None  # the one that was used last, whose cache is warm
            library = idle[1] if idle else Library(self.path, any_thread=True)
            is_sound = False
            try:
                with _limited(library, limit), readable_errors(self.path):
                    yield library
                is_sound = True
            except UNFORESEEN as error:
                if fault := self._fault(library):
                    raise damaged(self.path, fault) from error
                raise
            finally:
                # What ended badly may have left a cursor or a transaction open.
                with self._lock:
                    is_kept = is_sound and not library.db.in_transaction and not self._is_closed
                    if is_kept:
                        self._idle.append((identity, library))
                if not is_kept:
                    library.close()
        finally:
            self._room.release()

    def state(self) -> State:
        """Return a value that changes whenever anybody has written to the library or put another in its place; 5 µs."""
        with self._lock:
            identity = self._identity()
            _close(self._watchers, unless=identity)
            if not self._watchers:
                self._watchers.append((identity, Library(self.path, any_thread=True)))
            with readable_errors(self.path):
                revision = self._watchers[0][1].revision()
        return (*identity, revision)

    def open(self) -> None:
        """Lend again after `close`, as a server does that is started a second time in one process."""
        self._is_closed = False

    def close(self) -> None:
        """Close what is not lent, and lend nothing more."""
        with self._lock:
            self._is_closed = True
            _close(self._idle)
            _close(self._watchers)

    def _fault(self, library: Library) -> str:
        """Return what is wrong with a library after something nobody foresaw; each state of it is looked at once."""
        try:
            state = library.state()
        except (*UNFORESEEN, LibraryError):
            state = ""
        with self._lock:
            if self._looked_at is None or self._looked_at[0] != state:
                self._looked_at = (state, first_fault(library.db))
            return self._looked_at[1]

    def _identity(self) -> State:
        try:
            status = self.path.stat()
        except OSError:
            return (0, 0)  # opening it will say what is wrong
        identity = (status.st_dev, status.st_ino)
        if can_write(self.path):
            return identity
        # A library that we cannot write to is read without locks: where another may write, it is to be opened anew.
        log = beside(self.path, "-wal")
        return (*identity, status.st_mtime_ns, log.stat().st_size if log.is_file() else 0)


def _close(libraries: list[_Opened], unless: State | None = None) -> None:
    """Close libraries, unless they are of the file that has this identity."""
    while libraries and libraries[-1][0] != unless:
        libraries.pop()[1].close()


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
        if error.sqlite_errorname == "SQLITE_INTERRUPT":
            raise TooSlow(f"this took longer than {seconds:g} seconds; ask for less") from error
        raise
    finally:
        library.db.set_progress_handler(None, 0)


@dataclass(slots=True)
class _Slot:
    """A result with the state it holds for; whoever counts holds the lock, so that nobody counts the same beside."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    state: State | None = None
    result: Any = None


class Memory:
    """Results by key, the least recently asked for forgotten first; safe to use from many threads."""

    def __init__(self, pool: Pool, entries: int = ENTRIES) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._slot = lru_cache(maxsize=entries)(lambda key: _Slot())

    def recall(self, key: Hashable, count: Callable[[Library], _Result]) -> _Result:
        """Return what `count` makes of the library as it is now; the count itself has no time limit."""
        with self._lock:
            slot = self._slot(key)
        with slot.lock:
            # Asked before counting: what is written meanwhile makes a new state.
            state = self._pool.state()
            if slot.state != state:
                with self._pool.library(seconds=0) as library:
                    slot.result = count(library)
                slot.state = state
            result: _Result = slot.result
        return result
