"""Addresses for the crawler, from lists of URLs, tables of domains, and indexes of the Common Crawl."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator

from smallprint.addresses import is_web
from smallprint.domains import host_of
from smallprint.errors import BadAddress
from smallprint.records import FrontierItem, Rejection
from smallprint.sources.items import MEDIA_TYPES, Source, checked_address, numbered_lines, unreadable
from smallprint.sources.streams import ByteStream

DOMAIN_COLUMNS = ("domain", "website", "url", "host", "hostname", "site")
DOMAIN = re.compile(r"(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+(?=[^.]*[a-z])[a-z0-9-]{2,63}")
DELIMITERS = (",", "\t", ";")
# A CDX line: com,example)/privacy 20240501120000 {"url": ...}, or the same with columns in place of the object.
INDEX_LINE = re.compile(rb"\S+ \d{4,17} (?P<object>\{.*\}|(?P<url>[^{\s]\S*) (?P<mime>\S+) (?P<status>\S+)( .*)?)\s*")


def read_urls(stream: ByteStream, source: Source, skip: int = 0) -> Iterator[tuple[int, FrontierItem | Rejection]]:
    """Read one address a line, after the first `skip` lines; blank lines and # comments are passed over."""
    for number, line in _filled_lines(stream, source.name, skip):
        yield number, line if isinstance(line, Rejection) else _visit(line, number, source)


def read_domains(stream: ByteStream, source: Source, skip: int = 0) -> Iterator[tuple[int, FrontierItem | Rejection]]:
    """Read a home page to visit from each row: the column that a heading names, or the first with a domain in it."""
    delimiter, column = "", None
    for number, line in _filled_lines(stream, source.name, 0):  # the first lines show the column, skipped or not
        item: FrontierItem | Rejection
        if isinstance(line, Rejection):
            item = line
        else:
            if not delimiter:  # only the first line can have headings
                delimiter = max(DELIMITERS, key=line.count)
                headings = [cell.lower() for cell in _cells(line, delimiter)]
                column = next((headings.index(name) for name in DOMAIN_COLUMNS if name in headings), None)
                if column is not None:
                    continue
            cells = _cells(line, delimiter)
            if column is None:
                column = next((place for place, cell in enumerate(cells) if domain_in(cell)), None)
            if column is not None and column < len(cells) and (domain := domain_in(cells[column])):
                item = FrontierItem(f"https://{domain}/", home=True)
            else:
                item = unreadable(source.name, number, f"line {number} has no domain in it: {line[:80]!r}")
        if number > skip:
            yield number, item


def read_index(stream: ByteStream, source: Source, skip: int = 0) -> Iterator[tuple[int, FrontierItem | Rejection]]:
    """Read a CDX or CDXJ index: candidates that were answered with an HTML page; the others are only counted."""
    for number, line in numbered_lines(stream, source.name, skip):
        if isinstance(line, Rejection):
            yield number, line
        elif not line.strip() or line.startswith((b" CDX", b"!")):  # headings
            continue
        elif (entry := _entry(line)) is None:
            yield number, unreadable(source.name, number, f"line {number} is not a line of a CDX index")
        elif entry["status"] != "200" or MEDIA_TYPES.get(entry["mime"]) != "html" or not source.wants(entry["url"]):
            source.passed_over += 1
        else:
            yield number, _visit(entry["url"], number, source)


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:  # a cell of more than 128 KiB
        return []


def domain_in(cell: str) -> str | None:
    """Return the domain that a cell holds, as such or as a web address."""
    if DOMAIN.fullmatch(cell):
        return cell
    try:
        host = host_of(cell if "://" in cell else f"//{cell}")
    except BadAddress:
        return None
    return host if DOMAIN.fullmatch(host) else None


def _filled_lines(stream: ByteStream, source: str, skip: int) -> Iterator[tuple[int, str | Rejection]]:
    for number, line in numbered_lines(stream, source, skip):
        if isinstance(line, Rejection):
            yield number, line
        elif (text := line.decode("utf-8", errors="replace").strip()) and not text.startswith("#"):
            yield number, text


def _visit(url: str, number: int, source: Source) -> FrontierItem | Rejection:
    try:
        address = checked_address(url)
    except BadAddress as error:
        return unreadable(source.name, number, f"line {number}: {error}")
    if not is_web(address):
        return unreadable(source.name, number, f"line {number}: {url[:200]!r} is not on the web")
    return FrontierItem(address) if source.wants(address) else source.not_candidate(address)


def _entry(line: bytes) -> dict[str, str] | None:
    columns = INDEX_LINE.fullmatch(line)
    if not columns:
        return None
    if columns["url"] is not None:
        return {name: columns[name].decode("utf-8", errors="replace") for name in ("url", "mime", "status")}
    try:
        row = json.loads(columns["object"].decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(row.get("url"), str):
        return None
    mime = row.get("mime-detected") or row.get("mime")
    return {"url": row["url"], "mime": str(mime), "status": str(row.get("status"))}
