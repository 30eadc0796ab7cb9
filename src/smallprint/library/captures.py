"""When a policy was seen, where, and what arrived: the captures behind its versions."""

from __future__ import annotations

from dataclasses import dataclass

from smallprint.errors import NoSuchVersion
from smallprint.library.file import Library

# Versions that an older cleaner read, but for those that the present one would turn away.
OUTDATED = "successor IS NULL AND cleaner < ?1 AND (turned_away_by IS NULL OR turned_away_by < ?1)"


@dataclass(frozen=True, slots=True)
class CaptureEntry:
    """One time a policy was seen: which version it was, what page arrived and where it was asked for."""

    version_id: str
    captured_at: str
    asked_url: str
    source: str
    page_id: str


def captures(library: Library, policy_id: str, version_id: str | None = None) -> tuple[CaptureEntry, ...]:
    """Give a policy's captures, all or those of one version, the earliest first."""
    rows = library.db.execute(
        "SELECT version_id, captured_at, asked_url, source, page_id FROM captures "
        "WHERE policy_id = :policy AND (:version IS NULL OR version_id = :version) ORDER BY captured_at, version_id",
        {"policy": policy_id, "version": version_id},
    )
    return tuple(CaptureEntry(*row) for row in rows)


def cleaner(library: Library, version_id: str) -> int:
    """Say which cleaner read a version: where two differ, what changed may be our reading and not the policy."""
    row = library.db.execute("SELECT cleaner FROM versions WHERE version_id = ?", (version_id,)).fetchone()
    if row is None:
        raise NoSuchVersion(f"no version {version_id!r} is in the library")
    return int(row["cleaner"])


def outdated_count(library: Library, present: int) -> int:
    """Return how many versions were read by a cleaner older than the present one."""
    return int(library.db.execute(f"SELECT count(*) FROM versions WHERE {OUTDATED}", (present,)).fetchone()[0])  # noqa: S608 - our own words
