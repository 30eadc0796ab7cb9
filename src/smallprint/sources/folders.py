"""Pages from files and folders of files: one page a file, under the address that the page itself names."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from smallprint.addresses import is_web
from smallprint.errors import BadAddress, BadSource
from smallprint.records import Page, PageKind, Reason, Rejection
from smallprint.sources.items import checked_address
from smallprint.sources.streams import open_stream

KINDS: dict[str, PageKind] = {".html": "html", ".htm": "html", ".xhtml": "html", ".txt": "text", ".md": "text"}
HEAD_BYTES = 1 << 16
# What browsers write at the top of a saved page: <!-- saved from url=(0043)http://www.example.com/privacy.html -->
SAVED_FROM = re.compile(r"<!--\s*saved from url=(?:\(\d+\))?(\S+)", re.IGNORECASE)


def page_files(root: Path) -> Iterator[Path]:
    """Yield the pages under a folder, or the one file, in an order that is always the same.

    Hidden files are left out, a folder reached by several links is entered once. A folder that may not be entered, and
    a link that leads out of the folder, are given themselves, so that reading them becomes a rejection.
    """
    entered: set[tuple[int, int]] = set()
    waiting = [root]
    while waiting:
        path = waiting.pop()
        inside = None if leads_out(path, root) else _inside(path, entered)
        if inside is None:
            yield path
        else:
            waiting += inside


def leads_out(path: Path, root: Path) -> bool:
    """Return whether a path under a folder links to somewhere else: to what its owner may not have meant to share."""
    if path == root or not path.is_symlink():
        return False
    try:
        return not path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # links in a circle; reading it says so
        return False


def read_folder(root: Path, source: str, *, max_bytes: int, skip: int = 0) -> Iterator[tuple[int, Page | Rejection]]:
    """Read each page under a folder after the first `skip`."""
    for position, path in islice(enumerate(page_files(root), 1), skip, None):
        if leads_out(path, root):
            detail = "a link that leads out of the folder is not followed; name its target as a source of its own"
            yield position, Rejection(path.absolute().as_uri(), Reason.UNREADABLE, detail, source, fetched_at="")
        else:
            yield position, read_page(path, source, max_bytes=max_bytes)


def read_page(path: Path, source: str, *, max_bytes: int) -> Page | Rejection:
    """Read one file; those of more than `max_bytes` are not read at all."""
    address = path.absolute().as_uri()
    try:
        status = path.stat()
        fetched_at = _date_time(status.st_mtime)
        if status.st_size > max_bytes:
            return Rejection(address, Reason.TOO_LARGE, f"{status.st_size:,} bytes", source, fetched_at)
        with open_stream(path) as stream:
            content = stream.read(max_bytes + 1)
    except (OSError, BadSource) as error:
        detail = f"the file cannot be read ({error.strerror})" if isinstance(error, OSError) else str(error)
        return Rejection(address, Reason.UNREADABLE, detail, source, fetched_at="")
    if stream.fault:
        return Rejection(address, Reason.UNREADABLE, stream.fault, source, fetched_at)
    if len(content) > max_bytes:
        return Rejection(address, Reason.TOO_LARGE, f"more than {max_bytes:,} bytes", source, fetched_at)
    kind = KINDS.get(path.suffix.lower(), "html")
    stated = stated_address(content[:HEAD_BYTES]) if kind == "html" else None
    return Page(stated or address, content, kind, source, fetched_at)


def stated_address(head: bytes) -> str | None:
    """Find the web address that a page states for itself: where it was saved from, its canonical link, or og:url."""
    text = head.decode("utf-8", errors="replace")
    if (saved := SAVED_FROM.search(text)) and (address := _web_address(saved[1])):
        return address
    tree = LexborHTMLParser(text)
    for selector, attribute in (("link[rel~=canonical i]", "href"), ('meta[property="og:url" i]', "content")):
        for node in tree.css(selector):
            if address := _web_address(node.attributes.get(attribute) or ""):
                return address
    return None


def listing(root: Path) -> tuple[int, str]:
    """Return the number of a folder's pages, and a hash that changes when any of them does."""
    count, digest = 0, hashlib.sha256()
    for path in page_files(root):
        try:
            status = path.lstat() if leads_out(path, root) else path.stat()
            state = f"{status.st_size} {status.st_mtime_ns}"
        except OSError:
            state = "unreadable"
        digest.update(os.fsencode(path.relative_to(root)) + b"\0" + state.encode() + b"\0")
        count += 1
    return count, digest.hexdigest()


def _inside(path: Path, entered: set[tuple[int, int]]) -> list[Path] | None:
    """List a folder, last name first, once and never again; None for a file, or what cannot be looked into."""
    try:
        status = path.stat()
        if not stat.S_ISDIR(status.st_mode):
            return None
        if (status.st_dev, status.st_ino) in entered:
            return []
        entered.add((status.st_dev, status.st_ino))
        with os.scandir(path) as entries:
            visible = [entry for entry in entries if not entry.name.startswith(".")]
            names = [entry.name for entry in visible if Path(entry.name).suffix.lower() in KINDS or entry.is_dir()]
    except OSError:
        return None
    return [path / name for name in sorted(names, key=os.fsencode, reverse=True)]


def _web_address(text: str) -> str | None:
    address = text.strip()
    with suppress(BadAddress):
        return address if is_web(address) and checked_address(address) else None
    return None


def _date_time(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(int(seconds), UTC).isoformat()
    except (OverflowError, OSError, ValueError):  # a clock far from ours
        return ""
