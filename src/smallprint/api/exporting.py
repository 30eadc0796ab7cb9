"""The endpoints that give a whole result as a file: /export, and /export/{id} to make one again."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable, Generator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import iterate_in_threadpool
from starlette.responses import Response, StreamingResponse

from smallprint.api.endpoints import endpoint
from smallprint.api.parameters import Export, ExportAgain
from smallprint.api.site import EnginesHere, PoolHere
from smallprint.api.slots import Slots
from smallprint.clients import client_name
from smallprint.errors import TooSlow
from smallprint.index.engine import Engine
from smallprint.library import Library
from smallprint.library.pool import Pool
from smallprint.limits import EXPORT_GRACE_SECONDS, EXPORT_RATE, MAX_CLIENT_EXPORTS, MAX_EXPORTS
from smallprint.pipeline.lag import lag_of
from smallprint.search import exports
from smallprint.search.exports import Format, Heading
from smallprint.search.request import Request as Search
from smallprint.shelf.asking import request_again, whole

router = APIRouter(tags=["export"])

MEDIA: dict[Format, str] = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
}
# Sent at once: a piece costs a change of threads, and a row has some 2 kB.
PIECE = 64_000
LONGEST_NAME = 60
_slots = Slots(MAX_EXPORTS, MAX_CLIENT_EXPORTS)

_CONTENT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Every policy that matches, in the order asked for, with its measures, labels and names; query, "
        "citation and id are in every row of a CSV (in the first, if the query is long), in the first line of JSON "
        "lines, and in the metadata of Parquet.",
        "content": {
            "text/csv": {"schema": {"type": "string"}},
            "application/jsonl": {"schema": {"type": "string"}},
            "application/vnd.apache.parquet": {"schema": {"type": "string", "format": "binary"}},
        },
        "headers": {
            "Content-Disposition": {"description": "A name for the file.", "schema": {"type": "string"}},
            "Smallprint-Export-Id": {"description": "The id to make it again by.", "schema": {"type": "string"}},
        },
    }
}


@endpoint(router, "/export", responses=_CONTENT, response_class=StreamingResponse)
def export(request: Request, asked: Annotated[Export, Query()], pool: PoolHere, engines: EnginesHere) -> Response:
    """Give a whole result as a file. It is sent as it is made; HEAD tells its id and name without making it."""
    search = whole(asked.request())
    return _answer(request, asked.format, search, engines.engine(search.index), pool)


@endpoint(router, "/export/{export_id}", 404, 409, responses=_CONTENT, response_class=StreamingResponse)
def export_again(
    request: Request,
    export_id: Annotated[str, Path(description="The id that stands in the export.")],
    asked: Annotated[ExportAgain, Query()],
    pool: PoolHere,
    engines: EnginesHere,
) -> Response:
    """Make an export again. It is the same as long as the library is; if that has changed, the answer is 409."""
    search = request_again(export_id, engines, anyway=asked.anyway == "1")
    return _answer(request, asked.format, search, engines.engine(search.index), pool)


def file_name(search: Search, head: Heading, kind: Format) -> str:
    """Name an export's file by what it is of: smallprint-cookies-medical-31-policies-2026-11-16.csv."""
    asked = " ".join([search.text, *(value for values in search.chosen.values() for value in values)])
    words = re.sub(r"[^a-z0-9]+", "-", asked.lower()).strip("-")[:LONGEST_NAME].strip("-")
    return (
        "-".join(part for part in ("smallprint", words, str(head.policies), "policies", head.made) if part) + f".{kind}"
    )


def _answer(request: Request, kind: Format, search: Search, engine: Engine, pool: Pool) -> Response:
    client = client_name(request.client.host if request.client else "unknown")
    if request.method != "HEAD":
        _slots.check(client)  # before the result is counted
    with pool.library() as library:
        head = exports.heading(engine, search, lag_of(library, engine))
    headers = {
        "Content-Disposition": f'attachment; filename="{file_name(search, head, kind)}"',
        "Smallprint-Export-Id": head.export_id,
    }
    if request.method == "HEAD":
        return StreamingResponse(iter(()), headers=headers, media_type=MEDIA[kind])
    pieces = _pieces(kind, head, pool, engine, search, client)
    next(pieces)  # what is wrong with the library shows here, while it can still be told
    return StreamingResponse(_sent(pieces), headers=headers, media_type=MEDIA[kind])


async def _sent(
    pieces: Generator[bytes, None, None], clock: Callable[[], float] = time.monotonic
) -> AsyncIterator[bytes]:
    """Send pieces as they are made, and stop making them when whoever asked goes away or reads too slowly.

    Making them takes time too: what counts against the reader is only how long sending takes.
    """
    sent, spent = 0, 0.0
    try:
        async for piece in iterate_in_threadpool(pieces):
            began = clock()
            yield piece
            sent, spent = sent + len(piece), spent + clock() - began
            if spent > EXPORT_GRACE_SECONDS + sent / EXPORT_RATE:
                raise TooSlow("this export is read too slowly, and was cut off")
    finally:
        pieces.close()


def _pieces(
    kind: Format, head: Heading, pool: Pool, engine: Engine, search: Search, client: str
) -> Generator[bytes, None, None]:
    """Make an export in pieces worth sending; the first is empty, and comes as soon as the library is open."""
    with _slots.place(client), Library(pool.path, any_thread=True) as library:
        yield b""
        gathered = bytearray()
        for part in exports.written(kind, head, exports.rows(library, engine, search, head)):
            gathered += part
            if len(gathered) >= PIECE:
                yield bytes(gathered)
                gathered.clear()
        yield bytes(gathered)
