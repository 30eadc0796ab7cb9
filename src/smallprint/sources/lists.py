"""Addresses for the crawler, from lists of URLs, tables of domains, and indexes of the Common Crawl."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator

from smallprint.domains import host_of
from smallprint.errors import BadAddress
from smallprint.records import FrontierItem, Reason, Rejection
from smallprint.sources.items import Candidate, Tally, checked_address, numbered_lines, unreadable
from smallprint.sources.streams import ByteStream

DOMAIN_COLUMNS = ("domain", "website", "url", "host", "hostname", "site")
DOMAIN = re.compile(r"(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+(?=[^.]*[a-z])[a-z0-9-]{2,63}")
DELIMITERS = (",", "\t", ";")
HTML_TYPES = {"text/html", "application/xhtml+xml"}
# A CDX line: com,example)/privacy 20240501120000 {"url": ...}, or the same with columns in place of the object.
INDEX_LINE = re.compile(rb"\S+ \d{4,17} (?P<object>\{.*\}|(?P<url>[^{\s]\S*) (?P<mime>\S+) (?P<status>\S+)( .*)?)\s*")


def read_urls(
    stream: ByteStream, source: str, *, candidate: Candidate, skip: int = 0
) -> Iterator[tuple[int, FrontierItem | Rejection]]:
    """Read one address a line, after the first `skip` lines; blank lines and # comments are passed over."""
    for number, line in _filled_lines(stream, source, skip):
        yield number, line if isinstance(line, Rejection) else _visit(line, number, source, candidate)


def read_domains(stream: ByteStream, source: str, *, skip: int = 0) -> Iterator[tuple[int, FrontierItem | Rejection]]:
    """Read one domain a row, after the first `skip` lines, as a home page to visit.

    The column is the one that a heading names; without headings, the first in which a domain stands.
    """
    table = _Table()
    for number, line in _filled_lines(stream, source, 0):  # the first lines show the column, skipped or not
        if isinstance(line, Rejection):
            item: FrontierItem | Rejection = line
        elif table.is_heading(line):
            continue
        elif domain := table.domain(line):
            item = FrontierItem(f"https://{domain}/", home=True)
        else:
            item = unreadable(source, number, f"line {number} has no domain in it: {line[:80]!r}")
        if number > skip:
            yield number, item


def read_index(
    stream: ByteStream, source: str, *, candidate: Candidate, tally: Tally, skip: int = 0
) -> Iterator[tuple[int, FrontierItem | Rejection]]:
    """Read a CDX or CDXJ index after the first `skip` lines: candidates that were answered with an HTML page.

    The others are only counted.
    """
    for number, line in numbered_lines(stream, source, skip):
        if isinstance(line, Rejection):
            yield number, line
        elif not line.strip() or line.startswith((b" CDX", b"!")):  # headings
            continue
        elif (entry := _entry(line)) is None:
            yield number, unreadable(source, number, f"line {number} is no line of a CDX index")
        elif entry["status"] != "200" or entry["mime"] not in HTML_TYPES or not candidate(entry["url"]):
            tally.passed_over += 1
        else:
            yield number, _visit(entry["url"], number, source, candidate)


class _Table:
    """Knows in which column of a table the domains stand, once it has seen enough of it."""

    def __init__(self) -> None:
        self._column: int | None = None
        self._delimiter = ","
        self._begun = False

    def is_heading(self, line: str) -> bool:
        """Look at the first line for headings; no other line is one."""
        if self._begun:
            return False
        self._begun = True
        self._delimiter = max(DELIMITERS, key=line.count)
        headings = [cell.lower() for cell in self._cells(line)]
        self._column = next((headings.index(name) for name in DOMAIN_COLUMNS if name in headings), None)
        return self._column is not None

    def domain(self, line: str) -> str | None:
        """Find the row's domain."""
        cells = self._cells(line)
        if self._column is None:
            self._column = next((i for i, cell in enumerate(cells) if domain_in(cell)), None)
        if self._column is None or self._column >= len(cells):
            return None
        return domain_in(cells[self._column])

    def _cells(self, line: str) -> list[str]:
        try:
            return [cell.strip() for cell in next(csv.reader([line], delimiter=self._delimiter), [])]
        except csv.Error:  # a cell of more than 128 KiB
            return []


def domain_in(cell: str) -> str | None:
    """Give the domain that a cell holds, as such or as a web address."""
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


def _visit(url: str, number: int, source: str, candidate: Candidate) -> FrontierItem | Rejection:
    try:
        address = checked_address(url)
    except BadAddress as error:
        return unreadable(source, number, f"line {number}: {error}")
    if not address.startswith(("http://", "https://")):
        return unreadable(source, number, f"line {number}: {url[:200]!r} is not on the web")
    if not candidate(address):
        return Rejection(address, Reason.NOT_CANDIDATE, "the address names no privacy policy", source, fetched_at="")
    return FrontierItem(address)


def _entry(line: bytes) -> dict[str, str] | None:
    found = INDEX_LINE.fullmatch(line)
    if not found:
        return None
    if found["url"] is not None:
        return {name: found[name].decode("utf-8", errors="replace") for name in ("url", "mime", "status")}
    try:
        row = json.loads(found["object"].decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(row.get("url"), str):
        return None
    return {
        "url": row["url"],
        "mime": str(row.get("mime-detected") or row.get("mime")),
        "status": str(row.get("status")),
    }
