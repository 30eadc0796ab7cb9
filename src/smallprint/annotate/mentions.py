"""A policy's text in, the tracking technologies, self-regulatory bodies and regulations that it names out, with places.

The table is data, `mentions.toml`; here it is read and applied, in time that grows with the text and no faster.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections import Counter
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from smallprint.annotate.kinds import Annotator, Kind, to_json
from smallprint.records import Mention, MentionGroup

_TABLE = (resources.files("smallprint.annotate") / "mentions.toml").read_bytes()
# Raise the number when the code below finds other mentions with the same table.
_CODE = 1
VERSION = f"{_CODE}.{hashlib.sha256(_TABLE).hexdigest()[:8]}"
# How far from a match the words may stand that vouch for it, and those that speak against it begin or end.
NEAR, ASIDE = 120, 64
# No match is longer.
REACH = 80
_BLANK = r"(?:[\s-]{1,3})"
# Each stands for one character, so that places stay what they are in the text.
_PLAIN = (("’", "'"), ("‘", "'"), ("\xa0", " "), ("\n", " "), ("\t", " "), ("‐", "-"), ("‑", "-"), ("–", "-"))

_Place = tuple[int, int]


class Name(NamedTuple):
    """Something a policy can name: its group, our id, and what we call it to people."""

    group: MentionGroup
    id: str
    plain: str


class _Pattern(NamedTuple):
    hints: list[str]
    words: re.Pattern[str]
    case: bool = False
    near: re.Pattern[str] | None = None
    elsewhere: bool = False


class _Entry(NamedTuple):
    name: Name
    patterns: tuple[_Pattern, ...]
    unless: re.Pattern[str] | None


@cache
def names() -> tuple[Name, ...]:
    """Return all that can be found, in the table's order: technologies, bodies, regulations."""
    return tuple(entry.name for entry in _entries())


def find(text: str) -> tuple[Mention, ...]:
    """Find what a text names, by place; the places of one name do not overlap."""
    plain = _plain(text)
    folded = plain.lower()
    mentions = (
        Mention(entry.name.group, entry.name.id, start, end)
        for entry in _entries()
        for start, end in _places(entry, plain, folded)
    )
    return tuple(sorted(mentions, key=lambda mention: (mention.start, mention.end)))


def _places(entry: _Entry, plain: str, folded: str) -> list[_Place]:
    """Find an entry's places: first the sure ones, which may vouch for the others."""
    kept: list[_Place] = []
    sure = False
    for pattern in entry.patterns:
        for start, end in _matches(pattern, plain if pattern.case else folded):
            aside = entry.unless.finditer(folded, max(0, start - ASIDE), end + ASIDE) if entry.unless else ()
            if any(match.start() < end and match.end() > start for match in aside):
                continue
            if pattern.near is None:
                sure = True
            elif not (pattern.elsewhere and sure) and not _is_near(pattern.near, start, end, folded):
                continue
            kept.append((start, end))
    return _apart(kept)


def _matches(pattern: _Pattern, text: str) -> list[_Place]:
    """Match within reach of the hints only, which takes a quarter of the time."""
    hinted: list[int] = []
    for hint in pattern.hints:
        at = text.find(hint)
        while at >= 0:
            hinted.append(at)
            at = text.find(hint, at + REACH)
    reaches: list[_Place] = []
    for at in sorted(hinted):
        start, end = max(0, at - REACH), at + 2 * REACH
        if reaches and start <= reaches[-1][1]:
            start = reaches.pop()[0]
        reaches.append((start, end))
    return [match.span() for start, end in reaches for match in pattern.words.finditer(text, start, end)]


def _is_near(near: re.Pattern[str], start: int, end: int, folded: str) -> bool:
    return bool(near.search(folded, max(0, start - NEAR), start) or near.search(folded, end, end + NEAR))


def _apart(places: list[_Place]) -> list[_Place]:
    """Keep the first of overlapping places, and of those that begin together the longest."""
    kept: list[_Place] = []
    for place in sorted(places, key=lambda place: (place[0], -place[1])):
        if not kept or place[0] >= kept[-1][1]:
            kept.append(place)
    return kept


def _plain(text: str) -> str:
    """Return a text with plain quotes, hyphens and blanks and in Latin-1, every character in its place."""
    for odd, plain in _PLAIN:
        text = text.replace(odd, plain)
    # What is beyond Latin-1 becomes "?": no pattern names it, and small letters never take more room than capitals.
    return text.encode("latin-1", "replace").decode("latin-1")


@cache
def _entries() -> tuple[_Entry, ...]:
    entries = []
    for row in tomllib.loads(_TABLE.decode("utf-8"))["names"]:
        patterns = tuple(_Pattern(**_with_compiled(pattern)) for pattern in row["patterns"])
        entries.append(_Entry(Name(row["group"], row["id"], row["name"]), patterns, _with_compiled(row).get("unless")))
    return tuple(entries)


def _with_compiled(table: dict[str, Any]) -> dict[str, Any]:
    """Return a table with its lists of alternatives as patterns."""
    return table | {
        field: re.compile(rf"\b(?:{'|'.join(table[field]).replace(' ', _BLANK)})(?!\w)")
        for field in ("words", "near", "unless")
        if field in table
    }


def _decode(content: bytes) -> tuple[Mention, ...]:
    groups = {name.id: name.group for name in names()}
    return tuple(Mention(groups[name], name, start, end) for name, start, end in json.loads(content) if name in groups)


KIND = Kind(
    name="mentions",
    annotator=lambda quality: Annotator("mentions", "patterns", VERSION),
    make=lambda document, model: find(document.text),
    encode=lambda mentions: to_json([(mention.name, mention.start, mention.end) for mention in mentions]),
    decode=_decode,
    rows=lambda mentions: tuple(sorted(Counter(mention.name for mention in mentions).items())),
    table="mentioned",
)
