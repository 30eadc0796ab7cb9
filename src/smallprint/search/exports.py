"""A whole result as rows for other tools: CSV, JSON lines or Parquet, each with its query, citation and an id.

The id holds the query and names the state of the index, so that the same export can be made again, or it can be told
that the library has changed since.
"""

from __future__ import annotations

import base64
import io
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Any, Literal
from urllib.parse import parse_qsl

from smallprint import __version__, limits
from smallprint.errors import BadQuery, LibraryChanged, NoSuchExport
from smallprint.files import JOINT, csv_line, inert, json_line
from smallprint.index.engine import Engine
from smallprint.index.fields import RANGES
from smallprint.index.opening import Engines
from smallprint.library import Library
from smallprint.library.findable import PolicySummary, labels_of, names_in, summaries
from smallprint.pipeline.indexing import UP_TO_DATE, Lag
from smallprint.search.request import PAGE_SIZE, Request, read_request
from smallprint.search.results import query_of

Format = Literal["csv", "jsonl", "parquet"]
FORMATS: tuple[Format, ...] = ("csv", "jsonl", "parquet")
BATCH = 500
SEE_FIRST = "see rank 1"
MOST_PLAIN = 100_000


@dataclass(frozen=True, slots=True)
class Row(PolicySummary):
    """A policy of an export: what a list of results says of it, its place, and what it names and practises."""

    rank: int
    score: float
    near_duplicate_of: str | None
    mentions: tuple[str, ...]
    practices: tuple[str, ...]

    def columns(self) -> dict[str, Any]:
        """Return the values of the columns, by name."""
        return {name: getattr(self, name) for name in COLUMNS}


_GROUP = ("group", "is_grouped")  # told by `near_duplicate_of`
COLUMNS = (
    "rank", "score", *(field.name for field in fields(PolicySummary) if field.name not in _GROUP), "near_duplicate_of",
    "mentions", "practices",
)  # fmt: skip


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
    """Return what an export of a request is, its date, how to cite it, and how far the index was behind."""
    query, made = request.on_page(1).address(), datetime.now(tz=UTC).date().isoformat()
    number = export_id(engine, request)
    count = engine.counts([query_of(request)])[0]
    citation = f"Smallprint {__version__}, export {number} of {count:,} privacy policies, query “{query}”, {made}."
    return Heading(number, query, made, count, " ".join(filter(None, (citation, lag.note))), lag.policies)


def export_id(engine: Engine, request: Request) -> str:
    """Return the id of an export: the state of the index, and the query itself."""
    packed = base64.urlsafe_b64encode(zlib.compress(request.on_page(1).address().encode(), 9)).decode().rstrip("=")
    return f"{engine.state()}-{packed}"


def read_export_id(text: str) -> tuple[str, Request]:
    """Return the state and the request that an id holds."""
    state, _, packed = text.strip().partition("-")
    try:
        if not state or len(packed) > limits.MAX_EXPORT_ID:
            raise ValueError(text)
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), MOST_PLAIN)
        if not unpacking.eof:
            raise ValueError(text)
        return state, read_request(parse_qsl(plain.decode(), keep_blank_values=True))
    except (ValueError, zlib.error):
        raise BadQuery(f"{text[:60]!r} is not the id of an export; copy it from the export itself") from None


def without_paging(request: Request) -> Request:
    """Return the request of a whole result: what matters only to pages is as usual, so that ids are the same."""
    return replace(request, page=1, size=PAGE_SIZE, fold=True)


def request_again(export_id: str, engines: Engines, *, anyway: bool = False) -> Request:
    """Return the request of an export; LibraryChanged where it would give others now, unless `anyway`."""
    try:
        state, request = read_export_id(export_id)
    except BadQuery as error:
        raise NoSuchExport(str(error)) from None
    now = engines.engine(request.index).state()
    if state != now and not anyway:
        raise LibraryChanged(
            f"the library has changed since this export: it was made of {state[:40]!r} and would now be of {now!r}; "
            "make it anyway, or open the library as it was then"
        )
    return without_paging(request)


def rows(library: Library, engine: Engine, request: Request, head: Heading | None = None) -> Iterator[Row]:
    """Yield all policies that a request matches, in its order; LibraryChanged where the heading is of others."""
    hits = engine.walk(query_of(request), request.rank).hits
    if head and not head.export_id.startswith(f"{engine.state()}-"):
        raise LibraryChanged("the library changed while this export was being made; make it again")
    rank = 0
    while batch := list(islice(hits, BATCH)):
        policies = summaries(library, (hit.policy_id for hit in batch))
        versions = [policy.version_id for policy in policies.values()]
        names, labels = names_in(library, versions), labels_of(library, versions)
        for rank, hit in enumerate(batch, rank + 1):  # noqa: B020 - goes on where the last batch ended
            if hit.policy_id not in policies:
                raise LibraryChanged(
                    f"{hit.policy_id} was removed, and the index is behind; run 'smallprint index', then export"
                )
            policy = policies[hit.policy_id]
            yield Row(
                **asdict(policy), rank=rank, score=round(hit.score, 6),
                near_duplicate_of=policy.group if policy.group != policy.policy_id else None,
                mentions=names[policy.version_id], practices=labels[policy.version_id],
            )  # fmt: skip


def written(kind: Format, head: Heading, rows: Iterable[Row]) -> Iterator[bytes]:
    """Write an export piece by piece."""
    return {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}[kind](head, rows)


def _csv(head: Heading, rows: Iterable[Row]) -> Iterator[bytes]:
    """Write a table with names in its first line; a spreadsheet must not take a title for a formula.

    Every row says of which export it is, so that it can be cited alone; where the query is long, the first row does,
    and the others refer to it.
    """
    yield csv_line([*COLUMNS, "export_id", "query", "citation"])
    origin = (head.export_id, inert(head.query), head.citation)
    repeated = origin if len(head.query) <= limits.MAX_REPEATED_QUERY else (SEE_FIRST,) * len(origin)
    for row in rows:
        plain = [JOINT.join(value) if isinstance(value, tuple) else value for value in row.columns().values()]
        yield csv_line([*(inert(value) for value in plain), *(origin if row.rank == 1 else repeated)])


def _jsonl(head: Heading, rows: Iterable[Row]) -> Iterator[bytes]:
    return map(json_line, chain(({"export": asdict(head)},), (row.columns() for row in rows)))


def _parquet(head: Heading, rows: Iterable[Row]) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, many = pa.string(), pa.list_(pa.string())
    kinds = {"rank": pa.int64(), "score": pa.float64(), "mentions": many, "practices": many}
    kinds |= {field.key: pa.float64() for field in RANGES}
    schema = pa.schema(
        [(name, kinds.get(name, text)) for name in COLUMNS],
        metadata={name: str(value) for name, value in asdict(head).items()},
    )
    sink, rest = _Drain(), iter(rows)
    with pq.ParquetWriter(sink, schema) as writer:
        while batch := [row.columns() for row in islice(rest, BATCH)]:
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
            yield sink.drained()
    yield sink.drained()


class _Drain(io.BytesIO):
    """A file that only grows, whose new part can be taken away; Parquet is written from front to end."""

    taken = 0

    def tell(self) -> int:
        """Return how much was written."""
        return self.taken + super().tell()

    def drained(self) -> bytes:
        """Take away what is new."""
        piece = self.getvalue()
        self.taken += len(piece)
        self.seek(0)
        self.truncate()
        return piece
