"""The endpoints that give a whole result as a file: /export, and /export/{id} to make one again."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import closing, contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.concurrency import iterate_in_threadpool
from starlette.responses import Response, StreamingResponse

from smallprint.api.endpoints import endpoint
from smallprint.api.parameters import Asked, Export, ExportAgain
from smallprint.errors import TooManyExports, TooSlow
from smallprint.limits import EXPORT_GRACE_SECONDS, EXPORT_RATE, MAX_CLIENT_EXPORTS, MAX_EXPORTS
from smallprint.server.dependencies import ShelfHere
from smallprint.server.middleware.rates import client_of
from smallprint.shelf import Shelf
from smallprint.shelf.records import Format, Heading, without_paging
from smallprint.shelf.records import Request as Search

router = APIRouter(tags=["export"])

MEDIA: dict[Format, str] = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
}
# Sent at once: a piece costs a change of threads, and a row has some 2 kB.
PIECE = 64_000
LONGEST_NAME = 60
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


class Slots:
    """Places for exports: so many in all, and fewer for any one client; whoever finds none is told to come back."""

    def __init__(self, most: int, most_for_client: int) -> None:
        self._most = most
        self._most_for_client = most_for_client
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._taken.total()

    def check(self, client: str) -> None:
        """Raise TooManyExports where there is no place for a client."""
        if self._taken[client] >= self._most_for_client:
            raise TooManyExports(
                f"{self._most_for_client} exports are being made for you; try again when one of them is done"
            )
        if len(self) >= self._most:
            raise TooManyExports(f"{self._most} exports are being made; try again when one of them is done")

    @contextmanager
    def place(self, client: str) -> Iterator[None]:
        """Hold a place for a client; TooManyExports where there is none."""
        with self._lock:
            self.check(client)
            self._taken[client] += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken[client] -= 1
                self._taken += Counter()  # which drops those at zero


_slots = Slots(MAX_EXPORTS, MAX_CLIENT_EXPORTS)


@endpoint(router, "/export", responses=_CONTENT, response_class=StreamingResponse)
def export(request: Request, asked: Asked[Export], shelf: ShelfHere) -> Response:
    """Export a whole result as a file. It is sent as it is made; HEAD tells its id and name without making it."""
    return _answer(request, shelf, asked.format, without_paging(asked.request()))


@endpoint(router, "/export/{export_id}", 404, 409, responses=_CONTENT, response_class=StreamingResponse)
def export_again(
    request: Request,
    export_id: Annotated[str, Path(description="The id that stands in the export.")],
    asked: Asked[ExportAgain],
    shelf: ShelfHere,
) -> Response:
    """Make an export again. It is the same as long as the library is; if that has changed, the answer is 409."""
    return _answer(request, shelf, asked.format, shelf.exported(export_id, anyway=asked.anyway == "1"))


def file_name(search: Search, head: Heading, kind: Format) -> str:
    """Name an export's file by what it is of: smallprint-cookies-medical-31-policies-2026-11-16.csv."""
    asked = " ".join([search.text, *(value for values in search.chosen.values() for value in values)])
    words = re.sub(r"[^a-z0-9]+", "-", asked.lower()).strip("-")[:LONGEST_NAME].strip("-")
    return (
        "-".join(part for part in ("smallprint", words, str(head.policies), "policies", head.made) if part) + f".{kind}"
    )


def _answer(request: Request, shelf: Shelf, kind: Format, search: Search) -> Response:
    client = client_of(request.scope)
    if request.method != "HEAD":
        _slots.check(client)  # before the result is counted
    head = shelf.heading(search)
    headers = {
        "Content-Disposition": f'attachment; filename="{file_name(search, head, kind)}"',
        "Smallprint-Export-Id": head.export_id,
    }
    if request.method == "HEAD":
        return StreamingResponse(iter(()), headers=headers, media_type=MEDIA[kind])
    pieces = _pieces(shelf.export_pieces(kind, head, search), client)
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


def _pieces(parts: Iterator[bytes], client: str) -> Generator[bytes, None, None]:
    """Make an export in pieces worth sending; the first is empty, and comes as soon as the library is open."""
    with _slots.place(client), closing(parts):  # type: ignore[type-var]
        yield next(parts)
        gathered = bytearray()
        for part in parts:
            gathered += part
            if len(gathered) >= PIECE:
                yield bytes(gathered)
                gathered.clear()
        yield bytes(gathered)
