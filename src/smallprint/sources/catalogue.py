"""Whatever a user names as a source, opened as what it is: the one door to folders, JSON lines, archives and lists."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from smallprint.errors import BadSource
from smallprint.records import Page, Reason, Rejection
from smallprint.settings import Settings
from smallprint.sources.archives import read_archive
from smallprint.sources.candidates import is_candidate
from smallprint.sources.folders import KINDS as PAGE_SUFFIXES
from smallprint.sources.folders import listing, read_folder
from smallprint.sources.items import Item, Numbered, Tally
from smallprint.sources.jsonl import FieldMap, read_jsonl
from smallprint.sources.lists import INDEX_LINE, domain_in, read_domains, read_index, read_urls
from smallprint.sources.streams import CHUNK, ByteStream, bad_source, file_status, open_stream

Kind = Literal["folder", "jsonl", "warc", "urls", "domains", "cdx"]

COMPRESSED = (".gz", ".zst", ".bz2")
SUFFIXES: dict[str, Kind] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".warc": "warc",
    ".wet": "warc",
    ".csv": "domains",
    ".tsv": "domains",
    ".cdx": "cdx",
    ".cdxj": "cdx",
    ".html": "folder",
    ".htm": "folder",
    ".xhtml": "folder",
    ".md": "folder",
}
# Sources of the whole web, in which only likely addresses are looked at unless the user says otherwise.
WHOLE_WEB: frozenset[Kind] = frozenset({"warc", "urls", "cdx"})
KNOWN_KINDS = (
    "a folder or file of HTML or text, JSON lines, a WARC or WET archive, a list of URLs or domains, a CDX index"
)


@dataclass(slots=True)
class Opened:
    """A source that is ready to be read.

    `name` is what pages carry as their source; `fingerprint` changes when the content or the way of reading it does;
    `total` counts bytes of the file, or files of a folder, as `unit` says.
    """

    path: Path
    kind: Kind
    name: str
    fingerprint: str
    total: int
    only_candidates: bool
    max_page_bytes: int
    mapping: FieldMap
    tally: Tally = field(default_factory=Tally)
    _stream: ByteStream | None = field(default=None, repr=False)
    _files: int = field(default=0, repr=False)

    @property
    def unit(self) -> Literal["bytes", "files"]:
        """Say what `total` counts."""
        return "files" if self.kind == "folder" else "bytes"

    @property
    def wants_candidates(self) -> bool:
        """Tell whether this is a source of the whole web, in which few pages are policies."""
        return self.kind in WHOLE_WEB

    def items(self, skip: int = 0) -> Iterator[Numbered]:
        """Give (position, item) for all after the first `skip` records; a position serves as the next run's `skip`."""
        self.tally.passed_over = 0
        if self.kind == "folder":
            for position, page in read_folder(self.path, self.name, max_bytes=self.max_page_bytes, skip=skip):
                self._files = position
                yield position, self._chosen(page)
            return
        with open_stream(self.path) as self._stream:
            yield from self._read(self._stream, skip)

    def fraction(self) -> float:
        """Say which part of the source is read, from 0 to 1."""
        done = self._files if self.kind == "folder" else self._stream.done if self._stream else 0
        return min(1.0, done / self.total) if self.total else 1.0

    def _read(self, stream: ByteStream, skip: int) -> Iterator[Numbered]:
        if self.kind == "jsonl":
            rows = read_jsonl(stream, self.name, mapping=self.mapping, max_bytes=self.max_page_bytes, skip=skip)
            return ((position, self._chosen(page)) for position, page in rows)
        if self.kind == "warc":
            limit, tally = self.max_page_bytes, self.tally
            return read_archive(stream, self.name, candidate=self._wanted, max_bytes=limit, tally=tally, skip=skip)
        if self.kind == "urls":
            return read_urls(stream, self.name, candidate=self._wanted, skip=skip)
        if self.kind == "cdx":
            return read_index(stream, self.name, candidate=self._wanted, tally=self.tally, skip=skip)
        return read_domains(stream, self.name, skip=skip)

    def _wanted(self, url: str) -> bool:
        return not self.only_candidates or is_candidate(url)

    def _chosen(self, item: Page | Rejection) -> Item:
        """Turn away pages that were handed over one by one, if their address is no candidate."""
        if isinstance(item, Rejection) or self._wanted(item.url) or self._wanted(item.final_url or ""):
            return item
        detail = "the address names no privacy policy"
        return Rejection(item.url, Reason.NOT_CANDIDATE, detail, item.source, item.fetched_at)


def open_source(spec: str | Path, settings: Settings, fields: FieldMap | None = None) -> Opened:
    """Open a source by its path; raises BadSource where it is not there, may not be read, or is of no known kind."""
    path, mapping = Path(spec).expanduser(), fields or FieldMap()
    if _is_folder(path):
        kind: Kind = "folder"
    else:
        kind = kind_of(path)
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
        max_page_bytes=settings.max_page_bytes,
        mapping=mapping,
    )


def kind_of(path: Path) -> Kind:
    """Tell what a file holds: by its suffix, and by how it begins where that says too little."""
    with open_stream(path) as stream:
        head = stream.read(CHUNK)
    if head.lstrip().startswith(b"WARC/"):
        return "warc"
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSED]
    suffix = suffixes[-1] if suffixes else ""
    kind = SUFFIXES.get(suffix) or _sniffed(head)
    if kind == "warc" and head:
        raise BadSource(f"{path} is no web archive, whatever its name: it does not begin with WARC/")
    if kind is None and suffix in PAGE_SUFFIXES:
        return "folder"
    if kind is None:
        raise BadSource(f"{path} is of no known kind; a source is {KNOWN_KINDS}")
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
    """Give a file's name without the suffixes we know, in plain text whatever its bytes are."""
    short = path.resolve().name
    while (suffix := Path(short).suffix.lower()) and (suffix in COMPRESSED or suffix in SUFFIXES or suffix == ".txt"):
        short = short[: -len(suffix)]
    return os.fsencode(short or path.name).decode("utf-8", errors="replace")
