"""A whole result as rows for other tools: CSV, JSON lines or Parquet, each with its query, citation and an id.

The id holds the query and names the state of the index, so that the same export can be made again, or it can be told
that the library has changed since.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Any, Literal
from urllib.parse import parse_qsl

from smallprint import __version__, limits
from smallprint.controls import escaped
from smallprint.errors import BadQuery, LibraryChanged
from smallprint.index.engine import Engine
from smallprint.library import Library
from smallprint.library.findable import labelled, named, shown_if_there
from smallprint.pipeline.lag import UP_TO_DATE, Lag
from smallprint.search.request import Request, read_request
from smallprint.search.results import asked, every_hit
from smallprint.tables import JOINT, csv_line, inert

Format = Literal["csv", "jsonl", "parquet"]
FORMATS: tuple[Format, ...] = ("csv", "jsonl", "parquet")
BATCH = 500
SEE_FIRST = "see rank 1"
MOST = 10_000_000
MOST_PLAIN = 100_000


@dataclass(frozen=True, slots=True)
class Row:
    """A policy of an export. Lists are joined by a bar in CSV."""

    rank: int
    score: float
    policy_id: str
    version_id: str
    url: str
    domain: str
    title: str
    seen: str
    sector: str
    grade: float | None
    vagueness: float | None
    near_duplicate_of: str | None
    mentions: tuple[str, ...]
    practices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """What every export says of itself."""

    export_id: str
    query: str
    made: str
    policies: int
    citation: str
    behind: int = 0


def heading(engine: Engine, request: Request, lag: Lag = UP_TO_DATE) -> Heading:
    """Say what an export of a request is, when it was made, how to cite it, and how far the index was behind."""
    query, made = request.on_page(1).address(), datetime.now(tz=UTC).date().isoformat()
    number = export_id(engine, request)
    count = engine.count(asked(request))
    citation = f"Smallprint {__version__}, export {number} of {count:,} privacy policies, query “{query}”, {made}."
    return Heading(number, query, made, count, " ".join(filter(None, (citation, lag.note))), lag.policies)


def export_id(engine: Engine, request: Request) -> str:
    """Give the id of an export: the state of the index, and the query itself."""
    packed = base64.urlsafe_b64encode(zlib.compress(request.on_page(1).address().encode(), 9)).decode().rstrip("=")
    return f"{engine.state()}-{packed}"


def read_export_id(text: str) -> tuple[str, Request]:
    """Give the state and the request that an id holds."""
    state, _, packed = text.strip().partition("-")
    try:
        if not state or len(packed) > limits.MAX_EXPORT_ID:
            raise ValueError(text)
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), MOST_PLAIN)
        if not unpacking.eof:
            raise ValueError(text)
        return state, read_request(parse_qsl(plain.decode(), keep_blank_values=True))
    except (ValueError, zlib.error, binascii.Error):
        raise BadQuery(f"{text[:60]!r} is no id of an export; copy it from the export itself") from None


def rows(library: Library, engine: Engine, request: Request, head: Heading | None = None) -> Iterator[Row]:
    """Go through the policies that a request matches, all of them, in its order.

    LibraryChanged where they are no longer those that the heading is of.
    """
    hits = every_hit(engine, request, MOST)
    if head and not head.export_id.startswith(f"{engine.state()}-"):
        raise LibraryChanged("the library changed while this export was being made; make it again")
    for rank, (policy_id, score) in enumerate(hits, 1):
        one = shown_if_there(library, policy_id)
        if one is None:
            raise LibraryChanged(
                f"{policy_id} was removed, and the index is behind; run 'smallprint index', then export"
            )
        yield Row(
            rank, round(score, 6), one.policy_id, one.version_id, one.url, one.domain, one.title, one.seen, one.sector,
            one.grade, one.vague, one.group if one.group != one.policy_id else None,
            named(library, one.version_id), labelled(library, one.version_id),
        )  # fmt: skip


def written(kind: Format, head: Heading, found: Iterable[Row]) -> Iterator[bytes]:
    """Write an export piece by piece."""
    return {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}[kind](head, found)


def _csv(head: Heading, found: Iterable[Row]) -> Iterator[bytes]:
    """Write a table with names in its first line; a spreadsheet must not take a title for a formula.

    Every row says of which export it is, so that it can be cited alone; where the query is long, the first row does,
    and the others refer to it.
    """
    names = [one.name for one in fields(Row)]
    yield csv_line([*names, "export_id", "query", "citation"])
    whole = (head.export_id, inert(head.query), head.citation)
    repeated = whole if len(head.query) <= limits.MAX_REPEATED_QUERY else (SEE_FIRST,) * len(whole)
    for row in found:
        plain = [JOINT.join(value) if isinstance(value, tuple) else value for value in asdict(row).values()]
        yield csv_line([*(inert(value) for value in plain), *(whole if row.rank == 1 else repeated)])


def _jsonl(head: Heading, found: Iterable[Row]) -> Iterator[bytes]:
    for one in chain(({"export": asdict(head)},), map(asdict, found)):
        yield escaped(json.dumps(one, ensure_ascii=False)).encode() + b"\n"


def _parquet(head: Heading, found: Iterable[Row]) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, many = pa.string(), pa.list_(pa.string())
    kinds = {"rank": pa.int64(), "score": pa.float64(), "grade": pa.float64(), "vagueness": pa.float64(),
             "mentions": many, "practices": many}  # fmt: skip
    schema = pa.schema(
        [(one.name, kinds.get(one.name, text)) for one in fields(Row)],
        metadata={name: str(value) for name, value in asdict(head).items()},
    )
    sink = _Drain()
    rest = iter(found)
    with pq.ParquetWriter(sink, schema) as writer:
        while some := list(islice(rest, BATCH)):
            writer.write_table(pa.Table.from_pylist([asdict(row) for row in some], schema=schema))
            yield sink.drained()
    yield sink.drained()


class _Drain(io.RawIOBase):
    """A file that only grows, whose new part can be taken away; Parquet is written from front to end."""

    def __init__(self) -> None:
        self._new, self._size = bytearray(), 0

    def writable(self) -> bool:
        """Say that this can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Take in some bytes."""
        piece = bytes(data)
        self._new += piece
        self._size += len(piece)
        return len(piece)

    def tell(self) -> int:
        """Say how much was written."""
        return self._size

    def drained(self) -> bytes:
        """Take away what is new."""
        piece = bytes(self._new)
        self._new.clear()
        return piece
