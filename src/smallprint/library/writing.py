"""What comes out of the clean stage, written into the library; the outcome does not depend on the order of arrival."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from smallprint.library.annotations import forget_annotations
from smallprint.library.file import Library
from smallprint.library.packing import Packed
from smallprint.library.rejected import delete_rejection, kept_bytes, save_page, save_rejection
from smallprint.records import Rejection


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a source has been read."""

    position: int
    finished: bool


def save(db: sqlite3.Connection, results: Iterable[Packed | Rejection], *, rejected_bytes: int = 0) -> None:
    """Write a batch of captures and rejections; call it inside a transaction.

    The pages of all rejections together may take `rejected_bytes`; what has no room is noted without its page.
    """
    room: int | None = None
    for result in results:
        if isinstance(result, Rejection):
            room = rejected_bytes - kept_bytes(db) if room is None else room
            room -= save_rejection(db, result, room)
        else:
            _save_new(db, result)


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


def _save_new(db: sqlite3.Connection, new: Packed) -> None:
    """Write a capture with its page; a page that was read again before stays with the version it was read as."""
    save_page(db, new.page_id, new.page_kind, new.page_charset, new.page_bytes, new.page)
    known = db.execute(
        "SELECT c.version_id FROM captures c JOIN versions v USING (version_id) "
        "WHERE c.page_id = ? AND c.policy_id = ? AND c.version_id != ? "
        "AND (v.cleaner < ? OR EXISTS (SELECT 1 FROM versions o WHERE o.successor = v.version_id)) "
        "ORDER BY c.captured_at, c.version_id LIMIT 1",
        (new.page_id, new.policy_id, new.version_id, new.cleaner),
    ).fetchone()
    if known:
        _save_capture_row(db, new, known["version_id"])
    else:
        save_capture(db, new)
    delete_rejection(db, new.source, new.asked_url, new.captured_at)


def save_capture(db: sqlite3.Connection, new: Packed) -> None:
    """Write a capture whose page is stored; call it inside a transaction."""
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
    is_known = db.execute(
        "SELECT 1 FROM versions WHERE version_id = ? AND successor IS NULL", (new.version_id,)
    ).fetchone()
    if not is_known and not banded:
        # Versions of one policy are not compared with each other; now that another has this text, they are to be.
        db.execute("UPDATE banded SET compared = 0 WHERE text_id = ?", (new.text_id,))
    earliest = db.execute(
        "SELECT c.captured_at, c.page_id, v.title, v.p_policy FROM captures c JOIN versions v USING (version_id) "
        "WHERE c.policy_id = ? AND c.version_id = ? ORDER BY c.captured_at, c.page_id LIMIT 1",
        (new.policy_id, new.version_id),
    ).fetchone()
    if earliest is None or (new.captured_at, new.page_id, new.title, new.p_policy) < tuple(earliest):
        _save_version(db, new)
    _save_capture_row(db, new, new.version_id)


def _save_capture_row(db: sqlite3.Connection, new: Packed, version_id: str) -> None:
    db.execute(
        "INSERT INTO captures (policy_id, captured_at, version_id, page_id, asked_url, source, given_title) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (policy_id, captured_at, version_id) DO UPDATE SET "
        "page_id = min(page_id, excluded.page_id), asked_url = min(asked_url, excluded.asked_url), "
        "source = min(source, excluded.source), given_title = min(coalesce(given_title, excluded.given_title), "
        "coalesce(excluded.given_title, given_title))",
        (new.policy_id, new.captured_at, version_id, new.page_id, new.asked_url, new.source, new.given_title),
    )
    db.execute(
        "UPDATE policies SET current_version = (SELECT version_id FROM captures WHERE policy_id = :policy "
        "ORDER BY captured_at DESC, version_id DESC LIMIT 1) WHERE policy_id = :policy",
        {"policy": new.policy_id},
    )


def _save_version(db: sqlite3.Connection, new: Packed) -> None:
    if not _reads_alike(db, new):
        forget_annotations(db, new.version_id)  # they speak of what goes
        db.execute("DELETE FROM segments WHERE version_id = ?", (new.version_id,))
    db.execute(
        "INSERT INTO versions (version_id, policy_id, text_id, page_text_id, page_id, title, p_policy, effective_on, "
        "updated_on, words, cleaner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (version_id) DO UPDATE SET "
        "page_text_id = excluded.page_text_id, page_id = excluded.page_id, title = excluded.title, "
        "p_policy = excluded.p_policy, effective_on = excluded.effective_on, updated_on = excluded.updated_on, "
        "words = excluded.words, cleaner = excluded.cleaner, successor = NULL, replaced_at = NULL, "
        "turned_away_by = NULL, turned_away_for = NULL",
        (new.version_id, new.policy_id, new.text_id, new.page_text_id, new.page_id, new.title, new.p_policy,
         new.effective_on, new.updated_on, new.words, new.cleaner),
    )  # fmt: skip
    db.executemany(
        "INSERT OR IGNORE INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(new.version_id, *segment) for segment in new.segments],
    )


def _reads_alike(db: sqlite3.Connection, new: Packed) -> bool:
    """Tell whether the annotate stage would read of a stored version just what it reads of this capture."""
    row = db.execute("SELECT title, page_text_id FROM versions WHERE version_id = ?", (new.version_id,)).fetchone()
    if row is None or tuple(row) != (new.title, new.page_text_id):
        return False
    segments = db.execute(
        'SELECT ordinal, kind, start, "end", headings, lead_in, sentences FROM segments WHERE version_id = ? '
        "ORDER BY ordinal",
        (new.version_id,),
    )
    return [tuple(segment) for segment in segments] == list(new.segments)


def _save_bands(db: sqlite3.Connection, new: Packed) -> bool:
    """Note a text's bands; False if they were noted before."""
    inserted = db.execute("INSERT OR IGNORE INTO banded (text_id, shingles) VALUES (?, ?)", (new.text_id, new.shingles))
    if inserted.rowcount:
        db.executemany("INSERT OR IGNORE INTO bands VALUES (?, ?)", [(band, new.text_id) for band in new.bands])
    return inserted.rowcount > 0
