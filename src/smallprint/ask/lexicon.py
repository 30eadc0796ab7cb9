"""The terms of a text that name information, recipients and purposes, with their places among its words."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, NamedTuple, cast

from smallprint.taxonomy import CATEGORIES, Label
from smallprint.text import words

Sort = Literal["things", "whom", "ends"]
ANYTHING, ANYBODY = "anything", "anybody"


class Term(NamedTuple):
    """A term found: its sort, its id, and the half-open range of words it covers."""

    sort: Sort
    id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    """What a term stands for; `attribute` and `value` are OPP-115's, where it has them."""

    sort: Sort
    id: str
    attribute: str | None
    value: str | None


def terms(tokens: Sequence[str]) -> tuple[Term, ...]:
    """Find the terms among words in lower case; of those at one place the longest holds, and none overlap."""
    known, longest = _terms()
    found, place = [], 0
    while place < len(tokens):
        for length in range(min(longest.get(tokens[place], 0), len(tokens) - place), 0, -1):
            entry = known.get(tuple(tokens[place : place + length]))
            if entry:
                found.append(Term(entry.sort, entry.id, place, place + length))
                place += length - 1
                break
        place += 1
    return tuple(found)


def label_of(category: str, sort: Sort, term: str) -> Label | None:
    """Give the label that a term has under a category, if it has one there."""
    entry = _entries()[sort, term]
    if entry.attribute is None:
        return None
    own = next(one for one in CATEGORIES if one.id == category)
    for attribute in own.attributes:
        for value in attribute.values:
            # The dataset spells some values in two ways.
            if attribute.name == entry.attribute and value.name.lower() == (entry.value or "").lower():
                return Label(category, attribute.name, value.name)
    return None


def spellings(sort: Sort, term: str) -> tuple[tuple[str, ...], ...]:
    """Give the words of every way to say a term."""
    known, _ = _terms()
    return tuple(said for said, entry in known.items() if (entry.sort, entry.id) == (sort, term))


@cache
def _entries() -> dict[tuple[str, str], Entry]:
    table = tomllib.loads(resources.files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8"))
    return {
        (sort, name): Entry(cast("Sort", sort), name, *entry.get("label", (None, None)))
        for sort, group in table.items()
        for name, entry in group.items()
    }


@cache
def _terms() -> tuple[dict[tuple[str, ...], Entry], dict[str, int]]:
    """Give every term by its words, and how many words the longest has that begins with a word."""
    table = tomllib.loads(resources.files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8"))
    found = {
        tuple(words(said)): _entries()[sort, name]
        for sort, group in table.items()
        for name, entry in group.items()
        for said in entry["terms"]
    }
    longest: dict[str, int] = {}
    for said in found:
        longest[said[0]] = max(len(said), longest.get(said[0], 0))
    return found, longest
