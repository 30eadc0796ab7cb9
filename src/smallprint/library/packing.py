"""Captures, made ready for the library: compressed and named by their content. Pure, so that workers can do it."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass
from datetime import UTC, datetime

import zstandard

from smallprint.records import Capture, PageKind, Segment, Span

LEVEL = 6
NAME_DIGITS = 32
# Raised whenever the clean stage would read the same page differently: tells a company's change from our own.
CLEANER = 1


@dataclass(frozen=True, slots=True)
class Packed:
    """A capture as rows and blobs."""

    policy_id: str
    version_id: str
    url: str
    domain: str
    asked_url: str
    source: str
    captured_at: str
    page_id: str
    page_kind: PageKind
    page_charset: str | None
    page_bytes: int
    page: bytes
    text_id: str
    characters: int
    text: bytes
    page_text_id: str
    page_characters: int
    page_text: bytes
    title: str
    p_policy: float
    effective_on: str | None
    updated_on: str | None
    words: int
    segments: tuple[tuple[int, str, int, int, str, str | None, str], ...]
    shingles: int
    bands: tuple[int, ...]


def pack(capture: Capture) -> Packed:
    """Compress a capture and name its page, texts and version by their content."""
    page = capture.page
    text, page_text = capture.text.encode(), capture.page_text.encode()
    text_id = name(text)
    return Packed(
        capture.policy_id, version_id(capture.policy_id, text_id), capture.url, capture.domain, page.url, page.source,
        moment(page.fetched_at), name(page.content), page.kind, page.charset, len(page.content), compress(page.content),
        text_id, len(capture.text), compress(text), name(page_text), len(capture.page_text), compress(page_text),
        capture.title, capture.p_policy, capture.effective_on, capture.updated_on, len(capture.text.split()),
        tuple(_row(segment) for segment in capture.segments), capture.shingles,
        tuple(int.from_bytes(band, "big", signed=True) for band in capture.bands),
    )  # fmt: skip


def unpack_segment(
    ordinal: int, kind: str, start: int, end: int, headings: str, lead: str | None, spans: str
) -> Segment:
    """Read a segment back from its row."""
    return Segment(
        ordinal,
        kind,  # type: ignore[arg-type]  # what was written was a BlockKind
        start,
        end,
        tuple(json.loads(headings)),
        Span(*json.loads(lead)) if lead else None,
        tuple(Span(a, b) for a, b in json.loads(spans)),
    )


def moment(stamp: str) -> str:
    """Write a time so that times sort as text: in UTC, with a "Z"; dates and months stay as they are."""
    if len(stamp) <= len("2020-12-31"):
        return stamp
    try:
        when = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp
    return (when.astimezone(UTC) if when.tzinfo else when).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def name(content: bytes) -> str:
    """Name a page or a text by its content."""
    return hashlib.sha256(content).hexdigest()[:NAME_DIGITS]


def version_id(policy_id: str, text_id: str) -> str:
    """Name a version by its policy and its text."""
    return f"{policy_id}@{text_id[:8]}"


def compress(content: bytes) -> bytes:
    """Compress a blob for the library."""
    return _codecs.compressor.compress(content)


def decompress(blob: bytes) -> bytes:
    """Give back what was compressed."""
    return _codecs.decompressor.decompress(blob)


def _row(segment: Segment) -> tuple[int, str, int, int, str, str | None, str]:
    return (
        segment.ordinal,
        segment.kind,
        segment.start,
        segment.end,
        json.dumps(segment.headings, ensure_ascii=False),
        json.dumps((segment.lead_in.start, segment.lead_in.end)) if segment.lead_in else None,
        json.dumps([(span.start, span.end) for span in segment.sentences], separators=(",", ":")),
    )


class _Codecs(threading.local):
    """One of each a thread: used by two at once they spoil each other's bytes, or end the process."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


_codecs = _Codecs()
