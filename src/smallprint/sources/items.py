"""What a file source gives: numbered items, with the rejections, addresses and dates that all of them make alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from smallprint import limits
from smallprint.domains import normal_url
from smallprint.errors import BadAddress
from smallprint.records import FrontierItem, Page, PageKind, Reason, Rejection
from smallprint.sources.streams import ByteStream

if TYPE_CHECKING:
    from smallprint.sources.jsonl import FieldMap

Item = Page | FrontierItem | Rejection
# An item's position is the `skip` with which a later run goes on after it.
Numbered = tuple[int, Item]
MEDIA_TYPES: dict[str, PageKind] = {"text/html": "html", "application/xhtml+xml": "html", "text/plain": "text"}
ISO_DATE = re.compile(
    r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])"
    r"([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?(\d{2})?)?)?)?)?",
    re.ASCII,
)


@dataclass(slots=True, kw_only=True)
class Source:
    """How a source is read: `name` is what pages carry, `passed_over` counts the records that are no candidates."""

    name: str
    max_bytes: int = limits.MAX_LINE_BYTES
    only_candidates: bool = False
    mapping: FieldMap | None = None
    passed_over: int = 0

    def wants(self, url: str) -> bool:
        """Return whether an address is looked at."""
        return not self.only_candidates or is_candidate(url)

    def not_candidate(self, url: str, fetched_at: str = "") -> Rejection:
        """Turn away an address that is not looked at."""
        return Rejection(url, Reason.NOT_CANDIDATE, "the address names no privacy policy", self.name, fetched_at)


def is_candidate(url: str) -> bool:
    """Return whether an address names privacy, or both data and protection.

    The choice of PrivaSeer (https://doi.org/10.1007/978-3-030-72113-8_22), made on the whole address.
    """
    address = unquote(url).lower()
    return "privacy" in address or ("data" in address and "protection" in address)


def iso_date(value: object) -> str:
    """Return a date as it stands if it is ISO 8601, however coarse ("2020-12"); else nothing."""
    return value if isinstance(value, str) and ISO_DATE.fullmatch(value) else ""


def checked_address(url: str) -> str:
    """Return an address's normal form; raises BadAddress on whatever is none."""
    try:
        url.encode("utf-8")
    except UnicodeEncodeError:
        raise BadAddress(f"{url[:200]!r} contains half a character (a lone surrogate)") from None
    return normal_url(url)


def urn(source: str, key: str | int) -> str:
    """Make an address for what has none; raises UnicodeEncodeError where the key has half a surrogate pair in it."""
    return f"urn:smallprint:{quote(source, safe=':')}:{quote(str(key), safe='/')}"


def unreadable(source: str, position: int, detail: str, reason: Reason = Reason.UNREADABLE) -> Rejection:
    """Turn away a record of which not even the address is known."""
    return Rejection(urn(source, position), reason, detail, source, fetched_at="")


def numbered_lines(stream: ByteStream, source: str, skip: int) -> Iterator[tuple[int, bytes | Rejection]]:
    """Yield the lines after the first `skip` by number, from 1; those that cannot be read come as rejections."""
    number = 0
    for number, line in enumerate(stream.lines(), 1):
        if number <= skip:
            continue
        if line is None:
            yield number, unreadable(source, number, f"line {number} is longer than 64 MB", Reason.TOO_LARGE)
        else:
            # Some editors begin a file with a byte order mark.
            yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
    if stream.fault and number + 1 > skip:
        yield number + 1, unreadable(source, number + 1, f"{stream.fault}, after line {number}")
