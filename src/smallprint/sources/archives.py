"""Pages from web archives: WARC files with what servers answered, WET files with the text made of it."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from typing import BinaryIO, cast

from smallprint import limits
from smallprint.errors import BadAddress
from smallprint.records import Page, Reason, Rejection
from smallprint.sources.guard import BROKEN_BODY, ENCODINGS
from smallprint.sources.items import MEDIA_TYPES, Source, checked_address, iso_date, unreadable
from smallprint.sources.streams import CHUNK, ByteStream, Part

with warnings.catch_warnings():  # fastwarc 1.1.0 warns of its own old names when it is imported
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.stream_io import ChunkedReader, ZstdReader
    from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType


# What the crawler's decoders do not read, or not as far: zstd in an archive may ask for a window of up to 128 MiB.
READERS = {"chunked": ChunkedReader, "zstd": ZstdReader}


class _SizeError(ValueError):
    """A page has more bytes than are taken."""


def read_archive(stream: ByteStream, source: Source, skip: int = 0) -> Iterator[tuple[int, Page | Rejection]]:
    """Read the archive's records of HTML or text whose address is a candidate; the others are only counted."""
    position = 0
    for part in stream.parts():
        for record in _records(part):
            position += 1
            if position > skip and (item := _item(record, source)):
                yield position, item
        if part.fault:
            position += 1
            if position > skip:
                yield position, unreadable(source.name, position, f"{part.fault}, after record {position - 1}")


def _item(record: WarcRecord, source: Source) -> Page | Rejection | None:
    """Make a page of a record; None for those that are not looked at."""
    url = (record.headers.get("WARC-Target-URI") or "").strip().removeprefix("<").removesuffix(">")
    answered = record.record_type == WarcRecordType.response and record.is_http
    if not answered and record.record_type != WarcRecordType.conversion:
        return None
    if not source.wants(url):
        source.passed_over += 1
        return None
    date = iso_date(record.headers.get("WARC-Date"))
    try:
        checked_address(url)
        if record.content_length > source.max_bytes + (limits.MAX_HTTP_HEADER_BYTES if answered else 0):
            raise _SizeError
        if answered:
            return _answer(record, url, date, source)
        return Page(url, _body(record, source.max_bytes), "text", source.name, date, charset="utf-8")
    except BadAddress as error:
        return Rejection(url[: limits.MAX_STORED_ADDRESS], Reason.UNREADABLE, str(error), source.name, date)
    except _SizeError:
        return Rejection(url, Reason.TOO_LARGE, f"more than {source.max_bytes:,} bytes", source.name, date)
    except (OSError, EOFError) as error:
        return Rejection(url, Reason.UNREADABLE, f"the record cannot be read ({error})", source.name, date)


def _answer(record: WarcRecord, url: str, date: str, source: Source) -> Page | Rejection | None:
    record.parse_http(max_header_len=limits.MAX_HTTP_HEADER_BYTES, strict_mode=False)
    headers = record.http_headers
    status = headers.status_code if headers is not None else None
    if status is None:
        return Rejection(url, Reason.UNREADABLE, "the record holds no HTTP answer", source.name, date)
    if status != 200:
        return Rejection(url, Reason.NOT_FETCHED, f"status {status}", source.name, date)
    kind = MEDIA_TYPES.get((record.http_content_type or "text/html").strip().lower())
    if kind is None:
        source.passed_over += 1
        return None
    body = _body(record, source.max_bytes)
    for header in ("Transfer-Encoding", "Content-Encoding"):
        for encoding in reversed((headers.get(header) or "").split(",")):
            body = _decoded(body, encoding.strip().lower(), source.max_bytes)
    return Page(url, body, kind, source.name, date, charset=(record.http_charset or "").strip(" \"'") or None)


def _records(part: Part) -> Iterator[WarcRecord]:
    """Yield the records of one part; what breaks them off becomes the part's fault."""
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
    body = _joined(iter(partial(record.reader.read, CHUNK), b""), limit)
    if len(body) < record.content_length:
        raise EOFError("it ends in the middle")
    return body


def _decoded(body: bytes, encoding: str, limit: int) -> bytes:
    """Undo an encoding; a body that is not encoded as its headers say (many are not) stays as it is."""
    try:
        if encoding in READERS:
            return _joined(iter(partial(READERS[encoding](io.BytesIO(body)).read, CHUNK), b""), limit) or body
        decoder = ENCODINGS.get(encoding, ENCODINGS["identity"])()
        decoded = _joined(decoder.feed(body), limit)
    except (OSError, *BROKEN_BODY):
        return body
    # What is no brotli may begin like it, so that only a whole one is believed; a gzip that is cut short has its use.
    return decoded if decoded and (decoder.whole() or encoding != "br") else body


def _joined(chunks: Iterable[bytes], limit: int) -> bytes:
    """Join what is read, but never much more than `limit` bytes."""
    joined = bytearray()
    for chunk in chunks:
        joined += chunk
        if len(joined) > limit:
            raise _SizeError
    return bytes(joined)
