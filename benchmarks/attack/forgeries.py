"""Point 2: single bits flipped in stored texts and pages. Whatever is served must be the words that were stored."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from outcome import Outcome
from server import Server, innocent_policy
from wire import ATTACKERS, Reply, Request, send

SEED = 22
REFUSED = 500
TOO_MANY_REQUESTS = 429


@dataclass(frozen=True, slots=True)
class Target:
    """A stored blob, and the pages on which its content is shown or vouched for."""

    table: str
    key: str
    name: str
    paths: tuple[str, ...]


def attack(server: Server, *, quick: bool) -> Outcome:
    """Flip one bit at a time, ask for everything that rests on it, and put it back."""
    luck = random.Random(SEED)
    texts, pages = (12, 8) if quick else (300, 200)
    broken: list[str] = []
    with closing(sqlite3.connect(server.library, timeout=30, isolation_level=None)) as db:
        spared = innocent_policy(server)
        chosen = [*luck.choices(_texts(db, spared), k=texts), *luck.choices(_pages(db, spared), k=pages)]
        for target in chosen:
            sound = {path: _ask(server.port, path, luck).body for path in target.paths}
            with _flipped(db, target, luck):
                for path in target.paths:
                    reply = _ask(server.port, path, luck)
                    if reply.status < REFUSED and reply.body != sound[path]:
                        broken.append(f"{path} served other words with a bit of {target.table} flipped")
                        break
    return Outcome(len(chosen), tuple(broken))


def _ask(port: int, path: str, luck: random.Random) -> Reply:
    """Ask from one of many addresses; one that has asked too often gives way to the next."""
    for source in luck.sample(ATTACKERS, len(ATTACKERS)):
        reply = send(port, Request(path, source=source))
        if reply.status != TOO_MANY_REQUESTS:
            return reply
        time.sleep(1)
    raise SystemExit("every address has asked too often; nothing can be said of the texts")


def _texts(db: sqlite3.Connection, spared: str) -> Sequence[Target]:
    rows = db.execute(
        "SELECT v.policy_id, v.version_id, v.text_id FROM versions v JOIN policies p "
        "ON p.current_version = v.version_id WHERE p.copy_of IS NULL AND v.policy_id != ? "
        "ORDER BY v.version_id",
        (spared,),
    )
    return [
        Target("texts", "text_id", text_id, (
            f"/policies/{policy}/evidence?version={version}",
            f"/policies/{policy}/text?version={version}",
            f"/api/v1/policies/{policy}/text?version={version}",
            f"/api/v1/ask?policy={policy}&question=do+you+sell+my+data",
        ))
        for policy, version, text_id in rows
    ]  # fmt: skip


def _pages(db: sqlite3.Connection, spared: str) -> Sequence[Target]:
    rows = db.execute(
        "SELECT policy_id, version_id, page_id FROM versions WHERE successor IS NULL AND policy_id != ? "
        "ORDER BY version_id",
        (spared,),
    )
    return [
        Target("pages", "page_id", page_id, (f"/policies/{policy}/evidence?version={version}",))
        for policy, version, page_id in rows
    ]


@contextmanager
def _flipped(db: sqlite3.Connection, target: Target, luck: random.Random) -> Iterator[None]:
    """Keep one bit of a blob flipped while the block runs."""
    read = f"SELECT content FROM {target.table} WHERE {target.key} = ?"  # noqa: S608 - our own names
    write = f"UPDATE {target.table} SET content = ? WHERE {target.key} = ?"  # noqa: S608 - our own names
    (sound,) = db.execute(read, (target.name,)).fetchone()
    damaged = bytearray(sound)
    damaged[luck.randrange(len(damaged))] ^= 1 << luck.randrange(8)
    db.execute(write, (bytes(damaged), target.name))
    try:
        yield
    finally:
        db.execute(write, (sound, target.name))
