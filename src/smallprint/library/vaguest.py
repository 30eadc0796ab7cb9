"""The policies that are vaguest, or plainest, among those that have a practice and are of certain sectors."""

from __future__ import annotations

from collections.abc import Sequence

from smallprint.library.file import Library

# With fewer sentences a single one moves the share too much.
LEAST_SENTENCES = 10


def vaguest(
    library: Library, practice: str | None, sectors: Sequence[str], most: int, *, plainest: bool = False
) -> tuple[str, ...]:
    """Give the ids of policies by their share of vague sentences; near-duplicates stand for themselves once."""
    marks = ", ".join("?" * len(sectors)) or "NULL"
    rows = library.db.execute(
        "SELECT p.policy_id FROM policies p JOIN measures m ON m.version_id = p.current_version "  # noqa: S608 - our own words
        "LEFT JOIN companies c ON c.domain = p.domain "
        "WHERE p.copy_of IS NULL AND p.folded_under IS NULL AND m.sentences >= ? "
        "AND (? IS NULL OR EXISTS (SELECT 1 FROM practised t WHERE t.version_id = m.version_id AND t.label = ?)) "
        f"AND (? OR coalesce(c.sector, m.sector) IN ({marks})) "
        f"ORDER BY 1.0 * m.vague / m.sentences {'ASC' if plainest else 'DESC'}, p.policy_id LIMIT ?",
        (LEAST_SENTENCES, practice, practice, not sectors, *sectors, most),
    )
    return tuple(row["policy_id"] for row in rows)
