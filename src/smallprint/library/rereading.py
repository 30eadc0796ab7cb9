"""Stored pages that an older cleaner read: which they are, and how today's reading takes the place of the old one.

One old version becomes one new version, read from the page of its earliest capture. So a difference between two pages
that used to read alike is never taken for a change of the policy's.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from smallprint.domains import policy_id as id_of
from smallprint.errors import BadAddress, DamagedText
from smallprint.library.annotations import forget_annotations
from smallprint.library.captures import OUTDATED
from smallprint.library.file import Library
from smallprint.library.leftovers import delete_unused_texts, forget_comparisons
from smallprint.library.packing import Packed, version_id
from smallprint.library.reading import page
from smallprint.library.writing import save_capture
from smallprint.records import Page, Reason, Rejection


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """A version to be read again, with its page as it arrived; a damaged page comes as a rejection.

    `title` is the stored one where it is not known whether the source gave a title, and then it stays.
    """

    policy_id: str
    version_id: str
    page: Page | Rejection
    title: str | None


@dataclass(frozen=True, slots=True)
class KeptVersion:
    """A version that the present cleaner would turn away; it is kept as an older one read it."""

    version_id: str
    reason: str


def outdated_policies(library: Library, cleaner: int) -> list[str]:
    """Return the policies of which an older cleaner read some version."""
    rows = library.db.execute(
        f"SELECT DISTINCT policy_id FROM versions WHERE {OUTDATED} ORDER BY policy_id",  # noqa: S608 - our own words
        (cleaner,),
    )
    return [row["policy_id"] for row in rows]


def outdated_versions(library: Library, policy_id: str, cleaner: int) -> Iterator[StoredVersion]:
    """Yield a policy's versions that an older cleaner read, each with the page of its earliest capture."""
    versions = library.db.execute(
        "SELECT v.version_id, v.title, v.page_id, p.url, g.kind, g.charset FROM versions v "  # noqa: S608 - our own words
        f"JOIN policies p USING (policy_id) JOIN pages g USING (page_id) WHERE {OUTDATED} AND v.policy_id = ?2 "
        "ORDER BY v.version_id",
        (cleaner, policy_id),
    ).fetchall()
    for row in versions:
        seen = library.db.execute(
            "SELECT asked_url, source, captured_at, given_title FROM captures "
            "WHERE policy_id = ? AND version_id = ? ORDER BY page_id != ?, captured_at LIMIT 1",
            (policy_id, row["version_id"], row["page_id"]),
        ).fetchone()
        title, url = seen["given_title"], _address(policy_id, seen["asked_url"], row["url"])
        arrived: Page | Rejection
        try:
            arrived = Page(
                url, page(library, row["page_id"]), row["kind"], seen["source"], seen["captured_at"],
                charset=row["charset"], title=title or None,
            )  # fmt: skip
        except DamagedText as error:
            arrived = Rejection(url, Reason.UNREADABLE, str(error), seen["source"], seen["captured_at"])
        yield StoredVersion(policy_id, row["version_id"], arrived, row["title"] if title is None else None)


def outdated_rejections(library: Library, cleaner: int) -> Iterator[Page]:
    """Yield the pages, among those kept, that an older cleaner turned away; damaged ones are left out."""
    rows = library.db.execute(
        "SELECT r.url, r.page_id, g.kind, r.source, r.captured_at, r.final_url, g.charset, r.given_title "
        "FROM rejections r JOIN pages g USING (page_id) WHERE r.cleaner < ? ORDER BY r.source, r.url, r.captured_at",
        (cleaner,),
    ).fetchall()
    for row in rows:
        with suppress(DamagedText):
            yield Page(
                row["url"], page(library, row["page_id"]), row["kind"], row["source"], row["captured_at"],
                row["final_url"], row["charset"], row["given_title"] or None,
            )  # fmt: skip


def replace_versions(
    db: sqlite3.Connection, policy_id: str, readings: Mapping[str, Packed | Rejection], cleaner: int, now: str
) -> int:
    """Put today's readings of versions, by id, in the place of the old ones; return how many ids changed.

    A version that would be turned away is kept. Call this inside a transaction, with all outdated versions of a policy.
    """
    for old, rejection in readings.items():
        if isinstance(rejection, Rejection):
            db.execute(
                "UPDATE versions SET turned_away_by = ?, turned_away_for = ? WHERE version_id = ?",
                (cleaner, f"{rejection.reason}: {rejection.detail}", old),
            )
    read = {
        old: replace(new, policy_id=policy_id, version_id=version_id(policy_id, new.text_id))
        for old, new in readings.items()
        if isinstance(new, Packed)
    }
    _move_captures(db, policy_id, read)
    replaced = {old: new.version_id for old, new in read.items() if not _is_seen(db, policy_id, old)}
    for old, new in replaced.items():
        _set_successor(db, old, new, now)
    return len(replaced)


def kept_versions(library: Library, cleaner: int) -> tuple[KeptVersion, ...]:
    """Return the versions that this cleaner would turn away, and why."""
    rows = library.db.execute(
        "SELECT version_id, turned_away_for FROM versions WHERE turned_away_by = ? AND successor IS NULL "
        "ORDER BY version_id",
        (cleaner,),
    )
    return tuple(KeptVersion(row["version_id"], row["turned_away_for"]) for row in rows)


def _move_captures(db: sqlite3.Connection, policy_id: str, read: Mapping[str, Packed]) -> None:
    """Give the captures of versions to what these read as now, as if they were stored for the first time."""
    moved = []
    page_texts = []
    for old, reading in read.items():
        page_texts += db.execute("SELECT page_text_id FROM versions WHERE version_id = ?", (old,)).fetchone()
        captures = db.execute(
            "DELETE FROM captures WHERE policy_id = ? AND version_id = ? "
            "RETURNING captured_at, page_id, asked_url, source, given_title",
            (policy_id, old),
        ).fetchall()
        moved += [replace(reading, **dict(capture)) for capture in captures]
    (url,) = db.execute("SELECT url FROM policies WHERE policy_id = ?", (policy_id,)).fetchone()
    for capture in moved:
        save_capture(db, replace(capture, url=url))
    delete_unused_texts(db, page_texts)


def _is_seen(db: sqlite3.Connection, policy_id: str, version_id: str) -> bool:
    captures = "SELECT 1 FROM captures WHERE policy_id = ? AND version_id = ? LIMIT 1"
    return db.execute(captures, (policy_id, version_id)).fetchone() is not None


def _set_successor(db: sqlite3.Connection, old: str, new: str, now: str) -> None:
    """Let a version that has no captures any more lead to what took its place.

    The successor has captures, so that it leads nowhere itself: no circle can arise.
    """
    db.execute("UPDATE versions SET successor = ?, replaced_at = ? WHERE version_id = ?", (new, now, old))
    forget_annotations(db, old)
    forget_comparisons(db, db.execute("SELECT text_id FROM versions WHERE version_id = ?", (old,)).fetchone())


def _address(policy_id: str, asked: str, url: str) -> str:
    """Return the address a page was read under: the one asked for, unless a redirect led to another policy's."""
    try:
        return asked if id_of(asked) == policy_id else url
    except BadAddress:
        return url
