"""Versions that could not be annotated, and why: they are left out until their annotators change or somebody asks."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from smallprint.annotate.annotating import Annotator
from smallprint.library.file import Library
from smallprint.records import SetAsideReason


@dataclass(frozen=True, slots=True)
class SetAsideVersion:
    """A version without annotations, and what went wrong when they were made."""

    version_id: str
    policy_id: str
    url: str
    reason: SetAsideReason
    detail: str


def set_aside(
    db: sqlite3.Connection, version_id: str, wanted: Sequence[Annotator], reason: SetAsideReason, detail: str
) -> None:
    """Note that these annotators cannot read a version; call it inside a transaction."""
    db.execute(
        "INSERT OR REPLACE INTO set_aside (version_id, reason, detail, annotators) VALUES (?, ?, ?, ?)",
        (version_id, reason.value, detail, _names(wanted)),
    )


def take_back(db: sqlite3.Connection, version_id: str) -> None:
    """Forget that a version was set aside, since it is annotated now; call it inside a transaction."""
    db.execute("DELETE FROM set_aside WHERE version_id = ?", (version_id,))


def is_set_aside(library: Library, version_id: str, wanted: Sequence[Annotator]) -> bool:
    """Tell whether these very annotators failed on a version; a newer model may succeed."""
    row = library.db.execute("SELECT annotators FROM set_aside WHERE version_id = ?", (version_id,)).fetchone()
    return row is not None and row["annotators"] == _names(wanted)


def set_aside_versions(library: Library) -> tuple[SetAsideVersion, ...]:
    """Return the versions that were set aside, by address."""
    rows = library.db.execute(
        "SELECT version_id, policy_id, url, reason, detail FROM set_aside JOIN versions USING (version_id) "
        "JOIN policies USING (policy_id) ORDER BY url, version_id"
    )
    return tuple(
        SetAsideVersion(row["version_id"], row["policy_id"], row["url"], SetAsideReason(row["reason"]), row["detail"])
        for row in rows
    )


def _names(annotators: Sequence[Annotator]) -> str:
    return "\n".join(f"{made.kind} {made.model} {made.version}" for made in annotators)
