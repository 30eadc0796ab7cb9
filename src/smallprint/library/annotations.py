"""Annotations in the library: which versions want them, and what was said of a version, by whom."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.annotating import Annotation, Annotator, Kind
from smallprint.annotate.mentions import names
from smallprint.annotate.practices import COLUMNS, holding, joint
from smallprint.annotate.readability import Readability
from smallprint.annotate.vagueness import Vagueness, VagueWord
from smallprint.errors import DamagedText, NoSuchPolicy
from smallprint.library import reading
from smallprint.library.file import Library
from smallprint.library.packing import compress, damage, decompress
from smallprint.models.finder import WIDTH
from smallprint.records import Document, Mention, SectorGuess


@dataclass(frozen=True, slots=True)
class PackedAnnotation:
    """An annotation as a blob, and as the rows by which it is filtered."""

    annotator: Annotator
    content: bytes
    measures: dict[str, Any]
    rows: tuple[tuple[Any, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Annotations:
    """All that was said of a version; None for what was not annotated yet. `made_by` says by whom, kind by kind."""

    made_by: dict[Kind, Annotator]
    readability: Readability | None = None
    mentions: tuple[Mention, ...] | None = None
    sector: SectorGuess | None = None
    vagueness: Vagueness | None = None
    practices: NDArray[np.uint8] | None = None


def pack(annotation: Annotation) -> PackedAnnotation:
    """Compress an annotation and take from it what is filtered by. Pure, so that workers can do it."""
    content, kind = annotation.content, annotation.annotator.kind
    if kind == "practices":
        return PackedAnnotation(annotation.annotator, compress(content.tobytes()), {}, _practised(content))
    if kind == "sentences":
        return PackedAnnotation(annotation.annotator, compress(content.tobytes()), {})
    if kind == "mentions":
        rows = Counter(mention.name for mention in content)
        plain: Any = [(mention.name, mention.start, mention.end) for mention in content]
        return PackedAnnotation(annotation.annotator, _written(plain), {}, tuple(sorted(rows.items())))
    return PackedAnnotation(annotation.annotator, _written(asdict(content)), _measures(kind, content))


def save_annotations(db: sqlite3.Connection, version_id: str, made: Iterable[PackedAnnotation]) -> None:
    """Write a version's annotations in the place of what was said before; call it inside a transaction."""
    for one in made:
        by = one.annotator
        db.execute(
            "INSERT OR REPLACE INTO annotations VALUES (?, ?, ?, ?, ?)",
            (version_id, by.kind, by.model, by.version, one.content),
        )
        db.execute("INSERT OR IGNORE INTO measures (version_id) VALUES (?)", (version_id,))
        for name, value in one.measures.items():
            db.execute(f"UPDATE measures SET {name} = ? WHERE version_id = ?", (value, version_id))  # noqa: S608 - our own names
        table = _ROWS.get(by.kind)
        if table is None:
            continue
        db.execute(f"DELETE FROM {table} WHERE version_id = ?", (version_id,))  # noqa: S608 - our own names
        if not one.rows:
            continue
        marks = ", ".join("?" * (len(one.rows[0]) + 1))
        db.executemany(f"INSERT INTO {table} VALUES ({marks})", [(version_id, *row) for row in one.rows])  # noqa: S608 - our own names


def forget_annotations(db: sqlite3.Connection, version_id: str) -> None:
    """Forget what was said of a version, and that nothing could be said; call it inside a transaction."""
    for table in ("annotations", "measures", "set_aside", *_ROWS.values()):
        db.execute(f"DELETE FROM {table} WHERE version_id = ?", (version_id,))  # noqa: S608 - our own names


def forget_copies(library: Library) -> None:
    """Forget what was said of policies that turned out to be copies, so that the order of ingest leaves no trace."""
    with library.transaction() as db:
        for (version_id,) in db.execute(
            "SELECT v.version_id FROM versions v JOIN policies p USING (policy_id) WHERE p.copy_of IS NOT NULL "
            "AND v.version_id IN (SELECT version_id FROM annotations UNION SELECT version_id FROM set_aside)"
        ).fetchall():
            forget_annotations(db, version_id)


