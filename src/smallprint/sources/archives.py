"""Pages from web archives: WARC files with what servers answered, WET files with the text made of it."""

from __future__ import annotations

import io
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol, cast

from smallprint import limits
from smallprint.errors import BadAddress
from smallprint.records import Page, PageKind, Reason, Rejection
from smallprint.sources.items import Candidate, Tally, checked_address, iso_date, unreadable
from smallprint.sources.streams import CHUNK, ByteStream, Part

with warnings.catch_warnings():  # fastwarc 1.1.0 warns of its own old names when it is imported
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.stream_io import BrotliReader, ChunkedReader, GzipReader, ZstdReader
    from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

MEDIA_TYPES: dict[str, PageKind] = {"text/html": "html", "application/xhtml+xml": "html", "text/plain": "text"}


class _Reader(Protocol):
    """What gives bytes in portions."""

    def read(self, size: int, /) -> bytes:
        """Give the next bytes, none at the end."""
        ...


class _SizeError(ValueError):
    """A page has more bytes than are taken."""


class _RawDeflate:
    """Reads the deflate data that some servers send without the zlib header they should have."""

    def __init__(self, inner: io.BytesIO) -> None:
        self._inner, self._decoder = inner, zlib.decompressobj(wbits=-15)

    def read(self, size: int) -> bytes:
        try:
            return self._decoder.decompress(self._decoder.unconsumed_tail or self._inner.read(CHUNK), size)
        except zlib.error as error:
            raise OSError(str(error)) from None


# Several readers of one name are tried in turn.
ENCODINGS: dict[str, tuple[Callable[[io.BytesIO], _Reader], ...]] = {
    "chunked": (ChunkedReader,),
    "gzip": (GzipReader,),
    "x-gzip": (GzipReader,),
    "deflate": (lambda inner: GzipReader(inner, zlib=True), _RawDeflate),
    "br": (BrotliReader,),
    "zstd": (ZstdReader,),
}


@dataclass(frozen=True, slots=True)
class _Archive:
    """What holds for all records of one archive."""

    source: str
    candidate: Candidate
    max_bytes: int
    tally: Tally

    def item(self, record: WarcRecord) -> Page | Rejection | None:
        """Make a page of a record; None for those that are not looked at."""
        url = (record.headers.get("WARC-Target-URI") or "").strip().removeprefix("<").removesuffix(">")
        answered = record.record_type == WarcRecordType.response and record.is_http
        if not answered and record.record_type != WarcRecordType.conversion:
            return None
        if not self.candidate(url):
            self.tally.passed_over += 1
            return None
        date = iso_date(record.headers.get("WARC-Date"))
        try:
            checked_address(url)
            if record.content_length > self.max_bytes + (limits.MAX_HTTP_HEADER_BYTES if answered else 0):
                raise _SizeError
            return self._answer(record, url, date) if answered else self._text(record, url, date)
        except BadAddress as error:
            return Rejection(url[: limits.MAX_STORED_ADDRESS], Reason.UNREADABLE, str(error), self.source, date)
        except _SizeError:
            return Rejection(url, Reason.TOO_LARGE, f"more than {self.max_bytes:,} bytes", self.source, date)
        except (OSError, EOFError) as error:
            return Rejection(url, Reason.UNREADABLE, f"the record cannot be read ({error})", self.source, date)

    def _text(self, record: WarcRecord, url: str, date: str) -> Page:
        return Page(url, _body(record, self.max_bytes), "text", self.source, date, charset="utf-8")

    def _answer(self, record: WarcRecord, url: str, date: str) -> Page | Rejection | None:
        record.parse_http(max_header_len=limits.MAX_HTTP_HEADER_BYTES, strict_mode=False)
        headers = record.http_headers
        status = headers.status_code if headers is not None else None
        if status is None:
            return Rejection(url, Reason.UNREADABLE, "the record holds no HTTP answer", self.source, date)
        if status != 200:
            return Rejection(url, Reason.NOT_FETCHED, f"status {status}", self.source, date)
        kind = MEDIA_TYPES.get((record.http_content_type or "text/html").strip().lower())
        if kind is None:
            self.tally.passed_over += 1
            return None
        body = _body(record, self.max_bytes)
        for header in ("Transfer-Encoding", "Content-Encoding"):
            for encoding in reversed((headers.get(header) or "").split(",")):
                body = _decoded(body, encoding.strip().lower(), self.max_bytes)
        return Page(url, body, kind, self.source, date, charset=(record.http_charset or "").strip(" \"'") or None)


def read_archive(
    stream: ByteStream, source: str, *, candidate: Candidate, max_bytes: int, tally: Tally, skip: int = 0
) -> Iterator[tuple[int, Page | Rejection]]:
    """Read the archive's records after the first `skip`, those whose address is a candidate.

    The others, and those that are no HTML or plain text, are only counted.
    """
    archive = _Archive(source, candidate, max_bytes, tally)
    position = 0
    for part in stream.parts():
        for record in _records(part):
            position += 1
            if position <= skip:
                continue
            if item := archive.item(record):
                yield position, item
        if part.fault:
            position += 1
            if position > skip:
                yield position, unreadable(source, position, f"{part.fault}, after record {position - 1}")


def _records(part: Part) -> Iterator[WarcRecord]:
    """Give the records of one part; what breaks them off becomes the part's fault."""
    try:
        for record in ArchiveIterator(cast("BinaryIO", part), parse_http=False, stream_detect=False):
            length = record.headers.get("Content-Length") or ""
            if not (length.isascii() and length.isdigit()):
                part.fault = part.fault or "a record's header is cut short or has no length"
                return
            yield record
            record.consume()
            if record.reader.tell() < record.content_length:
                part.fault = part.fault or "the archive ends in the middle of a record"
    except OSError as error:
        part.fault = part.fault or f"the archive cannot be read further ({error})"


def _body(record: WarcRecord, limit: int) -> bytes:
    if record.content_length > limit:
        raise _SizeError
    body = _taken(record.reader, limit)
    if len(body) < record.content_length:
        raise EOFError("it ends in the middle")
    return body


def _decoded(body: bytes, encoding: str, limit: int) -> bytes:
    """Undo an encoding; a body that is not encoded as its headers say (many are not) stays as it is."""
    for reader in ENCODINGS.get(encoding, ()):
        try:
            decoded = _taken(reader(io.BytesIO(body)), limit)
        except OSError:
            continue
        if decoded:
            return decoded
    return body


def _taken(reader: _Reader, limit: int) -> bytes:
    """Read to the end, but never much more than `limit` bytes."""
    taken = bytearray()
    while chunk := reader.read(CHUNK):
        taken += chunk
        if len(taken) > limit:
            raise _SizeError
    return bytes(taken)
