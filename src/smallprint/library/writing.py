"""What comes out of the clean stage, written into the library; the outcome does not depend on the order of arrival.

What takes a connection is called inside a transaction. Pages, texts and comparisons that nobody needs are deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from smallprint.library.annotations import forget_annotations, forget_annotations_of_links
from smallprint.library.file import Connection, Library, insert
from smallprint.library.packing import Packed, moment
from smallprint.records import PackedPage, Rejection

_VERSION = (
    "version_id policy_id text_id page_text_id page_id title p_policy effective_on updated_on words cleaner links "
    "language documents"
).split()
_CAPTURE = "policy_id captured_at version_id page_id asked_url source given_title language".split()
_REJECTION = "source url captured_at reason detail page_id final_url given_title kept_bytes cleaner".split()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a source has been read."""

    position: int
    finished: bool


def progress(library: Library, fingerprint: str) -> Progress:
    """Return how far a source was read before."""
    query = "SELECT position, finished FROM ingests WHERE fingerprint = ?"
    return library.db.record(Progress, query, fingerprint) or Progress(0, finished=False)


def note_progress(db: Connection, fingerprint: str, source: str, position: int, *, finished: bool = False) -> None:
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


def save(db: Connection, results: Iterable[Packed | Rejection], *, rejected_bytes: int = 0) -> None:
    """Write a batch; the pages of all rejections may take so many bytes, what has no room is noted without its page."""
    room: int | None = None
    for result in results:
        if isinstance(result, Packed):
            _save_new(db, result)
            continue
        if room is None:  # the same page counts for each rejection that has it
            used = db.value("SELECT coalesce(sum(kept_bytes), 0) FROM rejections WHERE page_id IS NOT NULL")
            room = rejected_bytes - int(used)
        room -= _save_rejection(db, result, room)


def _save_new(db: Connection, new: Packed) -> None:
    """Write a capture with its page; a page that was read again before stays with the version it was read as."""
    _save_page(db, new.page)
    known_version = db.value(
        "SELECT c.version_id FROM captures c JOIN versions v USING (version_id) "
        "WHERE c.page_id = ? AND c.policy_id = ? AND c.version_id != ? "
        "AND (v.cleaner < ? OR EXISTS (SELECT 1 FROM versions o WHERE o.successor = v.version_id)) "
        "ORDER BY c.captured_at, c.version_id LIMIT 1",
        *(new.page_id, new.policy_id, new.version_id, new.cleaner),
    )
    if known_version:
        _save_capture_row(db, replace(new, version_id=known_version))
    else:
        save_capture(db, new)
    pages = db.column(
        "DELETE FROM rejections WHERE source = ? AND url = ? AND captured_at = ? RETURNING page_id",
        *(new.source, new.asked_url, new.captured_at),
    )
    delete_unused_pages(db, filter(None, pages))


def save_capture(db: Connection, new: Packed) -> None:
    """Write a capture whose page is stored."""
    db.executemany(
        "INSERT INTO texts VALUES (?, ?, ?) ON CONFLICT (text_id) DO UPDATE SET "
        "characters = excluded.characters, content = excluded.content "
        "WHERE characters != excluded.characters OR content != excluded.content",
        new.texts,
    )
    banded = db.execute("INSERT OR IGNORE INTO banded (text_id, shingles) VALUES (?, ?)", (new.text_id, new.shingles))
    if banded.rowcount:
        db.executemany("INSERT OR IGNORE INTO bands VALUES (?, ?)", [(band, new.text_id) for band in new.bands])
    elif not db.value("SELECT 1 FROM versions WHERE version_id = ? AND successor IS NULL", new.version_id):
        # Versions of one policy are not compared with each other; now that another has this text, they are to be.
        db.execute("UPDATE banded SET compared = 0 WHERE text_id = ?", (new.text_id,))
    db.execute(
        "INSERT INTO policies (policy_id, url, domain) VALUES (?, ?, ?) "
        "ON CONFLICT (policy_id) DO UPDATE SET url = min(url, excluded.url)",
        (new.policy_id, new.url, new.domain),
    )
    earliest = db.row(
        "SELECT c.captured_at, c.page_id, v.title, v.p_policy, coalesce(v.links, '') FROM captures c "
        "JOIN versions v USING (version_id) WHERE c.policy_id = ? AND c.version_id = ? "
        "ORDER BY c.captured_at, c.page_id LIMIT 1",
        *(new.policy_id, new.version_id),
    )
    if earliest is None or (new.captured_at, new.page_id, new.title, new.p_policy, new.links) < tuple(earliest):
        _save_version(db, new)
    _save_capture_row(db, new)


def _save_capture_row(db: Connection, new: Packed) -> None:
    db.execute(
        f"{insert('captures', _CAPTURE)} ON CONFLICT (policy_id, captured_at, version_id) DO UPDATE SET "
        "page_id = min(page_id, excluded.page_id), asked_url = min(asked_url, excluded.asked_url), "
        "source = min(source, excluded.source), language = excluded.language, given_title = "
        "min(coalesce(given_title, excluded.given_title), coalesce(excluded.given_title, given_title))",
        [getattr(new, column) for column in _CAPTURE],
    )
    db.execute(
        "UPDATE policies SET current_version = (SELECT version_id FROM captures WHERE policy_id = :policy "
        "ORDER BY captured_at DESC, version_id DESC LIMIT 1) WHERE policy_id = :policy",
        {"policy": new.policy_id},
    )


