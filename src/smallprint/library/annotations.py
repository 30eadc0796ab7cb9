"""Annotations in the library: which versions want them, what was said of one, by whom and when, or why nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from smallprint.annotate.kinds import Annotator
from smallprint.annotate.registry import KINDS, Annotation, Annotations
from smallprint.errors import DamagedText, NoSuchPolicy
from smallprint.library import reading
from smallprint.library.file import Connection, Library
from smallprint.library.packing import compress, damage, decompress, unpack_links
from smallprint.records import Document, SetAsideReason


@dataclass(frozen=True, slots=True)
class PackedAnnotation:
    """An annotation as a blob, and as the values and rows by which it is filtered."""

    annotator: Annotator
    content: bytes
    measures: dict[str, Any]
    rows: tuple[tuple[Any, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class SetAsideVersion:
    """A version without annotations, and what went wrong when they were made."""

    version_id: str
    policy_id: str
    url: str
    reason: SetAsideReason
    detail: str


def pack(annotation: Annotation) -> PackedAnnotation:
    """Compress an annotation and take from it what is filtered by. Pure, so that workers can do it."""
    by, content = annotation.annotator, annotation.content
    kind = KINDS[by.kind]
    return PackedAnnotation(by, compress(kind.encode(content)), kind.measures(content), kind.rows(content))


def save_annotations(db: Connection, version_id: str, annotations: Iterable[PackedAnnotation]) -> None:
    """Write a version's annotations in the place of what was said before; call it inside a transaction."""
    today = datetime.now(tz=UTC).date().isoformat()
    for packed in annotations:
        by, table = packed.annotator, KINDS[packed.annotator.kind].table
        db.execute(
            "INSERT OR REPLACE INTO annotations (version_id, kind, model, model_version, content, made_on) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (version_id, by.kind, by.model, by.version, packed.content, today),
        )
        db.execute("INSERT OR IGNORE INTO measures (version_id) VALUES (?)", (version_id,))
        for name, value in packed.measures.items():
            db.execute(f"UPDATE measures SET {name} = ? WHERE version_id = ?", (value, version_id))  # noqa: S608 - our own names
        if table:
            db.execute(f"DELETE FROM {table} WHERE version_id = ?", (version_id,))  # noqa: S608 - our own names
        if packed.rows:
            marks = ", ".join("?" * (len(packed.rows[0]) + 1))
            db.executemany(f"INSERT INTO {table} VALUES ({marks})", [(version_id, *row) for row in packed.rows])  # noqa: S608 - our own names


def forget_annotations(db: Connection, version_id: str) -> None:
    """Forget what was said of a version, and that nothing could be said; call it inside a transaction."""
    tables = (kind.table for kind in KINDS.values() if kind.table)
    for table in ("annotations", "measures", "set_aside", *tables):
        db.execute(f"DELETE FROM {table} WHERE version_id = ?", (version_id,))  # noqa: S608 - our own names


def forget_annotations_of_links(db: Connection, version_id: str) -> None:
    """Forget only what was said of a version's links; call it inside a transaction."""
    for kind in KINDS.values():
        if kind.reads_links:
            db.execute("DELETE FROM annotations WHERE version_id = ? AND kind = ?", (version_id, kind.name))


def forget_copies(library: Library) -> None:
    """Forget what was said of policies that turned out to be copies, so that the order of ingest leaves no trace."""
    with library.transaction() as db:
        for version_id in db.column(
            "SELECT v.version_id FROM versions v JOIN policies p USING (policy_id) WHERE p.copy_of IS NOT NULL "
            "AND v.version_id IN (SELECT version_id FROM annotations UNION SELECT version_id FROM set_aside)"
        ):
            forget_annotations(db, version_id)


def out_of_date(
    library: Library, accepted: Mapping[str, Sequence[Annotator]], *, retry: bool = False
) -> Iterator[tuple[str, tuple[Annotator, ...]]]:
    """Yield the versions of all policies kept that lack annotations, each with the annotators that are to make them."""
    by_version = library.db.execute(
        "SELECT v.version_id, group_concat(a.kind || char(9) || a.model || char(9) || a.model_version, char(10)), "
        "(SELECT annotators FROM set_aside s WHERE s.version_id = v.version_id) "
        "FROM versions v JOIN policies p USING (policy_id) LEFT JOIN annotations a USING (version_id) "
        "WHERE p.copy_of IS NULL AND v.successor IS NULL GROUP BY v.version_id ORDER BY v.version_id"
    ).fetchall()
    for version_id, lines, failed in by_version:
        known = {Annotator(*line.split("\t")) for line in lines.split("\n")} if lines else set()
        missing = tuple(wanted[0] for wanted in accepted.values() if not known & set(wanted))
        if missing and (retry or failed != _names(missing)):  # where these very annotators failed, others may succeed
            yield version_id, missing


