"""The folder of an embedded index: what its failures mean, and whether its files, each with a checksum, are sound."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from smallprint.errors import BadIndex, LibraryFull
from smallprint.files import whole_file
from smallprint.index.fields import STORED

# An index of another format is left alone, and made anew beside it. The number is raised when words or numbers change;
# the rest follows the table of fields.
_FIELDS = " ".join(f"{field.name}:{field.kind}" for field in STORED)
FORMAT = f"5-{hashlib.blake2b(_FIELDS.encode(), digest_size=4).hexdigest()}"
META, MANAGED = "meta.json", ".managed.json"
PARTS = ("fast", "fieldnorm", "idx", "pos", "store", "term")
# The last eight bytes of a file: the length of the footer before them, and a number that tells it is one.
_END, MAGIC = struct.Struct("<II"), 1337
PIECE = 1 << 20
_Method = TypeVar("_Method", bound=Callable[..., Any])


def guarded(method: _Method) -> _Method:
    """Make a method of an engine raise BadIndex where its files are damaged, and LibraryFull where there is no room."""

    @wraps(method)
    def called(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return method(self, *arguments, **named)
        except BaseException as error:
            # A panic of the engine's own language is no Exception, and its class has no name to import.
            if not isinstance(error, ValueError | OSError) and type(error).__name__ != "PanicException":
                raise
            raise failure(self.folder.parent, error) from None

    return called  # type: ignore[return-value]  # the same signature


def failure(folder: Path, error: BaseException) -> BadIndex | LibraryFull:
    """Return the error that tells a failure of an index in a folder."""
    detail = " ".join(str(error).split())[:200]
    if os.strerror(errno.ENOSPC) in detail:
        return LibraryFull(f"no room on the disk for the index at {folder}; free some and run 'smallprint index'")
    return BadIndex(f"the index at {folder} is damaged ({detail}); 'smallprint index --anew' mends it")


class Mirror:
    """An index on read-only storage, mirrored in a temporary folder: tantivy makes a lock file even to read."""

    def __init__(self, folder: Path) -> None:
        self._source = folder
        self._own = tempfile.TemporaryDirectory(prefix="smallprint-index-", ignore_cleanup_errors=True)
        self.folder = Path(self._own.name)
        self.refresh()

    def refresh(self) -> None:
        """Link what is new, then take over the newest commit, which names the files it needs."""
        for file in self._source.iterdir():
            link = self.folder / file.name
            if file.suffix != ".lock" and file.name not in {META, MANAGED} and not link.is_symlink():
                link.symlink_to(file.absolute())
        for name in (MANAGED, META):
            if (self._source / name).is_file():
                with whole_file(self.folder / name) as part:
                    shutil.copyfile(self._source / name, part)


def file_identity(file: str) -> tuple[int, ...]:
    """Return what identifies a file, other for each one put in its place: these are replaced, never written to."""
    status = os.stat(file)  # noqa: PTH116 - which is twice as quick, and this is asked with every search
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def file_faults(folder: Path) -> Iterator[str]:
    """Yield what is wrong with the files of the index in a folder."""
    own = folder / FORMAT
    try:
        meta = json.loads((own / META).read_bytes())
        names = [name for segment in meta["segments"] for name in _names(segment)]
    except FileNotFoundError:
        yield "there is none"
        return
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        yield "meta.json cannot be read"
        return
    for name in names:
        if not (own / name).is_file():
            yield f"{name} is missing"
        elif not _is_whole(own / name):
            yield f"{name} is damaged"


def _names(segment: dict[str, object]) -> Iterator[str]:
    stem = str(segment["segment_id"]).replace("-", "")
    yield from (f"{stem}.{part}" for part in PARTS)
    deletes = segment["deletes"]
    if isinstance(deletes, dict):
        yield f"{stem}.{deletes['opstamp']}.del"


def _is_whole(file: Path) -> bool:
    """Compare a file with the checksum in its footer, reading it in pieces."""
    try:
        with file.open("rb") as content:
            content.seek(-_END.size, 2)
            length, magic = _END.unpack(content.read(_END.size))
            if magic != MAGIC:
                return False
            content.seek(-_END.size - length, 2)
            left = content.tell()
            footer = json.loads(content.read(length))
            content.seek(0)
            checksum = 0
            while left and (piece := content.read(min(PIECE, left))):
                checksum, left = zlib.crc32(piece, checksum), left - len(piece)
        return not left and checksum == footer["crc"]
    except (OSError, ValueError, LookupError, TypeError, struct.error):
        return False