def _save_version(db: Connection, new: Packed) -> None:
    if not _reads_alike(db, new):
        forget_annotations(db, new.version_id)  # they speak of what goes
        db.execute("DELETE FROM segments WHERE version_id = ?", (new.version_id,))
    elif not db.value("SELECT 1 FROM versions WHERE version_id = ? AND links IS ?", new.version_id, new.links):
        forget_annotations_of_links(db, new.version_id)
    db.execute(
        f"{_replace('versions', _VERSION, 1)}, successor = NULL, replaced_at = NULL, turned_away_by = NULL, "
        "turned_away_for = NULL",
        [getattr(new, column) for column in _VERSION],
    )
    db.executemany(
        "INSERT OR IGNORE INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(new.version_id, *segment) for segment in new.segments],
    )


def _reads_alike(db: Connection, new: Packed) -> bool:
    """Return whether the annotate stage would read of a stored version just what it reads of this capture."""
    row = db.row("SELECT title, page_text_id FROM versions WHERE version_id = ?", new.version_id)
    if row is None or tuple(row) != (new.title, new.page_text_id):
        return False
    segments = db.execute(
        'SELECT ordinal, kind, start, "end", headings, lead_in, sentences FROM segments WHERE version_id = ? '
        "ORDER BY ordinal",
        (new.version_id,),
    )
    return [tuple(segment) for segment in segments] == list(new.segments)


def _save_rejection(db: Connection, new: Rejection, room: int) -> int:
    """Write a rejection, its page only if it fits into so many bytes; return how many bytes more are in use now."""
    key = (new.source, new.url, moment(new.fetched_at))
    query = "SELECT page_id, coalesce(kept_bytes, 0) FROM rejections WHERE source = ? AND url = ? AND captured_at = ?"
    old_page, old_bytes = db.row(query, *key) or (None, 0)
    page = new.page if new.page and len(new.page.content) <= room + old_bytes else None
    if page and old_page and old_page < page.page_id:  # of two at one time the first by name, in any order of arrival
        return 0
    if page:
        _save_page(db, page)
    kept = (page.page_id, page.final_url, page.title, len(page.content), page.cleaner) if page else (None,) * 5
    db.execute(_replace("rejections", _REJECTION, len(key)), (*key, str(new.reason), new.detail, *kept))
    if old_page:
        delete_unused_pages(db, [old_page])
    return (len(page.content) if page else 0) - old_bytes


def _save_page(db: Connection, page: PackedPage) -> None:
    """Write a page, mending one that is damaged; which kind and encoding is noted depends on no order of arrival."""
    db.execute(
        "INSERT INTO pages VALUES (?, ?, ?, ?, ?) ON CONFLICT (page_id) DO UPDATE SET "
        "kind = min(kind, excluded.kind), charset = min(charset, excluded.charset), bytes = excluded.bytes, "
        "content = excluded.content WHERE kind > excluded.kind "
        "OR coalesce(charset, '') > coalesce(excluded.charset, '') "
        "OR bytes != excluded.bytes OR content != excluded.content",
        (page.page_id, page.kind, page.charset, page.size, page.content),
    )


def _replace(table: str, columns: Sequence[str], keys: int) -> str:
    """Return a statement that inserts a row, or changes the one that has the same key: its first columns."""
    updates = ", ".join(f"{column} = excluded.{column}" for column in columns[keys:])
    return f"{insert(table, columns)} ON CONFLICT ({', '.join(columns[:keys])}) DO UPDATE SET {updates}"


def delete_unused_pages(db: Connection, page_ids: Iterable[str]) -> int:
    """Delete those of these pages that no capture, version or rejection has, and return how many they were."""
    return _delete_unused(db, "pages.page_id", page_ids, "captures.page_id", "versions.page_id", "rejections.page_id")


def delete_unused_texts(db: Connection, text_ids: Iterable[str]) -> int:
    """Delete those of these texts that no version has, with their comparisons, and return how many they were."""
    text_ids = set(text_ids)
    forget_comparisons(db, text_ids)
    return _delete_unused(db, "texts.text_id", text_ids, "versions.text_id", "versions.page_text_id")


def forget_comparisons(db: Connection, text_ids: Iterable[str]) -> None:
    """Forget what the search for near-duplicates noted of texts that are no policy's, or only a replaced version's."""
    for text_id in set(text_ids):
        if not db.value("SELECT 1 FROM versions WHERE text_id = ? AND successor IS NULL LIMIT 1", text_id):
            for column in ("alike.one", "alike.other", "bands.text_id", "banded.text_id"):
                db.execute(f"DELETE FROM {column.partition('.')[0]} WHERE {column} = ?", (text_id,))  # noqa: S608 - our own names


def _delete_unused(db: Connection, column: str, ids: Iterable[str], *users: str) -> int:
    """Delete the rows with these ids that no value of these columns, each with its table's name, refers to."""
    unused = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM {user.partition('.')[0]} WHERE {user} = :id)"  # noqa: S608 - our own names
        for user in users
    )
    delete = f"DELETE FROM {column.partition('.')[0]} WHERE {column} = :id AND {unused}"  # noqa: S608 - our own names
    return sum(db.execute(delete, {"id": content_id}).rowcount for content_id in set(ids))
