"""The state of the library that an index is of, noted beside its commit."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

FILE = "library.state"


class LibraryState:
    """A file that names a commit and the state of the library which that commit is of."""

    def __init__(self, folder: Path) -> None:
        self._meta, self._file = str(folder / "meta.json"), str(folder / FILE)
        self._read: tuple[tuple[tuple[int, ...], ...], str] = ((), "")

    def read(self) -> str:
        """Return the state; empty where none is noted of this commit. 10 µs if neither file was replaced."""
        try:
            files = (_identity(self._meta), _identity(self._file))
            if files != self._read[0]:
                commit, _, state = Path(self._file).read_text(encoding="utf-8").partition(" ")
                self._read = (files, state if commit == self._commit() else "")
            return self._read[1]
        except (OSError, UnicodeDecodeError):
            return ""

    def note(self, state: str) -> None:
        """Note the state that the commit on disk is of."""
        if self.read() != state:
            part = Path(f"{self._file}.part")
            # For want of room nothing is lost: a state that is not noted is counted.
            with suppress(OSError):
                part.write_text(f"{self._commit()} {state}", encoding="utf-8")
                part.replace(self._file)

    def _commit(self) -> str:
        """Name the commit on disk, so that a state noted of another one says nothing of this."""
        return hashlib.blake2b(Path(self._meta).read_bytes(), digest_size=8).hexdigest()


def _identity(file: str) -> tuple[int, ...]:
    """Tell a file from one put in its place; both of these are never written to, but replaced."""
    found = os.stat(file)  # noqa: PTH116 - which is twice as quick, and this is asked with every search
    return (found.st_ino, found.st_mtime_ns, found.st_size)
