"""What a library holds, as lines that are the same for two libraries that hold the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from smallprint.library.file import BACKUP, MARK, REVISION, Library
from smallprint.library.packing import decompress

# Left out is what tells when or where we worked, not what came of it: times of day, the order in which addresses were
# found, how often we wrote, and fingerprints of files, which change when a file is copied.
LEFT_OUT = {
    "versions": {"replaced_at"},
    "ingests": {"fingerprint"},
    "frontier": {"place", "not_before"},
    "feedback": {"place", "given_at"},
    "annotations": {"made_on"},
}
AS_SHOWN = {"captured_at": "substr(captured_at, 1, 10)"}


def logical_dump(library: Library) -> Iterator[str]:
    """Yield every row of every table as a line, in a fixed order; a page or a text as the hash of its content."""
    for table in library.db.column("SELECT name FROM sqlite_master WHERE type = 'table'"):
        names = [row["name"] for row in library.db.execute(f"PRAGMA table_info({table})")]
        names = [name for name in names if name not in LEFT_OUT.get(table, ())]
        columns = ", ".join(AS_SHOWN.get(name, f'"{name}"') for name in names)
        # By what is shown, blobs aside: their ids name the content, and the same content may be compressed differently.
        order = ", ".join(str(place) for place, name in enumerate(names, 1) if name != "content")
        for row in library.db.execute(f"SELECT {columns} FROM {table} ORDER BY {order}"):  # noqa: S608 - our own names
            if table == "facts" and row[0] in {REVISION, MARK, BACKUP}:
                continue
            yield f"{table} {json.dumps([_printable(value) for value in row], ensure_ascii=False)}"


def digest(library: Library) -> str:
    """Return the SHA-256 of a library's dump."""
    digest = hashlib.sha256()
    for line in logical_dump(library):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def _printable(value: Any) -> Any:
    if not isinstance(value, bytes):
        return value
    return hashlib.sha256(decompress(value, "a stored text, page or annotation")).hexdigest()
