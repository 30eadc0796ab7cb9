"""Whether a library is sound: SQLite's own checks, every hash, and whatever can be read back and is in its bounds.

Everything is gone through row by row, so that memory does not grow with the library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from smallprint.errors import DamagedText, LibraryError
from smallprint.library.annotations import check_annotation
from smallprint.library.damage import MOST_MESSAGES, UNFORESEEN, structure_faults, value_faults
from smallprint.library.failures import damaged, spoken
from smallprint.library.file import Library
from smallprint.library.packing import unpack_page, unpack_segment, unpack_text, version_id


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong: of what `kind`, in one line, and what to do about it."""

    kind: str
    what: str
    advice: str


RESTORE = "restore a backup with 'smallprint restore'"
INGEST_AGAIN = "ingest the source again with --again, or restore a backup with 'smallprint restore'"


def library_faults(library: Library) -> Iterator[Fault]:
    """Go through all that is wrong with a library, but for its indexes."""
    for check in (_structure, _references, _values, _texts, _pages, _versions, _segments, _annotations):
        try:
            with spoken(library.path):
                yield from check(library)
        except UNFORESEEN as error:
            yield Fault("library", f"{check.__name__.strip('_')}: {damaged(library.path, str(error))}", RESTORE)
        except LibraryError as error:  # what cannot be read to its end
            yield Fault("library", f"{check.__name__.strip('_')}: {error}", RESTORE)


def _structure(library: Library) -> Iterator[Fault]:
    for message in structure_faults(library.db):
        yield Fault("library", f"SQLite: {message}", RESTORE)
    library.revision()


def _references(library: Library) -> Iterator[Fault]:
    for count, (table, _, parent, _) in enumerate(library.db.execute("PRAGMA foreign_key_check")):
        if count == MOST_MESSAGES:
            return
        yield Fault("library", f"a row of {table} refers to one of {parent} that is not there", RESTORE)


def _values(library: Library) -> Iterator[Fault]:
    for message in value_faults(library.db):
        yield Fault("library", message, RESTORE)


def _texts(library: Library) -> Iterator[Fault]:
    def unpack(text_id: str, characters: int, content: bytes) -> None:
        unpack_text(content, text_id, characters, "")

    for text_id in _unreadable(library, "SELECT text_id, characters, content FROM texts", unpack):
        versions = library.db.execute(
            "SELECT version_id FROM versions WHERE text_id = ?1 OR page_text_id = ?1 ORDER BY version_id LIMIT 4",
            (text_id,),
        ).fetchall()
        named = ", ".join(row["version_id"] for row in versions[:3]) + (" …" if versions[3:] else "")
        yield Fault("text", f"the text {text_id} of {named or 'no version'} does not match its hash", INGEST_AGAIN)


def _pages(library: Library) -> Iterator[Fault]:
    def unpack(page_id: str, size: int, content: bytes) -> None:
        unpack_page(content, page_id, size, "")

    for page_id in _unreadable(library, "SELECT page_id, bytes, content FROM pages", unpack):
        yield Fault("page", f"the page {page_id} does not match its hash", INGEST_AGAIN)


def _versions(library: Library) -> Iterator[Fault]:
    for row in library.db.execute("SELECT version_id, policy_id, text_id FROM versions"):
        if row["version_id"] != version_id(row["policy_id"], row["text_id"]):
            yield Fault("version", f"the version {row['version_id']} is not named by its text", RESTORE)


def _segments(library: Library) -> Iterator[Fault]:
    rows = library.db.execute(
        'SELECT s.version_id, t.characters, s.ordinal, s.kind, s.start, s."end", s.headings, s.lead_in, s.sentences '
        "FROM segments s JOIN versions v USING (version_id) JOIN texts t USING (text_id) ORDER BY 1, 3"
    )
    last = ""
    for version, characters, *segment in rows:
        try:
            is_sound = _is_within(characters, segment)
        except (ValueError, TypeError, KeyError):
            is_sound = False
        if not is_sound and version != last:
            last = version
            yield Fault("passages", f"the passages of {version} cannot be read, or are not within its text", RESTORE)


def _is_within(characters: int, row: list[object]) -> bool:
    segment = unpack_segment(*row)  # type: ignore[arg-type]  # that it may be anything is what is looked for
    bounds = [(segment.start, segment.end), *((one.start, one.end) for one in segment.sentences)]
    in_text = [*bounds, *([(segment.lead_in.start, segment.lead_in.end)] if segment.lead_in else [])]
    return all(0 <= low <= high <= characters for low, high in in_text) and all(
        segment.start <= low and high <= segment.end for low, high in bounds
    )


def _annotations(library: Library) -> Iterator[Fault]:
    for row in library.db.execute("SELECT version_id, kind, content FROM annotations"):
        try:
            check_annotation(row["kind"], row["content"], row["version_id"])
        except DamagedText:
            what = f"the annotation {row['kind']!r} of {row['version_id']} cannot be read"
            yield Fault("annotation", what, RESTORE)


def _unreadable(library: Library, query: str, unpack: Callable[..., None]) -> Iterator[str]:
    """Go through rows of a name, a size and a content, and give the names of those whose content is damaged."""
    cursor = library.db.cursor()
    cursor.row_factory = None
    for row in cursor.execute(query):
        try:
            unpack(*row)
        except DamagedText:
            yield row[0]
