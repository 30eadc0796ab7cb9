"""Whether the files of an embedded index are there and whole: each ends with a checksum of what stands before it."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from smallprint.index.embedded import FORMAT

PARTS = ("fast", "fieldnorm", "idx", "pos", "store", "term")
# The last eight bytes of a file: the length of the footer before them, and a number that tells it is one.
_END, MAGIC = struct.Struct("<II"), 1337
PIECE = 1 << 20


def file_faults(folder: Path) -> Iterator[str]:
    """Say what is wrong with the files of the index in a folder."""
    own = folder / str(FORMAT)
    try:
        meta = json.loads((own / "meta.json").read_bytes())
        names = [name for segment in meta["segments"] for name in _names(segment)]
    except FileNotFoundError:
        yield "there is none"
        return
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        yield "meta.json cannot be read"
        return
    for name in names:
        file = own / name
        if not file.is_file():
            yield f"{name} is missing"
        elif not _is_whole(file):
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
