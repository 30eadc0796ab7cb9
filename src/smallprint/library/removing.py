"""Policies taken out of a library for good: with all that was read on their pages, said of them, and kept of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from smallprint.domains import policy_id as id_of
from smallprint.domains import registrable_domain
from smallprint.errors import BadAddress
from smallprint.library.annotations import forget_annotations
from smallprint.library.file import Connection, Library
from smallprint.library.likeness import regroup
from smallprint.library.writing import delete_unused_pages, delete_unused_texts

_OF_VERSIONS = (
    "DELETE FROM segments WHERE version_id = ?",
    "UPDATE policies SET current_version = NULL WHERE current_version = ?",
    "UPDATE versions SET successor = NULL WHERE successor = ?",
    "DELETE FROM versions WHERE version_id = ?",
)
_OF_POLICIES = (
    "UPDATE policies SET copy_of = NULL WHERE copy_of = ?",
    "UPDATE policies SET folded_under = NULL WHERE folded_under = ?",
    "DELETE FROM policies WHERE policy_id = ?",
)


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
    """Remove policies in one transaction, with feedback and what was turned away at their addresses or these sites."""
    with library.writing(), _secure(library), library.transaction() as db:
        versions = _each(
            db, policy_ids, "SELECT version_id, text_id, page_text_id, page_id FROM versions WHERE policy_id = ?"
        )
        version_ids = [row["version_id"] for row in versions]
        # It quotes them. An answer on many policies names no policy; it goes if it shows a sentence of one of these.
        feedback = _each(db, policy_ids, "DELETE FROM feedback WHERE policy_id = ? RETURNING place")
        quoted = [f'"{version_id}"' for version_id in version_ids]
        feedback += _each(db, quoted, "DELETE FROM feedback WHERE instr(places, ?) RETURNING place")
        captures = _each(db, policy_ids, "DELETE FROM captures WHERE policy_id = ? RETURNING asked_url, page_id")
        # The crawler would ask whether the page changed since.
        _each(db, [row["asked_url"] for row in captures], "DELETE FROM frontier WHERE url = ?")
        for version_id in version_ids:
            forget_annotations(db, version_id)
        for statement in _OF_VERSIONS:
            _each(db, version_ids, statement)
        for statement in _OF_POLICIES:
            _each(db, policy_ids, statement)
        rejections = _delete_rejections(db, policy_ids, sites)
        texts = delete_unused_texts(db, (row[text] for row in versions for text in ("text_id", "page_text_id")))
        page_ids = {row["page_id"] for row in (*versions, *captures, *rejections) if row["page_id"]}
        pages = delete_unused_pages(db, page_ids)
        regroup(db)  # copies of theirs come back
    counts = len(versions), len(captures), texts, pages, len(rejections), len(feedback)
    return Removal(tuple(policy_ids), *counts)


@contextmanager
def _secure(library: Library) -> Iterator[None]:
    """Overwrite what is deleted within, so that it cannot be read from the file's free pages or from its log."""
    db = library.db
    before = db.value("PRAGMA secure_delete")
    db.execute("PRAGMA secure_delete = ON")
    try:
        yield
    finally:
        db.execute(f"PRAGMA secure_delete = {int(before)}")
    # A reader may keep the log from being emptied. It is not waited for: the next command that writes does it.
    patience = db.value("PRAGMA busy_timeout")
    db.execute("PRAGMA busy_timeout = 0")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute(f"PRAGMA busy_timeout = {int(patience)}")


def _each(db: Connection, values: Collection[str], statement: str) -> list[sqlite3.Row]:
    return [row for value in values for row in db.execute(statement, (value,)).fetchall()]


def _delete_rejections(db: Connection, policy_ids: Collection[str], sites: Collection[str]) -> list[sqlite3.Row]:
    deleted = []
    for row in db.execute("SELECT source, url, captured_at, page_id FROM rejections").fetchall():
        with suppress(BadAddress):
            if id_of(row["url"]) in policy_ids or registrable_domain(row["url"]) in sites:
                db.execute("DELETE FROM rejections WHERE source = ? AND url = ? AND captured_at = ?", tuple(row)[:3])
                deleted.append(row)
    return deleted
