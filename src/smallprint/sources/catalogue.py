"""Whatever a user names as a source, opened as what it is: the one door to folders, JSON lines, archives and lists."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from smallprint.errors import BadSource
from smallprint.records import Page
from smallprint.settings import Settings
from smallprint.sources.archives import read_archive
from smallprint.sources.folders import KINDS as PAGE_SUFFIXES
from smallprint.sources.folders import listing, read_folder
from smallprint.sources.items import Numbered, Source
from smallprint.sources.jsonl import FieldMap, read_jsonl
from smallprint.sources.lists import INDEX_LINE, domain_in, read_domains, read_index, read_urls
from smallprint.sources.streams import CHUNK, ByteStream, bad_source, file_status, open_stream

Kind = Literal["folder", "jsonl", "warc", "urls", "domains", "cdx"]

COMPRESSED = (".gz", ".zst", ".bz2")
SUFFIXES: dict[str, Kind] = {
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".warc", ".wet"), "warc"),
    **dict.fromkeys((".csv", ".tsv"), "domains"),
    **dict.fromkeys((".cdx", ".cdxj"), "cdx"),
    **dict.fromkeys((".html", ".htm", ".xhtml", ".md"), "folder"),
}
# Sources of the whole web, in which only likely addresses are looked at unless the user says otherwise.
WHOLE_WEB: frozenset[Kind] = frozenset({"warc", "urls", "cdx"})
KNOWN_KINDS = (
    "a folder or file of HTML or text, JSON lines, a WARC or WET archive, a list of URLs or domains, a CDX index"
)
READERS: dict[Kind, Callable[[ByteStream, Source, int], Iterator[Numbered]]] = {
    "jsonl": read_jsonl,
    "warc": read_archive,
    "urls": read_urls,
    "domains": read_domains,
    "cdx": read_index,
}


@dataclass(slots=True, kw_only=True)
class Opened(Source):
    """A source to be read; `fingerprint` changes with content and kind, `total` counts bytes, or a folder's files."""

    path: Path
    kind: Kind
    fingerprint: str
    total: int
    _stream: ByteStream | None = field(default=None, repr=False)
    _position: int = field(default=0, repr=False)

    def items(self, skip: int = 0) -> Iterator[Numbered]:
        """Yield (position, item) for all after the first `skip` records; a position serves as the next run's `skip`."""
        self.passed_over = 0
        for position, item in self._records(skip):
            self._position = position
            if isinstance(item, Page) and not (self.wants(item.url) or self.wants(item.final_url or "")):
                yield position, self.not_candidate(item.url, item.fetched_at)
            else:
                yield position, item

    def fraction(self) -> float:
        """Return which part of the source is read, from 0 to 1."""
        done = self._position if self.kind == "folder" else self._stream.done if self._stream else 0
        return min(1.0, done / self.total) if self.total else 1.0

    def _records(self, skip: int) -> Iterator[Numbered]:
        if self.kind == "folder":
            yield from read_folder(self.path, self.name, max_bytes=self.max_bytes, skip=skip)
        else:
            with open_stream(self.path) as self._stream:
                yield from READERS[self.kind](self._stream, self, skip)


def open_source(spec: str | Path, settings: Settings, fields: FieldMap | None = None) -> Opened:
    """Open a source by its path; raises BadSource where it is not there, may not be read, or is of no known kind."""
    path, mapping = Path(spec).expanduser(), fields or FieldMap()
    kind: Kind = "folder" if _is_folder(path) else kind_of(path)
    only_candidates = settings.candidates == "url" or (settings.candidates == "auto" and kind in WHOLE_WEB)
    total, content_hash = listing(path) if kind == "folder" else _file_hash(path)
    reading = f"{path.name} {kind} {only_candidates} {mapping if kind == 'jsonl' else ''} {content_hash}"
    return Opened(
        path=path,
        kind=kind,
        name=f"{kind}:{_short_name(path)}",
        fingerprint=hashlib.sha256(reading.encode("utf-8", "surrogateescape")).hexdigest(),
        total=total,
        only_candidates=only_candidates,
        max_bytes=settings.max_page_bytes,
        mapping=mapping,
    )


def kind_of(path: Path) -> Kind:
    """Return what a file holds: by its suffix, and by how it begins where that says too little."""
    with open_stream(path) as stream:
        head = stream.read(CHUNK)
    if head.lstrip().startswith(b"WARC/"):
        return "warc"
    *_, suffix = ("", *(suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSED))
    kind = SUFFIXES.get(suffix) or _sniffed(head)
    if kind == "warc" and head:
        raise BadSource(f"{path} is not a web archive, although it is named like one: it does not begin with WARC/")
    if kind is None and suffix in PAGE_SUFFIXES:
        return "folder"
    if kind is None:
        raise BadSource(f"{path} is of an unknown kind; a source is {KNOWN_KINDS}")
    return kind


def _sniffed(head: bytes) -> Kind | None:
    lines = [line.strip() for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 50)[:50]]
    lines = [line for line in lines if line and not line.startswith(b"#")][:20]
    if not lines:
        return None
    if lines[0].startswith(b"{"):
        return "jsonl"
    if lines[0].startswith(b"<"):
        return "folder"
    if lines[0].startswith(b"CDX ") or INDEX_LINE.fullmatch(lines[0]):
        return "cdx"
    # A page of text may begin with an address; a list goes on with them.
    texts = [line.decode("utf-8", errors="replace") for line in lines]
    if all(re.fullmatch(r"https?://\S+", text, re.IGNORECASE) for text in texts):
        return "urls"
    if all(any(map(domain_in, re.split("[,;\t]", text))) for text in texts):
        return "domains"
    return None


def _is_folder(path: Path) -> bool:
    try:
        if not path.is_dir():
            return False
        os.scandir(path).close()
    except (OSError, ValueError) as error:
        raise bad_source(path, error) from None
    return True


def _file_hash(path: Path) -> tuple[int, str]:
    status = file_status(path)
    with path.open("rb") as file:
        head = file.read(CHUNK)
        file.seek(max(0, status.st_size - CHUNK))
        tail = file.read(CHUNK)
    state = f"{status.st_size} {status.st_mtime_ns} "
    return status.st_size, hashlib.sha256(state.encode() + head + tail).hexdigest()


def _short_name(path: Path) -> str:
    """Return a file's name without the suffixes we know, in plain text whatever its bytes are."""
    short = path.resolve().name
    while (suffix := Path(short).suffix.lower()) and (suffix in COMPRESSED or suffix in SUFFIXES or suffix == ".txt"):
        short = short[: -len(suffix)]
    return os.fsencode(short or path.name).decode("utf-8", errors="replace")
