"""Rejections in the library, with the bytes of the page as long as there is room, so that it can be judged again."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from smallprint.library.file import Library
from smallprint.library.leftovers import delete_unused_pages
from smallprint.library.packing import moment
from smallprint.records import PageKind, Reason, Rejection

# What another cleaner, classifier or setting may judge differently. The others were never read as pages: a page that
# is too large is not worth its room, and the rest has no bytes.
JUDGED_AGAIN = frozenset({Reason.UNREADABLE, Reason.TOO_SHORT, Reason.NOT_ENGLISH, Reason.NOT_POLICY, Reason.MOVED})


@dataclass(frozen=True, slots=True)
class KeptRejections:
    """How many rejections could be judged again: those kept with their pages, in so many bytes, and those without."""

    with_page: int
    bytes: int
    without_page: int


def save_rejection(db: sqlite3.Connection, new: Rejection, room: int) -> int:
    """Write a rejection, its page only if it fits into so many bytes; return how many bytes more are in use now.

    Of two pages under one address at one time the one that comes first by name is kept, whichever arrived first.
    """
    key = (new.source, new.url, moment(new.fetched_at))
    old = db.execute(
        "SELECT page_id, kept_bytes FROM rejections WHERE source = ? AND url = ? AND captured_at = ?", key
    ).fetchone()
    old_page, old_bytes = (old["page_id"], old["kept_bytes"] or 0) if old else (None, 0)
    page = new.page if new.page and len(new.page.content) <= room + old_bytes else None
    if page and old_page and old_page < page.page_id:
        return 0
    if page:
        save_page(db, page.page_id, page.kind, page.charset, page.size, page.content)
    kept = (page.page_id, page.final_url, page.title, len(page.content), page.cleaner) if page else (None,) * 5
    db.execute(
        "INSERT INTO rejections (source, url, captured_at, reason, detail, page_id, final_url, given_title, "
        "kept_bytes, cleaner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (source, url, captured_at) DO UPDATE SET reason = excluded.reason, detail = excluded.detail, "
        "page_id = excluded.page_id, final_url = excluded.final_url, given_title = excluded.given_title, "
        "kept_bytes = excluded.kept_bytes, cleaner = excluded.cleaner",
        (*key, str(new.reason), new.detail, *kept),
    )
    if old_page:
        delete_unused_pages(db, [old_page])
    return (len(page.content) if page else 0) - old_bytes


def save_page(
    db: sqlite3.Connection, page_id: str, kind: PageKind, charset: str | None, size: int, content: bytes
) -> None:
    """Write a page; which kind and encoding of the same bytes is noted depends on no order.

    What is stored under a hash is written again if it differs: it may be damaged, and this mends it.
    """
    db.execute(
        "INSERT INTO pages VALUES (?, ?, ?, ?, ?) ON CONFLICT (page_id) DO UPDATE SET "
        "kind = min(kind, excluded.kind), charset = min(charset, excluded.charset), bytes = excluded.bytes, "
        "content = excluded.content WHERE kind > excluded.kind "
        "OR coalesce(charset, '') > coalesce(excluded.charset, '') "
        "OR bytes != excluded.bytes OR content != excluded.content",
        (page_id, kind, charset, size, content),
    )


def delete_rejection(db: sqlite3.Connection, source: str, url: str, captured_at: str) -> None:
    """Delete a rejection, if there is one, and its page if nobody else has it."""
    for row in db.execute(
        "DELETE FROM rejections WHERE source = ? AND url = ? AND captured_at = ? RETURNING page_id",
        (source, url, captured_at),
    ).fetchall():
        if row["page_id"]:
            delete_unused_pages(db, [row["page_id"]])


def kept_bytes(db: sqlite3.Connection) -> int:
    """Return how many bytes the pages of rejections take, compressed; the same page counts for each of them."""
    row = db.execute("SELECT coalesce(sum(kept_bytes), 0) FROM rejections WHERE page_id IS NOT NULL").fetchone()
    return int(row[0])


def kept_rejections(library: Library) -> KeptRejections:
    """Count the rejections that could be judged again."""
    reasons = sorted(str(reason) for reason in JUDGED_AGAIN)
    marks = ", ".join("?" * len(reasons))
    row = library.db.execute(
        "SELECT count(page_id) AS with_page, coalesce(sum(kept_bytes), 0) AS bytes, "  # noqa: S608 - our own words
        f"count(*) - count(page_id) AS without_page FROM rejections WHERE reason IN ({marks})",
        reasons,
    ).fetchone()
    return KeptRejections(row["with_page"], row["bytes"], row["without_page"])
