"""Versions that were replaced when their pages were read again: what took their place, and what they were."""

from __future__ import annotations

from smallprint.errors import NoSuchVersion
from smallprint.library.file import Library
from smallprint.library.reading import VersionEntry


def successors(library: Library, policy_id: str) -> dict[str, str]:
    """Return what each replaced version of a policy leads to today; successors are followed to the last."""
    steps = dict(
        library.db.execute(
            "SELECT version_id, successor FROM versions WHERE policy_id = ? AND successor IS NOT NULL", (policy_id,)
        ).fetchall()
    )
    return {version_id: _last(steps, version_id) for version_id in sorted(steps)}


def replaced_version(library: Library, version_id: str, successor: VersionEntry) -> VersionEntry:
    """Return a replaced version as it was; it was seen when its successor was."""
    row = library.db.execute("SELECT * FROM versions WHERE version_id = ?", (version_id,)).fetchone()
    if row is None:
        raise NoSuchVersion(f"no version {version_id!r} is in the library")
    return VersionEntry(
        row["version_id"], row["text_id"], row["page_id"], row["title"], row["p_policy"], row["effective_on"],
        row["updated_on"], row["words"], successor.first_seen, successor.last_seen,
    )  # fmt: skip


def _last(steps: dict[str, str], version_id: str) -> str:
    while version_id in steps:
        version_id = steps[version_id]
    return version_id
