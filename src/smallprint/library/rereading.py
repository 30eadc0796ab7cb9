"""Stored pages that an older cleaner read: which they are, and how today's reading takes the place of the old one.

One version becomes one, read from its earliest page: how pages differ that used to read alike is no change of a policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from smallprint.domains import policy_id as id_of
from smallprint.errors import BadAddress, DamagedText
from smallprint.library.annotations import forget_annotations
from smallprint.library.file import Connection, Library
from smallprint.library.packing import Packed, version_id
from smallprint.library.reading import OUTDATED, page
from smallprint.library.writing import delete_unused_texts, forget_comparisons, save_capture
from smallprint.records import Page, PageKind, Reason, Rejection


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """A version to be read again, with its page; `title` is there, and stays, if nobody knows whether one was given."""

    policy_id: str
    version_id: str
    page: Page | Rejection
    title: str | None


@dataclass(frozen=True, slots=True)
class KeptVersion:
    """A version that the present cleaner would turn away; it is kept as an older one read it."""

    version_id: str
    reason: str


def outdated_policies(library: Library, cleaner: int) -> dict[str, int]:
    """Return how many versions of each policy an older cleaner read, where it read any."""
    query = f"SELECT policy_id, count(*) FROM versions WHERE {OUTDATED} GROUP BY policy_id ORDER BY policy_id"  # noqa: S608 - our own words
    return dict(library.db.execute(query, (cleaner,)).fetchall())


def outdated_versions(library: Library, policy_id: str, cleaner: int) -> Iterator[StoredVersion]:
    """Yield a policy's versions that an older cleaner read, each with the page of its earliest capture."""
    versions = library.db.execute(
        "SELECT v.version_id, v.title, p.url, v.page_id, g.kind, g.charset FROM versions v "  # noqa: S608 - our own words
        f"JOIN policies p USING (policy_id) JOIN pages g USING (page_id) WHERE {OUTDATED} AND v.policy_id = ? "
        "ORDER BY v.version_id",
        (cleaner, policy_id),
    ).fetchall()
    for old, title, policy_url, page_id, kind, charset in versions:
        asked_url, source, captured_at, given_title = library.db.execute(
            "SELECT asked_url, source, captured_at, given_title FROM captures "
            "WHERE policy_id = ? AND version_id = ? ORDER BY page_id != ?, captured_at LIMIT 1",
            (policy_id, old, page_id),
        ).fetchone()
        url = policy_url
        with suppress(BadAddress):  # the address asked for, unless a redirect led to another policy's
            url = asked_url if id_of(asked_url) == policy_id else policy_url
        arrived = _arrived(library, page_id, url, kind, source, captured_at, None, charset, given_title or None)
        yield StoredVersion(policy_id, old, arrived, title if given_title is None else None)


def outdated_rejections(library: Library, cleaner: int) -> Iterator[Page]:
    """Yield the pages, among those kept, that an older cleaner turned away; damaged ones are left out."""
    rows = library.db.execute(
        "SELECT r.page_id, r.url, g.kind, r.source, r.captured_at, r.final_url, g.charset, nullif(r.given_title, '') "
        "FROM rejections r JOIN pages g USING (page_id) WHERE r.cleaner < ? ORDER BY r.source, r.url, r.captured_at",
        (cleaner,),
    ).fetchall()
    for row in rows:
        arrived = _arrived(library, *row)
        if isinstance(arrived, Page):
            yield arrived


def _arrived(
    library: Library, page_id: str, url: str, kind: PageKind, source: str, at: str, *known: str | None
) -> Page | Rejection:
    """Return a stored page as it arrived, with its last address, charset and title; a damaged one as a rejection."""
    try:
        return Page(url, page(library, page_id), kind, source, at, *known)
    except DamagedText as error:
        return Rejection(url, Reason.UNREADABLE, str(error), source, at)


def replace_versions(
    db: Connection, policy_id: str, readings: Mapping[str, Packed | Rejection], cleaner: int, now: str
) -> int:
    """Put today's readings of versions, by id, in the place of the old ones; return how many ids changed.

    A version that would be turned away is kept. Call this inside a transaction, with all outdated versions of a policy.
    """
    (url,) = db.column("SELECT url FROM policies WHERE policy_id = ?", policy_id)
    read: dict[str, str] = {}
    captures: list[Packed] = []
    page_texts: list[str] = []
    for old, new in readings.items():
        if isinstance(new, Rejection):
            turn_away = "UPDATE versions SET turned_away_by = ?, turned_away_for = ? WHERE version_id = ?"
            db.execute(turn_away, (cleaner, f"{new.reason}: {new.detail}", old))
            continue
        read[old] = version_id(policy_id, new.text_id)
        known = replace(new, policy_id=policy_id, version_id=read[old], url=url)
        page_texts += db.column("SELECT page_text_id FROM versions WHERE version_id = ?", old)
        rows = db.execute(
            "DELETE FROM captures WHERE policy_id = ? AND version_id = ? "
            "RETURNING captured_at, page_id, asked_url, source, given_title",
            (policy_id, old),
        ).fetchall()
        captures += [replace(known, **dict(row)) for row in rows]
    for capture in captures:  # as if they were stored for the first time
        save_capture(db, capture)
    delete_unused_texts(db, page_texts)
    is_seen = "SELECT 1 FROM captures WHERE policy_id = ? AND version_id = ? LIMIT 1"
    # A successor has captures, so that it leads nowhere itself: no circle can arise.
    successors = {old: new_id for old, new_id in read.items() if not db.value(is_seen, policy_id, old)}
    for old, successor in successors.items():
        db.execute("UPDATE versions SET successor = ?, replaced_at = ? WHERE version_id = ?", (successor, now, old))
        forget_annotations(db, old)
        forget_comparisons(db, db.column("SELECT text_id FROM versions WHERE version_id = ?", old))
    return len(successors)


def kept_versions(library: Library, cleaner: int) -> tuple[KeptVersion, ...]:
    """Return the versions that this cleaner would turn away, and why."""
    query = (
        "SELECT version_id, turned_away_for AS reason FROM versions WHERE turned_away_by = ? AND successor IS NULL "
        "ORDER BY version_id"
    )
    return tuple(library.db.records(KeptVersion, query, cleaner))
