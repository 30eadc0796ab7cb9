"""Captures, made ready for the library: compressed and named by their content. Pure, so that workers can do it."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass
from datetime import UTC, datetime

import zstandard

from smallprint.errors import DamagedText
from smallprint.records import Capture, Page, PageKind, RejectedPage, Segment, Span

LEVEL = 6
NAME_DIGITS = 32
# The largest page taken in is 10 MB, and annotations are smaller than their text; a gigabyte is no size of ours.
MOST_BYTES = 1 << 30
# Raised whenever the clean stage would read the same page differently: tells a company's change from our own.
CLEANER = 1


@dataclass(frozen=True, slots=True)
class Packed:
    """A capture as rows and blobs; `given_title` is None where it is not known whether its source gave one."""

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
    given_title: str | None = ""
    cleaner: int = CLEANER


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
        tuple(int.from_bytes(band, "big", signed=True) for band in capture.bands), plain_title(page.title),
    )  # fmt: skip


def pack_rejected(page: Page) -> RejectedPage:
    """Compress a page that was turned away, so that it can be judged again."""
    return RejectedPage(
        name(page.content), page.kind, page.charset, len(page.content), compress(page.content), page.final_url,
        plain_title(page.title), CLEANER,
    )  # fmt: skip


def plain_title(title: str | None) -> str:
    """Return a title that can be stored: empty if there is none, and without lone surrogates."""
    return (title or "").encode("utf-8", "replace").decode("utf-8")


def unpack_segment(
    ordinal: int, kind: str, start: int, end: int, headings: str, lead: str | None, spans: str
) -> Segment:
    """Read a segment back from its row; ValueError or TypeError where the row cannot be read."""
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


def decompress(blob: bytes, what: str, most: int = MOST_BYTES) -> bytes:
    """Return what was compressed, of at most so many bytes; DamagedText, naming `what` it is of, where that fails."""
    try:
        # A damaged frame may claim any size, and that much memory would be taken at once.
        size = zstandard.frame_content_size(blob)
        if not 0 <= size <= most:
            raise DamagedText(damage(what))
        # A frame that claims to be empty would be believed without a look at the rest of it.
        return _codecs.decompressor.decompress(blob) if size else _codecs.decompressor.decompressobj().decompress(blob)
    except (zstandard.ZstdError, TypeError, ValueError, MemoryError):
        raise DamagedText(damage(what)) from None


def unpack_text(blob: bytes, text_id: str, characters: int, what: str) -> str:
    """Return a stored text; DamagedText where it is not the text that its id names."""
    content = _unpack(blob, text_id, what, 4 * characters if isinstance(characters, int) else 0)
    text = content.decode()  # what has the right hash was encoded by us
    if len(text) != characters:
        raise DamagedText(damage(what))
    return text


def unpack_page(blob: bytes, page_id: str, size: int, what: str) -> bytes:
    """Return a stored page; DamagedText where it is not the page that its id names."""
    content = _unpack(blob, page_id, what, size if isinstance(size, int) else 0)
    if len(content) != size:
        raise DamagedText(damage(what))
    return content


def damage(what: str) -> str:
    """Return the message that something stored is damaged, and what to do."""
    return (
        f"{what} is damaged: it is not what was stored; 'smallprint check' lists all damage, then restore a backup or "
        "ingest the source again with --again"
    )


def _unpack(blob: bytes, content_id: str, what: str, most: int) -> bytes:
    content = decompress(blob, what, most)
    if name(content) != content_id:
        raise DamagedText(damage(what))
    return content


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
        # Annotations are named by no hash; four bytes a frame let a flipped bit in one be seen.
        self.compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
        self.decompressor = zstandard.ZstdDecompressor()


_codecs = _Codecs()
