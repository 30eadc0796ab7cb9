"""Policies taken out of a library for good: with all that was read on their pages, said of them, and kept of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from smallprint.domains import policy_id as id_of
from smallprint.domains import registrable_domain
from smallprint.errors import BadAddress
from smallprint.library.annotations import forget_annotations
from smallprint.library.file import Library
from smallprint.library.leftovers import delete_unused_pages, delete_unused_texts
from smallprint.library.likeness import regroup


@dataclass(frozen=True, slots=True)
class Removal:
    """What was removed. Texts and pages that other policies have as well are not among it."""

    policies: tuple[str, ...]
    versions: int
    captures: int
    texts: int
    pages: int
    rejections: int
    feedback: int


def remove_policies(library: Library, policy_ids: Collection[str], sites: Collection[str] = ()) -> Removal:
    """Remove policies in one transaction, with what was turned away at their addresses, or anywhere on these sites.

    Copies of theirs come back. What readers said of them goes too, since it quotes them.
    """
    with library.writing(), _secure(library), library.transaction() as db:
        versions = [row for policy_id in policy_ids for row in _versions(db, policy_id)]
        texts = {text_id for row in versions for text_id in (row["text_id"], row["page_text_id"])}
        pages = {row["page_id"] for row in versions}
        version_ids = [row["version_id"] for row in versions]
        feedback = _delete_feedback(db, policy_ids, version_ids)
        captures = _delete_captures(db, policy_ids)
        _delete_versions(db, version_ids)
        _delete_policies(db, policy_ids)
        rejected = _delete_rejections(db, policy_ids, sites)
        removed_texts = delete_unused_texts(db, texts)
        pages |= {row["page_id"] for row in (*captures, *rejected) if row["page_id"]}
        removed_pages = delete_unused_pages(db, pages)
        regroup(db)
    return Removal(
        tuple(policy_ids), len(versions), len(captures), removed_texts, removed_pages, len(rejected), feedback
    )


def policies_of_site(library: Library, domain: str) -> tuple[str, ...]:
    """Return the ids of all policies of a registrable domain, copies included."""
    rows = library.db.execute("SELECT policy_id FROM policies WHERE domain = ? ORDER BY policy_id", (domain,))
    return tuple(row["policy_id"] for row in rows)


@contextmanager
def _secure(library: Library) -> Iterator[None]:
    """Overwrite what is deleted within, so that it cannot be read from the file's free pages or from its log."""
    db = library.db
    before = db.execute("PRAGMA secure_delete").fetchone()[0]
    db.execute("PRAGMA secure_delete = ON")
    try:
        yield
    finally:
        db.execute(f"PRAGMA secure_delete = {int(before)}")
    # A reader may keep the log from being emptied; then the next command that writes does it.
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _versions(db: sqlite3.Connection, policy_id: str) -> list[sqlite3.Row]:
    return db.execute(
        "SELECT version_id, text_id, page_text_id, page_id FROM versions WHERE policy_id = ?", (policy_id,)
    ).fetchall()


def _delete_captures(db: sqlite3.Connection, policy_ids: Collection[str]) -> list[sqlite3.Row]:
    """Delete captures, and let the crawler forget where they were: it would ask whether the page changed since."""
    deleted = [
        row
        for policy_id in policy_ids
        for row in db.execute("DELETE FROM captures WHERE policy_id = ? RETURNING asked_url, page_id", (policy_id,))
    ]
    db.executemany("DELETE FROM frontier WHERE url = ?", [(row["asked_url"],) for row in deleted])
    return deleted


def _delete_versions(db: sqlite3.Connection, version_ids: Sequence[str]) -> None:
    ids = [(version_id,) for version_id in version_ids]
    for version_id in version_ids:
        forget_annotations(db, version_id)
    db.executemany("DELETE FROM segments WHERE version_id = ?", ids)
    db.executemany("UPDATE policies SET current_version = NULL WHERE current_version = ?", ids)
    db.executemany("UPDATE versions SET successor = NULL WHERE successor = ?", ids)
    db.executemany("DELETE FROM versions WHERE version_id = ?", ids)


def _delete_policies(db: sqlite3.Connection, policy_ids: Collection[str]) -> None:
    ids = [(policy_id,) for policy_id in policy_ids]
    db.executemany("UPDATE policies SET copy_of = NULL WHERE copy_of = ?", ids)
    db.executemany("UPDATE policies SET folded_under = NULL WHERE folded_under = ?", ids)
    db.executemany("DELETE FROM policies WHERE policy_id = ?", ids)


def _delete_rejections(
    db: sqlite3.Connection, policy_ids: Collection[str], sites: Collection[str]
) -> list[sqlite3.Row]:
    deleted = []
    for row in db.execute("SELECT source, url, captured_at, page_id FROM rejections").fetchall():
        if _is_at(row["url"], policy_ids, sites):
            db.execute("DELETE FROM rejections WHERE source = ? AND url = ? AND captured_at = ?", tuple(row)[:3])
            deleted.append(row)
    return deleted


def _is_at(url: str, policy_ids: Collection[str], sites: Collection[str]) -> bool:
    try:
        return id_of(url) in policy_ids or registrable_domain(url) in sites
    except BadAddress:
        return False


def _delete_feedback(db: sqlite3.Connection, policy_ids: Collection[str], version_ids: Sequence[str]) -> int:
    """Delete what readers said of policies; of an answer on many policies, if it shows a sentence of one of these."""
    deleted = sum(db.execute("DELETE FROM feedback WHERE policy_id = ?", (one,)).rowcount for one in policy_ids)
    return deleted + sum(
        db.execute("DELETE FROM feedback WHERE instr(places, ?)", (f'"{version_id}"',)).rowcount
        for version_id in version_ids
    )
