"""Pages, texts and comparisons that nobody in the library needs any more, deleted. Call these inside a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable


def delete_unused_pages(db: sqlite3.Connection, page_ids: Iterable[str]) -> int:
    """Delete those of these pages that no capture, version or rejection has, and return how many they were."""
    return sum(
        db.execute(
            "DELETE FROM pages WHERE page_id = :page "
            "AND NOT EXISTS (SELECT 1 FROM captures WHERE page_id = :page) "
            "AND NOT EXISTS (SELECT 1 FROM versions WHERE page_id = :page) "
            "AND NOT EXISTS (SELECT 1 FROM rejections WHERE page_id = :page)",
            {"page": page_id},
        ).rowcount
        for page_id in set(page_ids)
    )


def delete_unused_texts(db: sqlite3.Connection, text_ids: Iterable[str]) -> int:
    """Delete those of these texts that no version has, with their comparisons, and return how many they were."""
    text_ids = set(text_ids)
    forget_comparisons(db, text_ids)
    return sum(
        db.execute(
            "DELETE FROM texts WHERE text_id = :text "
            "AND NOT EXISTS (SELECT 1 FROM versions WHERE text_id = :text) "
            "AND NOT EXISTS (SELECT 1 FROM versions WHERE page_text_id = :text)",
            {"text": text_id},
        ).rowcount
        for text_id in text_ids
    )


def forget_comparisons(db: sqlite3.Connection, text_ids: Iterable[str]) -> None:
    """Forget what the search for near-duplicates noted of texts that are no policy's any more.

    The text of a version that was replaced stays readable, but is no policy's.
    """
    for text_id in set(text_ids):
        is_used = "SELECT 1 FROM versions WHERE text_id = ? AND successor IS NULL LIMIT 1"
        if db.execute(is_used, (text_id,)).fetchone():
            continue
        db.execute("DELETE FROM alike WHERE one = ?", (text_id,))
        db.execute("DELETE FROM alike WHERE other = ?", (text_id,))
        db.execute("DELETE FROM bands WHERE text_id = ?", (text_id,))
        db.execute("DELETE FROM banded WHERE text_id = ?", (text_id,))
