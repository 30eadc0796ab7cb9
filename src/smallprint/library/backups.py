"""Backups of a library: one file each, consistent while others write, and verified before it is restored."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from smallprint import __version__
from smallprint.errors import BadBackup, DamagedLibrary
from smallprint.library import dump
from smallprint.library.failures import spoken
from smallprint.library.file import BACKUP, REVISION, Library
from smallprint.library.permissions import FILE, beside
from smallprint.library.reading import status
from smallprint.library.schema import APPLICATION_ID, MIGRATIONS
from smallprint.library.soundness import library_faults

PART = ".part"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself. `content` is a hash of all its rows, `digest` that of 'smallprint status'."""

    made: str
    smallprint: str
    policies: int
    versions: int
    captures: int
    digest: str
    content: str


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was made."""

    file: Path
    bytes: int
    manifest: Manifest


def backup(library: Library, to: Path, *, force: bool = False) -> Backup:
    """Write all that a library holds at one moment to a file; others may write to the library meanwhile.

    An existing file is not overwritten, and a damaged library not backed up, unless `force` is set. Nothing is at `to`
    before it is whole.
    """
    _check_target(library, to, force=force)
    with _part(to) as part:
        with spoken(to):
            library.db.execute("VACUUM INTO ?", (str(part),))
        with Library(part) as copy:
            fault = next(library_faults(copy), None)
            if fault and not force:
                raise BadBackup(
                    f"{library.path} is damaged ({fault.what}); 'smallprint check' lists all damage, and --force backs "
                    "it up as it is"
                )
            counts = status(copy)
            manifest = Manifest(
                datetime.now(tz=UTC).isoformat(timespec="seconds"), __version__, counts.policies, counts.versions,
                counts.captures, "" if fault else dump.digest(copy), _content(copy.db),
            )  # fmt: skip
            copy.db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (BACKUP, json.dumps(asdict(manifest))))
        _check_target(library, to, force=force)
        _put(part, to)
    return Backup(to, to.stat().st_size, manifest)


def restore(file: Path, path: Path, *, force: bool = False) -> Manifest:
    """Put a backup into the place of a library; it is verified first, and takes effect in one transaction.

    Whoever has the library open sees the restored one from then on. A library that holds something is replaced only
    with `force`; one too damaged to be opened is moved aside.
    """
    with _opened(file) as source:
        manifest = _verified(source, file)
    if path.exists() and path.samefile(file):
        raise BadBackup(f"{file} is where the library itself is to be; move the backup elsewhere")
    with _library(path, force=force) as library, library.writing(), _part(path) as part:
        if not force and library.db.execute("SELECT EXISTS (SELECT 1 FROM policies)").fetchone()[0]:
            raise BadBackup(f"there is a library at {path}; --force puts the backup in its place")
        try:
            shutil.copyfile(file, part)
        except OSError as error:
            raise BadBackup(f"cannot copy {file} beside {path} ({error.strerror})") from None
        with _opened(part) as copied:
            _verified(copied, file)
        with Library(part) as copy:  # which brings an older one up to date
            with copy.transaction() as db:
                db.execute("DELETE FROM facts WHERE key = ?", (BACKUP,))
                # A state of its own: nobody takes it for the one that was here, nor for the one that was backed up.
                copy.note(REVISION, str(max(_revision(db), _revision(library.db))))
            with spoken(path):
                copy.db.backup(library.db)
    return manifest


def _check_target(library: Library, to: Path, *, force: bool) -> None:
    own = [library.path, *(beside(library.path, suffix) for suffix in ("-wal", "-shm", ".lock"))]
    if any(to.exists() and file.exists() and to.samefile(file) for file in own) or to.absolute() in own:
        raise BadBackup(f"{to} belongs to the library itself; choose another file")
    if to.is_dir():
        raise BadBackup(f"{to} is a folder; name a file")
    if to.exists() and not force:
        raise BadBackup(f"there is a file at {to}; choose another name, or --force to overwrite it")


@contextmanager
def _part(to: Path) -> Iterator[Path]:
    """Give an empty private file beside another, for one process at a time; it is removed if it is still there."""
    part = beside(to, PART)
    try:
        file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE)
    except OSError as error:
        raise BadBackup(f"cannot write to {part} ({error.strerror}); choose another file") from None
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadBackup(f"another command is writing to {part}; run this again when it has ended") from None
        os.ftruncate(file, 0)  # what a run that was killed has left
        try:
            yield part
        finally:
            for suffix in ("", "-wal", "-shm", "-journal", ".lock"):
                beside(part, suffix).unlink(missing_ok=True)
    finally:
        os.close(file)


def _put(part: Path, to: Path) -> None:
    """Give a file its name once all of it is on the disk."""
    try:
        for path in (part, part.parent):
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        part.chmod(FILE)
        part.replace(to)
    except OSError as error:
        raise BadBackup(f"cannot write {to} ({error.strerror})") from None


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    if not file.is_file():
        raise BadBackup(f"there is no file at {file}; name a backup that 'smallprint backup' made")
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as source:
        yield source


def _verified(db: sqlite3.Connection, file: Path) -> Manifest:
    """Read a backup's manifest, and compare it with what the backup holds."""
    try:
        application = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        row = None if application != APPLICATION_ID else _fact(db, BACKUP)
        if row is None:
            raise BadBackup(f"{file} is no backup of Smallprint; name one that 'smallprint backup' made")
        if version > len(MIGRATIONS):
            raise BadBackup(f"{file} was made by a newer Smallprint; upgrade Smallprint to restore it")
        manifest = Manifest(**json.loads(row))
        is_whole = db.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok" and _content(db) == manifest.content
    except (sqlite3.Error, ValueError, TypeError, MemoryError):
        is_whole = False
    if not is_whole:
        raise BadBackup(f"{file} is damaged or no backup; nothing was changed; name another backup")
    return manifest


@contextmanager
def _library(path: Path, *, force: bool) -> Iterator[Library]:
    """Open the library that is to be replaced, or make an empty one; what cannot be opened is moved aside."""
    try:
        library = Library(path, create=True)
    except DamagedLibrary as error:
        if not force:
            raise BadBackup(f"{error}; --force moves it aside and puts the backup in its place") from None
        aside = _unused(path)
        for suffix in ("-wal", "-shm", ""):
            if beside(path, suffix).exists():
                beside(path, suffix).replace(beside(aside, suffix))
        library = Library(path, create=True)
    with library:
        yield library


def _unused(path: Path) -> Path:
    number = 1
    while (aside := beside(path, f".damaged-{number}")).exists():
        number += 1
    return aside


def _content(db: sqlite3.Connection) -> str:
    """Hash every value of every row of every table, in the order of the file, but for the manifest itself."""
    found = hashlib.sha256()
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    for table in tables:
        found.update(f"table {table}\n".encode())
        for row in db.execute(f"SELECT * FROM {table}"):  # noqa: S608 - our own names
            if table != "facts" or row[0] != BACKUP:
                found.update(repr(tuple(row)).encode())
    return found.hexdigest()


def _fact(db: sqlite3.Connection, key: str) -> str | None:
    row = db.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
    return None if row is None else row[0]


def _revision(db: sqlite3.Connection) -> int:
    try:
        return int(_fact(db, REVISION) or 0)
    except (ValueError, sqlite3.Error):
        return 0
