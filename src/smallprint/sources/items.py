"""What a file source gives: numbered items, with the rejections, addresses and dates that all of them make alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from smallprint.domains import normal_url
from smallprint.errors import BadAddress
from smallprint.records import FrontierItem, Page, Reason, Rejection
from smallprint.sources.streams import ByteStream

Item = Page | FrontierItem | Rejection
# An item's position is the `skip` with which a later run goes on after it.
Numbered = tuple[int, Item]
Candidate = Callable[[str], bool]

ISO_DATE = re.compile(
    r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])"
    r"([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?(\d{2})?)?)?)?)?",
    re.ASCII,
)


@dataclass(slots=True)
class Tally:
    """What a source passed over without a word: records of the whole web that are no candidates."""

    passed_over: int = 0


def iso_date(value: object) -> str:
    """Give a date as it stands if it is ISO 8601, however coarse ("2020-12"); else nothing."""
    return value if isinstance(value, str) and ISO_DATE.fullmatch(value) else ""


def checked_address(url: str) -> str:
    """Give an address's normal form; raises BadAddress on whatever is none."""
    try:
        url.encode("utf-8")
    except UnicodeEncodeError:
        raise BadAddress(f"{url[:200]!r} has half a surrogate pair in it, which is no text") from None
    return normal_url(url)


def urn(source: str, key: str | int) -> str:
    """Make an address for what has none.

    Raises UnicodeEncodeError where the key has half a surrogate pair in it.
    """
    return f"urn:smallprint:{quote(source, safe=':')}:{quote(str(key), safe='/')}"


def unreadable(source: str, position: int, detail: str, reason: Reason = Reason.UNREADABLE) -> Rejection:
    """Turn away a record of which not even the address is known."""
    return Rejection(urn(source, position), reason, detail, source, fetched_at="")


def numbered_lines(stream: ByteStream, source: str, skip: int) -> Iterator[tuple[int, bytes | Rejection]]:
    """Give the lines after the first `skip` by number, from 1; those that cannot be read come as rejections."""
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
