"""Whether a library is sound: SQLite's checks, every hash, what can be read back; row by row, in little memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice

from smallprint.errors import DamagedText, LibraryError
from smallprint.library import storage
from smallprint.library.annotations import unpack
from smallprint.library.file import Library
from smallprint.library.packing import (
    unpack_documents,
    unpack_links,
    unpack_page,
    unpack_segment,
    unpack_text,
    version_id,
)
from smallprint.records import Span


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong: of what `kind`, in one line, and what to do about it."""

    kind: str
    what: str
    advice: str


RESTORE = "restore a backup with 'smallprint restore'"
INGEST_AGAIN = "ingest the source again with --again, or restore a backup with 'smallprint restore'"


def library_faults(library: Library) -> Iterator[Fault]:
    """Yield all that is wrong with a library, but for its indexes."""
    for check in (
        _structure,
        _references,
        _values,
        _texts,
        _pages,
        _versions,
        _links,
        _documents,
        _segments,
        _annotations,
    ):
        name = check.__name__.strip("_")
        try:
            with storage.readable_errors(library.path):
                yield from check(library)
        except storage.UNFORESEEN as error:
            yield Fault("library", f"{name}: {storage.damaged(library.path, str(error))}", RESTORE)
        except LibraryError as error:  # what cannot be read to its end
            yield Fault("library", f"{name}: {error}", RESTORE)


def _structure(library: Library) -> Iterator[Fault]:
    for message in storage.structure_faults(library.db):
        yield Fault("library", f"SQLite: {message}", RESTORE)
    library.revision()


def _references(library: Library) -> Iterator[Fault]:
    for table, _, parent, _ in islice(library.db.execute("PRAGMA foreign_key_check"), storage.MOST_MESSAGES):
        yield Fault("library", f"a row of {table} refers to one of {parent} that is not there", RESTORE)


def _values(library: Library) -> Iterator[Fault]:
    for message in storage.value_faults(library.db):
        yield Fault("library", message, RESTORE)


def _texts(library: Library) -> Iterator[Fault]:
    query = "SELECT content, text_id, characters FROM texts"
    for _, text_id, _ in _unreadable(library, query, partial(unpack_text, what="")):
        versions = library.db.column(
            "SELECT version_id FROM versions WHERE ? IN (text_id, page_text_id) ORDER BY version_id LIMIT 4", text_id
        )
        names = ", ".join(versions[:3]) + (" …" if versions[3:] else "")
        yield Fault("text", f"the text {text_id} of {names or 'no version'} does not match its hash", INGEST_AGAIN)


def _pages(library: Library) -> Iterator[Fault]:
    query = "SELECT content, page_id, bytes FROM pages"
    for _, page_id, _ in _unreadable(library, query, partial(unpack_page, what="")):
        yield Fault("page", f"the page {page_id} does not match its hash", INGEST_AGAIN)


def _versions(library: Library) -> Iterator[Fault]:
    for stored_id, policy_id, text_id in library.db.execute("SELECT version_id, policy_id, text_id FROM versions"):
        if stored_id != version_id(policy_id, text_id):
            yield Fault("version", f"the version {stored_id} is not named by its text", RESTORE)


def _links(library: Library) -> Iterator[Fault]:
    query = "SELECT links, version_id FROM versions WHERE links IS NOT NULL"
    for _, version in _unreadable(library, query, lambda links, _: unpack_links(links)):
        yield Fault("links", f"the links of {version} cannot be read", RESTORE)


def _documents(library: Library) -> Iterator[Fault]:
    query = "SELECT documents, version_id FROM versions WHERE documents IS NOT NULL"
    for _, version in _unreadable(library, query, lambda documents, _: unpack_documents(documents)):
        yield Fault("documents", f"the names of the other documents on the page of {version} cannot be read", RESTORE)


def _segments(library: Library) -> Iterator[Fault]:
    query = (
        'SELECT s.version_id, t.characters, s.ordinal, s.kind, s.start, s."end", s.headings, s.lead_in, s.sentences '
        "FROM segments s JOIN versions v USING (version_id) JOIN texts t USING (text_id) ORDER BY 1, 3"
    )
    for version, _ in groupby(row["version_id"] for row in _unreadable(library, query, _check_bounds)):
        yield Fault("passages", f"the passages of {version} cannot be read, or are not within its text", RESTORE)


def _check_bounds(_: str, characters: int, *row: object) -> None:
    segment = unpack_segment(*row)  # type: ignore[arg-type]  # that it may be anything is what is looked for
    whole = Span(segment.start, segment.end)
    within = [(span.start, span.end, whole.start, whole.end) for span in segment.sentences]
    within += [(span.start, span.end, 0, characters) for span in (whole, segment.lead_in) if span]
    if not all(0 <= least <= start <= end <= most for start, end, least, most in within):
        raise ValueError


def _annotations(library: Library) -> Iterator[Fault]:
    for kind, _, version in _unreadable(library, "SELECT kind, content, version_id FROM annotations", unpack):
        yield Fault("annotation", f"the annotation {kind!r} of {version} cannot be read", RESTORE)


def _unreadable(library: Library, query: str, read: Callable[..., object]) -> Iterator[sqlite3.Row]:
    """Yield the rows that cannot be read."""
    for row in library.db.execute(query):
        try:
            read(*row)
        except (DamagedText, ValueError, TypeError, KeyError):
            yield row