def out_of_date(
    library: Library, accepted: Mapping[Kind, Sequence[Annotator]]
) -> Iterator[tuple[str, tuple[Annotator, ...]]]:
    """Go through the versions of all policies kept that lack annotations, and say which are to be made."""
    by_version = library.db.execute(
        "SELECT v.version_id, "
        "group_concat(a.kind || char(9) || a.model || char(9) || a.model_version, char(10)) AS has "
        "FROM versions v JOIN policies p USING (policy_id) LEFT JOIN annotations a USING (version_id) "
        "WHERE p.copy_of IS NULL AND v.successor IS NULL GROUP BY v.version_id ORDER BY v.version_id"
    ).fetchall()
    for version_id, has in by_version:
        known = {Annotator(*line.split("\t")) for line in has.split("\n")} if has else set()
        missing = tuple(made[0] for made in accepted.values() if not known & set(made))
        if missing:
            yield version_id, missing


def document(library: Library, version_id: str) -> Document:
    """Give a version as the annotate stage reads it."""
    row = library.db.execute(
        "SELECT p.url, v.title FROM versions v JOIN policies p USING (policy_id) WHERE v.version_id = ?", (version_id,)
    ).fetchone()
    if row is None:
        raise NoSuchPolicy(f"no version {version_id!r} is in the library")
    return Document(
        version_id,
        row["url"],
        row["title"],
        reading.text(library, version_id),
        reading.page_text(library, version_id),
        reading.segments(library, version_id),
    )


def read_annotations(library: Library, version_id: str) -> Annotations:
    """Give all that was said of a version; the vectors of its sentences say nothing by themselves."""
    rows = library.db.execute(
        "SELECT * FROM annotations WHERE version_id = ? AND kind != 'sentences'", (version_id,)
    ).fetchall()
    made_by = {row["kind"]: Annotator(row["kind"], row["model"], row["model_version"]) for row in rows}
    return Annotations(made_by, **{row["kind"]: _unpacked(row["kind"], row["content"], version_id) for row in rows})


def sentence_vectors(library: Library, version_id: str, by: Annotator) -> NDArray[np.int8] | None:
    """Give the vectors of a version's sentences, if they were made by this very model."""
    row = library.db.execute(
        "SELECT content FROM annotations WHERE version_id = ? AND kind = ? AND model = ? AND model_version = ?",
        (version_id, by.kind, by.model, by.version),
    ).fetchone()
    return None if row is None else _unpacked(by.kind, row["content"], version_id)


def check_annotation(kind: Kind, content: bytes, version_id: str) -> None:
    """Raise DamagedText where an annotation cannot be read."""
    _unpacked(kind, content, version_id)


_ROWS: dict[Kind, str] = {"mentions": "mentioned", "practices": "practised"}


def _measures(kind: Kind, content: Any) -> dict[str, Any]:
    if isinstance(content, Readability):
        return {"grade": content.grade}
    if isinstance(content, Vagueness):
        return {"sentences": content.sentences, "candidates": content.candidates, "vague": content.vague}
    assert isinstance(content, SectorGuess), kind
    return {"sector": content.sector, "sector_probability": content.probability}


def _practised(probabilities: NDArray[np.uint8]) -> tuple[tuple[str, int, float], ...]:
    held, said = holding(probabilities), joint(probabilities)
    return tuple(
        (str(COLUMNS[place]), int(held[:, place].sum()), round(float(said[held[:, place], place].max()), 3))
        for place in np.flatnonzero(held.any(axis=0))
    )


def _unpacked(kind: Kind, blob: bytes, version_id: str) -> Any:
    what = f"the annotation {kind!r} of {version_id}"
    content = decompress(blob, what)
    try:
        return _decoded(kind, content)
    except (ValueError, TypeError, KeyError):
        raise DamagedText(damage(what)) from None


def _decoded(kind: Kind, content: bytes) -> Any:
    if kind == "sentences":
        return np.frombuffer(content, dtype=np.int8).reshape(-1, WIDTH)
    if kind == "practices":
        return np.frombuffer(content, dtype=np.uint8).reshape(-1, len(COLUMNS))
    plain = json.loads(content)
    if kind == "mentions":
        groups = {name.id: name.group for name in names()}
        return tuple(Mention(groups[name], name, start, end) for name, start, end in plain if name in groups)
    if kind == "readability":
        return Readability(**plain)
    if kind == "sector":
        return SectorGuess(**plain)
    return Vagueness(**{**plain, "words": tuple(VagueWord(**word) for word in plain["words"])})


def _written(plain: Any) -> bytes:
    return compress(json.dumps(plain, separators=(",", ":")).encode())
