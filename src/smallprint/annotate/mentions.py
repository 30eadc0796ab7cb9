"""A policy's text in, the tracking technologies, self-regulatory bodies and regulations that it names out, with places.

The table is data, `mentions.toml`; here it is read and applied, in time that grows with the text and no faster.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

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


@dataclass(frozen=True, slots=True)
class _Pattern:
    hints: tuple[str, ...]
    words: re.Pattern[str]
    case: bool
    near: re.Pattern[str] | None
    elsewhere: bool


@dataclass(frozen=True, slots=True)
class _Entry:
    name: Name
    patterns: tuple[_Pattern, ...]
    unless: re.Pattern[str] | None


@cache
def names() -> tuple[Name, ...]:
    """Give all that can be found, in the table's order: technologies, bodies, regulations."""
    return tuple(entry.name for entry in _entries())


def find(text: str) -> tuple[Mention, ...]:
    """Find what a text names, by place; the places of one name do not overlap."""
    plain = _plain(text)
    folded = plain.lower()
    found = [
        Mention(entry.name.group, entry.name.id, start, end)
        for entry in _entries()
        for start, end in _places(entry, plain, folded)
    ]
    return tuple(sorted(found, key=lambda mention: (mention.start, mention.end)))


def _places(entry: _Entry, plain: str, folded: str) -> list[_Place]:
    """Find an entry's places: first the sure ones, which may vouch for the others."""
    kept: list[_Place] = []
    sure = False
    for pattern in entry.patterns:
        for place in _matches(pattern, plain if pattern.case else folded):
            if entry.unless and _touches(entry.unless, place, folded):
                continue
            if pattern.near is None:
                sure = True
            elif not (pattern.elsewhere and sure) and not _is_near(pattern.near, place, folded):
                continue
            kept.append(place)
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


def _touches(unless: re.Pattern[str], place: _Place, folded: str) -> bool:
    start, end = place
    around = unless.finditer(folded, max(0, start - ASIDE), end + ASIDE)
    return any(match.start() < end and match.end() > start for match in around)


def _is_near(near: re.Pattern[str], place: _Place, folded: str) -> bool:
    start, end = place
    before = near.search(folded, max(0, start - NEAR), start)
    return bool(before or near.search(folded, end, end + NEAR))


def _apart(places: list[_Place]) -> list[_Place]:
    """Keep the first of overlapping places, and of those that begin together the longest."""
    kept: list[_Place] = []
    for place in sorted(places, key=lambda place: (place[0], -place[1])):
        if not kept or place[0] >= kept[-1][1]:
            kept.append(place)
    return kept


def _plain(text: str) -> str:
    """Give a text with plain quotes, hyphens and blanks and in Latin-1, every character in its place.

    What is beyond Latin-1 becomes "?": no pattern names it, and small letters never take more room than capitals.
    """
    for odd, plain in _PLAIN:
        text = text.replace(odd, plain)
    return text.encode("latin-1", "replace").decode("latin-1")


@cache
def _entries() -> tuple[_Entry, ...]:
    return tuple(_entry(row) for row in tomllib.loads(_TABLE.decode("utf-8"))["names"])


def _entry(row: dict[str, Any]) -> _Entry:
    return _Entry(
        Name(row["group"], row["id"], row["name"]),
        tuple(
            _Pattern(
                tuple(pattern["hints"]),
                _compiled(pattern["words"]),
                pattern.get("case", False),
                _compiled(pattern["near"]) if "near" in pattern else None,
                pattern.get("elsewhere", False),
            )
            for pattern in row["patterns"]
        ),
        _compiled(row["unless"]) if "unless" in row else None,
    )


def _compiled(alternatives: list[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives).replace(' ', _BLANK)})(?!\w)")
