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
from itertools import count
from pathlib import Path

from smallprint import __version__
from smallprint.errors import BadBackup, DamagedLibrary
from smallprint.library import dump
from smallprint.library.file import BACKUP, REVISION, Connection, Library
from smallprint.library.reading import status
from smallprint.library.schema import APPLICATION_ID, MIGRATIONS
from smallprint.library.soundness import library_faults
from smallprint.library.storage import FILE_MODE, beside, readable_errors


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
    """Write all that a library holds at one moment to a file, which is there once it is whole; others may write to it.

    An existing file is not overwritten, and a damaged library not backed up, unless `force` is set.
    """
    _check_target(library, to, force=force)
    with _part(to) as part:
        with readable_errors(to):
            library.db.execute("VACUUM INTO ?", (str(part),))
        with Library(part) as copy:
            fault = next(library_faults(copy), None)
            if fault and not force:
                raise BadBackup(
                    f"{library.path} is damaged ({fault.what}); 'smallprint check' lists all damage, and --force backs "
                    "it up as it is"
                )
            made, counts = datetime.now(tz=UTC).isoformat(timespec="seconds"), status(copy)
            hashes = "" if fault else dump.digest(copy), _content(copy.db)
            manifest = Manifest(made, __version__, counts.policies, counts.versions, counts.captures, *hashes)
            copy.note(BACKUP, json.dumps(asdict(manifest)))
        _check_target(library, to, force=force)
        _put(part, to)
    return Backup(to, to.stat().st_size, manifest)


def restore(file: Path, path: Path, *, force: bool = False) -> Manifest:
    """Put a backup into the place of a library; it is verified first, and takes effect in one transaction.

    Whoever has the library open sees the restored one from then on. A library that holds something is replaced only
    with `force`; one too damaged to be opened is moved aside.
    """
    manifest = _verified(file, file)
    if path.exists() and path.samefile(file):
        raise BadBackup(f"{file} is where the library itself is to be; move the backup elsewhere")
    with _open_library(path, force=force) as library, library.writing(), _part(path) as part:
        if not force and library.db.value("SELECT EXISTS (SELECT 1 FROM policies)"):
            raise BadBackup(f"there is a library at {path}; --force puts the backup in its place")
        try:
            shutil.copyfile(file, part)
        except OSError as error:
            raise BadBackup(f"cannot copy {file} beside {path} ({error.strerror})") from None
        _verified(part, file)
        with Library(part) as copy:  # which brings an older one up to date
            with copy.transaction() as db:
                db.execute("DELETE FROM facts WHERE key = ?", (BACKUP,))
                # A state of its own: nobody takes it for the one that was here, nor for the one that was backed up.
                copy.note(REVISION, str(max(_revision(copy), _revision(library))))
            with readable_errors(path):
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
    """Yield an empty private file beside another, for one process at a time; it is removed if it is still there."""
    part = beside(to, ".part")
    try:
        file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE)
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
    """Rename a file once all of it is on the disk."""
    try:
        for path in (part, part.parent):
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        part.chmod(FILE_MODE)
        part.replace(to)
    except OSError as error:
        raise BadBackup(f"cannot write {to} ({error.strerror})") from None


def _verified(copy: Path, file: Path) -> Manifest:
    """Return the manifest of a backup, or of a copy of it, after comparing it with what the backup holds."""
    if not copy.is_file():
        raise BadBackup(f"there is no file at {file}; name a backup that 'smallprint backup' made")
    address = f"{copy.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(Connection(address, uri=True)) as db:
        try:
            is_ours = db.value("PRAGMA application_id") == APPLICATION_ID
            manifest_line = db.value("SELECT value FROM facts WHERE key = ?", BACKUP) if is_ours else None
            if manifest_line is None:
                raise BadBackup(f"{file} is not a backup of Smallprint; name one that 'smallprint backup' made")
            if db.value("PRAGMA user_version") > len(MIGRATIONS):
                raise BadBackup(f"{file} was made by a newer Smallprint; upgrade Smallprint to restore it")
            manifest = Manifest(**json.loads(manifest_line))
            is_whole = db.value("PRAGMA integrity_check(1)") == "ok" and _content(db) == manifest.content
        except (sqlite3.Error, ValueError, TypeError, MemoryError):
            is_whole = False
    if not is_whole:
        raise BadBackup(f"{file} is damaged or not a backup; nothing was changed; name another backup")
    return manifest


def _open_library(path: Path, *, force: bool) -> Library:
    """Open the library that is to be replaced, or make an empty one; what cannot be opened is moved aside."""
    try:
        return Library(path, create=True)
    except DamagedLibrary as error:
        if not force:
            raise BadBackup(f"{error}; --force moves it aside and puts the backup in its place") from None
        numbered = (beside(path, f".damaged-{number}") for number in count(1))
        aside = next(unused for unused in numbered if not unused.exists())
        for suffix in ("-wal", "-shm", ""):
            if beside(path, suffix).exists():
                beside(path, suffix).replace(beside(aside, suffix))
        return Library(path, create=True)


def _content(db: Connection) -> str:
    """Hash every value of every row of every table, in the order of the file, but for the manifest itself."""
    digest = hashlib.sha256()
    for table in db.column("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"):
        digest.update(f"table {table}\n".encode())
        for row in db.execute(f"SELECT * FROM {table}"):  # noqa: S608 - our own names
            if table != "facts" or row[0] != BACKUP:
                digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()


def _revision(library: Library) -> int:
    try:
        return library.revision()
    except (DamagedLibrary, sqlite3.Error):
        return 0
