"""Who may read and write a library: its owner alone; and whether the storage it is on can be written to at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

FILE, FOLDER = 0o600, 0o700
# What stands beside a library and is as private as it is.
BESIDE = ("", "-wal", "-shm", ".lock")
INDEX = ".index"


def create_private(path: Path) -> None:
    """Make an empty file for the owner alone, if there is none; SQLite gives the files beside it the same mode."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE))


def tighten(path: Path) -> None:
    """Take from all but the owner what they may do with a library, its indexes, and the files beside it."""
    for file, mode in (*((beside(path, one), FILE) for one in BESIDE), (beside(path, INDEX), FOLDER)):
        # Whose file it is not, cannot change it, and what is not there needs no change.
        with suppress(OSError):
            if stat.S_IMODE(file.stat().st_mode) & ~mode:
                file.chmod(mode)


def can_write(path: Path) -> bool:
    """Tell whether a library can be written to: SQLite writes to the file and beside it."""
    return os.access(path.parent, os.W_OK | os.X_OK) and (not path.exists() or os.access(path, os.W_OK))


def beside(path: Path, suffix: str) -> Path:
    """Return the path of a file beside a library."""
    return path.with_name(path.name + suffix)
