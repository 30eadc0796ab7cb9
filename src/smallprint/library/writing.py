"""What comes out of the clean stage, written into the library; the outcome does not depend on the order of arrival."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from smallprint.library.annotations import forget_annotations
from smallprint.library.file import Library
from smallprint.library.packing import CLEANER, Packed, moment
from smallprint.records import Rejection


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a source has been read."""

    position: int
    finished: bool


def save(db: sqlite3.Connection, results: Iterable[Packed | Rejection]) -> None:
    """Write a batch of captures and rejections; call it inside a transaction."""
    for result in results:
        if isinstance(result, Rejection):
            db.execute(
                "INSERT OR REPLACE INTO rejections (source, url, captured_at, reason, detail) VALUES (?, ?, ?, ?, ?)",
                (result.source, result.url, moment(result.fetched_at), str(result.reason), result.detail),
            )
        else:
            _save_capture(db, result)


def progress(library: Library, fingerprint: str) -> Progress:
    """Say how far a source was read before."""
    row = library.db.execute("SELECT position, finished FROM ingests WHERE fingerprint = ?", (fingerprint,)).fetchone()
    return Progress(0, finished=False) if row is None else Progress(row["position"], bool(row["finished"]))


def note_progress(
    db: sqlite3.Connection, fingerprint: str, source: str, position: int, *, finished: bool = False
) -> None:
    """Note how far a source was read, in the transaction that stores what was read."""
    db.execute(
        "INSERT INTO ingests VALUES (?, ?, ?, ?) ON CONFLICT (fingerprint) DO UPDATE "
        "SET position = excluded.position, finished = excluded.finished",
        (fingerprint, source, position, finished),
    )


def forget_progress(library: Library, fingerprint: str) -> None:
    """Let a source be read again from its start."""
    with library.transaction() as db:
        db.execute("DELETE FROM ingests WHERE fingerprint = ?", (fingerprint,))


def _save_capture(db: sqlite3.Connection, new: Packed) -> None:
    # The same bytes may be handed over as another kind or in another encoding; which one is noted depends on no order.
    # What is stored under a hash is written again if it differs: it may be damaged, and this mends it.
    db.execute(
        "INSERT INTO pages VALUES (?, ?, ?, ?, ?) ON CONFLICT (page_id) DO UPDATE SET "
        "kind = min(kind, excluded.kind), charset = min(charset, excluded.charset), bytes = excluded.bytes, "
        "content = excluded.content WHERE kind > excluded.kind "
        "OR coalesce(charset, '') > coalesce(excluded.charset, '') "
        "OR bytes != excluded.bytes OR content != excluded.content",
        (new.page_id, new.page_kind, new.page_charset, new.page_bytes, new.page),
    )
    for text_id, characters, blob in (
        (new.text_id, new.characters, new.text),
        (new.page_text_id, new.page_characters, new.page_text),
    ):
        db.execute(
            "INSERT INTO texts VALUES (?, ?, ?) ON CONFLICT (text_id) DO UPDATE SET "
            "characters = excluded.characters, content = excluded.content "
            "WHERE characters != excluded.characters OR content != excluded.content",
            (text_id, characters, blob),
        )
    banded = _save_bands(db, new)
    db.execute(
        "INSERT INTO policies (policy_id, url, domain) VALUES (?, ?, ?) "
        "ON CONFLICT (policy_id) DO UPDATE SET url = min(url, excluded.url)",
        (new.policy_id, new.url, new.domain),
    )
    earliest = db.execute(
        "SELECT c.captured_at, c.page_id, v.title, v.p_policy FROM captures c JOIN versions v USING (version_id) "
        "WHERE c.policy_id = ? AND c.version_id = ? ORDER BY c.captured_at, c.page_id LIMIT 1",
        (new.policy_id, new.version_id),
    ).fetchone()
    if earliest is None or (new.captured_at, new.page_id, new.title, new.p_policy) < tuple(earliest):
        _save_version(db, new)
    if earliest is None and not banded:
        # Versions of one policy are not compared with each other; now that another has this text, they are to be.
        db.execute("UPDATE banded SET compared = 0 WHERE text_id = ?", (new.text_id,))
    db.execute(
        "INSERT INTO captures (policy_id, captured_at, version_id, page_id, asked_url, source) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (policy_id, captured_at, version_id) DO UPDATE SET "
        "page_id = min(page_id, excluded.page_id), asked_url = min(asked_url, excluded.asked_url), "
        "source = min(source, excluded.source)",
        (new.policy_id, new.captured_at, new.version_id, new.page_id, new.asked_url, new.source),
    )
    db.execute(
        "UPDATE policies SET current_version = (SELECT version_id FROM captures WHERE policy_id = :policy "
        "ORDER BY captured_at DESC, version_id DESC LIMIT 1) WHERE policy_id = :policy",
        {"policy": new.policy_id},
    )
    db.execute(
        "DELETE FROM rejections WHERE source = ? AND url = ? AND captured_at = ?",
        (new.source, new.asked_url, new.captured_at),
    )


def _save_version(db: sqlite3.Connection, new: Packed) -> None:
    db.execute(
        "INSERT INTO versions (version_id, policy_id, text_id, page_text_id, page_id, title, p_policy, effective_on, "
        "updated_on, words, cleaner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (version_id) DO UPDATE SET "
        "page_text_id = excluded.page_text_id, page_id = excluded.page_id, title = excluded.title, "
        "p_policy = excluded.p_policy, effective_on = excluded.effective_on, updated_on = excluded.updated_on, "
        "words = excluded.words, cleaner = excluded.cleaner",
        (new.version_id, new.policy_id, new.text_id, new.page_text_id, new.page_id, new.title, new.p_policy,
         new.effective_on, new.updated_on, new.words, CLEANER),
    )  # fmt: skip
    forget_annotations(db, new.version_id)  # they speak of the segments that go
    db.execute("DELETE FROM segments WHERE version_id = ?", (new.version_id,))
    db.executemany(
        "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [(new.version_id, *segment) for segment in new.segments]
    )


def _save_bands(db: sqlite3.Connection, new: Packed) -> bool:
    """Note a text's bands; False if they were noted before."""
    inserted = db.execute("INSERT OR IGNORE INTO banded (text_id, shingles) VALUES (?, ?)", (new.text_id, new.shingles))
    if inserted.rowcount:
        db.executemany("INSERT OR IGNORE INTO bands VALUES (?, ?)", [(band, new.text_id) for band in new.bands])
    return inserted.rowcount > 0
