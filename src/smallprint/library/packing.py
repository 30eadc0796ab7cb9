"""Captures, made ready for the library: compressed and named by their content. Pure, so that workers can do it."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass
from datetime import UTC, datetime

import zstandard

from smallprint.errors import DamagedText
from smallprint.records import BlockKind, Capture, Link, NamedDocument, PackedPage, Page, Reason, Segment, Span

LEVEL = 6
NAME_DIGITS = 32
# The largest page taken in is 10 MB, and annotations are smaller than their text; a gigabyte is no size of ours.
MOST_BYTES = 1 << 30
# Raised whenever the clean stage would read the same page differently: tells a company's change from our own.
CLEANER = 5
# What another cleaner, classifier or setting may judge differently. The others were never read as pages: a page that
# is too large is not worth its room, and the rest has no bytes.
JUDGED_AGAIN = frozenset({Reason.UNREADABLE, Reason.TOO_SHORT, Reason.NOT_ENGLISH, Reason.NOT_POLICY, Reason.MOVED})


@dataclass(frozen=True, slots=True)
class Packed:
    """A capture as rows and blobs; `given_title` is None where it is not known whether its source gave one.

    `texts` are the rows of its text and of the whole page's: id, characters, compressed content.
    """

    policy_id: str
    version_id: str
    url: str
    domain: str
    asked_url: str
    source: str
    captured_at: str
    page_id: str
    page: PackedPage
    text_id: str
    page_text_id: str
    texts: tuple[tuple[str, int, bytes], ...]
    title: str
    p_policy: float
    effective_on: str | None
    updated_on: str | None
    words: int
    segments: tuple[tuple[int, str, int, int, str, str | None, str], ...]
    shingles: int
    bands: tuple[int, ...]
    given_title: str | None = ""
    links: str = "[]"
    language: str = "en"
    documents: str = "[]"
    cleaner: int = CLEANER


def pack(capture: Capture) -> Packed:
    """Compress a capture and name its page, texts and version by their content."""
    page = pack_page(capture.page)
    texts = _text_row(capture.text), _text_row(capture.page_text)
    text_id, page_text_id = (text_id for text_id, *_ in texts)
    return Packed(
        capture.policy_id, version_id(capture.policy_id, text_id), capture.url, capture.domain, capture.page.url,
        capture.page.source, moment(capture.page.fetched_at), page.page_id, page, text_id, page_text_id, texts,
        capture.title, capture.p_policy, capture.effective_on, capture.updated_on, len(capture.text.split()),
        tuple(_row(segment) for segment in capture.segments), capture.shingles,
        tuple(int.from_bytes(band, "big", signed=True) for band in capture.bands), page.title,
        json.dumps([(link.start, link.end, link.url) for link in capture.links], separators=(",", ":")),
        capture.language,
        json.dumps([(document.kind, document.title) for document in capture.documents], ensure_ascii=False),
    )  # fmt: skip


def pack_page(page: Page) -> PackedPage:
    """Compress a page and name it by its content."""
    title = (page.title or "").encode("utf-8", "replace").decode("utf-8")  # lone surrogates cannot be stored
    size = len(page.content)
    return PackedPage(
        name(page.content), page.kind, page.charset, size, compress(page.content), page.final_url, title, CLEANER
    )


def unpack_segment(
    ordinal: int, kind: BlockKind, start: int, end: int, headings: str, lead: str | None, spans: str
) -> Segment:
    """Read a segment back from its row; ValueError or TypeError where the row cannot be read."""
    lead_in = Span(*json.loads(lead)) if lead else None
    sentences = tuple(Span(first, last) for first, last in json.loads(spans))
    return Segment(ordinal, kind, start, end, tuple(json.loads(headings)), lead_in, sentences)


def unpack_links(links: str | None) -> tuple[Link, ...]:
    """Read a version's links back; ValueError or TypeError where they cannot be read."""
    return tuple(Link(*link) for link in json.loads(links or "[]"))


def unpack_documents(documents: str | None) -> tuple[NamedDocument, ...]:
    """Read the other documents on a version's page back; ValueError or TypeError where they cannot be read."""
    return tuple(NamedDocument(kind, title) for kind, title in json.loads(documents or "[]"))


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
    content = decompress(blob, what, 4 * characters if isinstance(characters, int) else 0)
    # What has the right hash was encoded by us.
    if name(content) != text_id or len(text := content.decode()) != characters:
        raise DamagedText(damage(what))
    return text


def unpack_page(blob: bytes, page_id: str, size: int, what: str) -> bytes:
    """Return a stored page; DamagedText where it is not the page that its id names."""
    content = decompress(blob, what, size if isinstance(size, int) else 0)
    if name(content) != page_id or len(content) != size:
        raise DamagedText(damage(what))
    return content


def damage(what: str) -> str:
    """Return the message that something stored is damaged, and what to do."""
    return (
        f"{what} is damaged: it is not what was stored; 'smallprint check' lists all damage, then restore a backup or "
        "ingest the source again with --again"
    )


def _text_row(text: str) -> tuple[str, int, bytes]:
    content = text.encode()
    return name(content), len(text), compress(content)


def _row(segment: Segment) -> tuple[int, str, int, int, str, str | None, str]:
    lead_in = json.dumps((segment.lead_in.start, segment.lead_in.end)) if segment.lead_in else None
    spans = json.dumps([(span.start, span.end) for span in segment.sentences], separators=(",", ":"))
    headings = json.dumps(segment.headings, ensure_ascii=False)
    return segment.ordinal, segment.kind, segment.start, segment.end, headings, lead_in, spans


class _Codecs(threading.local):
    """One of each a thread: used by two at once they spoil each other's bytes, or end the process."""

    def __init__(self) -> None:
        # Annotations are named by no hash; four bytes a frame let a flipped bit in one be seen.
        self.compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
        self.decompressor = zstandard.ZstdDecompressor()


_codecs = _Codecs()