def document(library: Library, version_id: str) -> Document:
    """Return a version as the annotate stage reads it."""
    query = "SELECT p.url, v.title, v.links FROM versions v JOIN policies p USING (policy_id) WHERE v.version_id = ?"
    row = library.db.row(query, version_id)
    if row is None:
        raise NoSuchPolicy(f"no version {version_id!r} is in the library")
    url, title, stored_links = row
    try:
        links = unpack_links(stored_links)
    except (ValueError, TypeError):
        raise DamagedText(damage(f"the list of links of {version_id}")) from None
    texts = reading.text(library, version_id), reading.page_text(library, version_id)
    return Document(version_id, url, title, *texts, reading.segments(library, version_id), links)


def read_annotations(library: Library, version_id: str) -> Annotations:
    """Return all that was said of a version and can be read by itself."""
    readable = json.dumps([kind.name for kind in KINDS.values() if kind.readable])
    rows = library.db.execute(
        "SELECT content, kind, model, model_version, made_on FROM annotations "
        "WHERE version_id = ? AND kind IN (SELECT value FROM json_each(?))",
        (version_id, readable),
    ).fetchall()
    made_by = {kind: Annotator(kind, *model) for _, kind, *model in rows}
    return Annotations(made_by, **{kind: unpack(kind, content, version_id) for content, kind, *_ in rows})


def read_annotation(library: Library, version_id: str, by: Annotator) -> Any:
    """Return what this very annotator said of a version, None if it said nothing."""
    found = stored_annotation(library, version_id, by)
    return found.content if found else None


def stored_annotation(library: Library, version_id: str, by: Annotator) -> Annotation | None:
    """Return what this very annotator said of a version, with the day on which it did."""
    row = library.db.row(
        "SELECT content, made_on FROM annotations "
        "WHERE version_id = ? AND kind = ? AND model = ? AND model_version = ?",
        *(version_id, by.kind, by.model, by.version),
    )
    if row is None:
        return None
    content, made_on = row
    return Annotation(replace(by, made_on=made_on), unpack(by.kind, content, version_id))


def unpack(kind: str, blob: bytes, version_id: str) -> Any:
    """Return the content of a stored annotation; DamagedText where it cannot be read."""
    what = f"the annotation {kind!r} of {version_id}"
    content = decompress(blob, what)
    try:
        return KINDS[kind].decode(content)
    except (ValueError, TypeError, KeyError):
        raise DamagedText(damage(what)) from None


def set_aside(
    db: Connection, version_id: str, wanted: Sequence[Annotator], reason: SetAsideReason, detail: str
) -> None:
    """Note that these annotators cannot read a version; call it inside a transaction."""
    db.execute(
        "INSERT OR REPLACE INTO set_aside (version_id, reason, detail, annotators) VALUES (?, ?, ?, ?)",
        (version_id, reason.value, detail, _names(wanted)),
    )


def take_back(db: Connection, version_id: str) -> None:
    """Forget that a version was set aside, since it is annotated now; call it inside a transaction."""
    db.execute("DELETE FROM set_aside WHERE version_id = ?", (version_id,))


def set_aside_versions(library: Library) -> tuple[SetAsideVersion, ...]:
    """Return the versions that were set aside, by address."""
    rows = library.db.execute(
        "SELECT version_id, policy_id, url, reason, detail FROM set_aside JOIN versions USING (version_id) "
        "JOIN policies USING (policy_id) ORDER BY url, version_id"
    )
    return tuple(SetAsideVersion(**dict(row) | {"reason": SetAsideReason(row["reason"])}) for row in rows)


def _names(annotators: Sequence[Annotator]) -> str:
    return "\n".join(f"{by.kind} {by.model} {by.version}" for by in annotators)
