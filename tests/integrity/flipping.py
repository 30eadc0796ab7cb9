"""Single bits flipped in what a library stores, one at a time, and put back."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from smallprint.errors import DamagedText
from smallprint.library.packing import decompress

Stored = Literal["text", "page text", "page"]
# The table, its key, and the column of a version that names the row.
PLACES: dict[Stored, tuple[str, str, str]] = {
    "text": ("texts", "text_id", "text_id"),
    "page text": ("texts", "text_id", "page_text_id"),
    "page": ("pages", "page_id", "page_id"),
}


@dataclass(frozen=True, slots=True)
class Victim:
    """A version whose stored text or page has a flipped bit."""

    policy_id: str
    version_id: str


@contextmanager
def flipped(path: Path, stored: Stored, chance: random.Random) -> Iterator[Victim]:
    """Flip one bit in what is stored of some policy's current version, for as long as the context lasts."""
    table, key, column = PLACES[stored]
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        rows = db.execute(
            f"SELECT p.policy_id, v.version_id, v.{column} FROM policies p "
            "JOIN versions v ON v.version_id = p.current_version WHERE p.copy_of IS NULL ORDER BY p.policy_id"
        ).fetchall()
        policy_id, version_id, name = chance.choice(rows)
        (content,) = db.execute(f"SELECT content FROM {table} WHERE {key} = ?", (name,)).fetchone()
        db.execute(f"UPDATE {table} SET content = ? WHERE {key} = ?", (_spoilt(content, chance), name))
        try:
            yield Victim(policy_id, version_id)
        finally:
            db.execute(f"UPDATE {table} SET content = ? WHERE {key} = ?", (content, name))


def _spoilt(content: bytes, chance: random.Random) -> bytes:
    """Flip a bit so that another content is read, or none: a few bits of a frame, as of padding, change nothing."""
    while True:
        spoilt, place = bytearray(content), chance.randrange(8 * len(content))
        spoilt[place // 8] ^= 1 << place % 8
        try:
            if decompress(bytes(spoilt), "") == decompress(content, ""):
                continue
        except DamagedText:
            pass
        return bytes(spoilt)
