"""The query language: words, "phrases", -exclusions, title: url: site: and filters such as grade:8:12, as one tree.

Whatever is typed means something: a quote that is not closed ends with the text, and what is no operator is a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from smallprint.index.tree import EVERYTHING, AllOf, AnyOf, Between, Field, Filter, Node, OneOf, Query, Words
from smallprint.index.words import url_words, words
from smallprint.limits import MAX_QUERY, MAX_QUERY_WORDS
from smallprint.search.practices import favoured

Operator = Literal["any", "all"]
LONGEST_RUN = 8
# Chosen on twelve queries of our own (docs/results.md): 1 gave P@5 0.80, 3 gave 0.93.
RUN_WEIGHT = 3.0
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»″＂", '"') | dict.fromkeys("−–—", "-"))
_PIECE = re.compile(r'(?P<no>-(?=[^\s-]))?(?:(?P<prefix>[A-Za-z]+):(?=\S))?(?:"(?P<quoted>[^"]*)"?|(?P<bare>[^\s"]+))')
_FIELDS: dict[str, Field] = {"title": "title", "url": "url", "text": "text", "body": "body"}
_RANGES: dict[str, Literal["grade", "vague"]] = {"grade": "grade", "vague": "vague", "vagueness": "vague"}
_LIMITS = re.compile(r"(?P<low>\d+(?:\.\d+)?)?(?::|\.\.|-)(?P<high>\d+(?:\.\d+)?)?")
_SCHEME = re.compile(r"^[a-z][a-z0-9+.]*://")


@dataclass(frozen=True, slots=True)
class Understood:
    """What was typed, as a tree; the words to highlight, each a run that stands together; and what was left out.

    `asked` are the words and runs that title or text should have, each as it was typed.
    """

    query: Query
    highlights: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    asked: tuple[tuple[str, ...], ...] = ()


@dataclass(slots=True)
class _Parts:
    wanted: list[Words] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    unwanted: list[Node | Filter] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)


def understand(text: str, where: Field = "text", operator: Operator = "any", *, together: bool = True) -> Understood:
    """Read what was typed; `where` is the field that words without a prefix are looked for in.

    Words typed side by side are looked for one by one, and `together` as well: a policy that has "data breach" is
    meant more than one that speaks of data here and of a breach there. So is one with the practice they name.
    """
    notes = []
    if len(text) > MAX_QUERY:
        text = text[:MAX_QUERY]
        notes.append(f"Only the first {MAX_QUERY:,} characters were read.")
    parts = _Parts()
    for match in _PIECE.finditer(text.translate(_QUOTES)):
        _take(parts, match, where)
    wanted = list(dict.fromkeys(parts.wanted))
    if len(wanted) > MAX_QUERY_WORDS:
        wanted = wanted[:MAX_QUERY_WORDS]
        notes.append(f"Only the first {MAX_QUERY_WORDS} words were looked for.")
    if not (wanted or parts.unwanted or parts.filters) and text.strip():
        notes.append("There is no word in this that could be looked for.")
        return Understood(Query(AnyOf(())), (), tuple(notes))
    run = _run(parts.plain, where) if together and len(wanted) > 1 else ()
    query = Query(
        _node(wanted, run, operator),
        tuple(dict.fromkeys(parts.unwanted)),
        tuple(dict.fromkeys(parts.filters)),
        favoured(parts.plain) if together and where == "text" else (),
    )
    marked = tuple(dict.fromkeys(one.words for one in (*wanted, *run) if one.field != "url"))
    return Understood(query, marked, tuple(notes), tuple(one.words for one in wanted if one.field == "text"))


def _node(wanted: list[Words], run: tuple[Words, ...], operator: Operator) -> Node:
    """Join the words; where those typed side by side also stand so in a policy, that counts once more."""
    if not wanted:
        return EVERYTHING
    if operator == "any":
        return AnyOf((*wanted, *run))
    return AnyOf((AllOf(tuple(wanted)), *run)) if run else AllOf(tuple(wanted))


def _run(plain: list[str], where: Field) -> tuple[Words, ...]:
    """Give the words typed without prefix or quotes as one run, if they are so few that it may be found."""
    return (Words(where, tuple(plain), RUN_WEIGHT),) if 1 < len(plain) <= LONGEST_RUN else ()


def site_name(text: str) -> str:
    """Give the name a site is asked for by: "https://www.Example.com/x" is "example.com"."""
    host = _SCHEME.sub("", text.lower()).partition("/")[0].rpartition("@")[2].partition(":")[0]
    return host.removeprefix("www.").strip(".")


def limits(text: str) -> tuple[float | None, float | None] | None:
    """Read "8:12", "8..12", "8:" or ":12"; None where it is none of these."""
    found = _LIMITS.fullmatch(text.strip())
    if found is None or not (found["low"] or found["high"]):
        return None
    low, high = (float(part) if part else None for part in (found["low"], found["high"]))
    return low, high


def _take(parts: _Parts, match: re.Match[str], where: Field) -> None:
    """Put one piece of what was typed where it belongs."""
    no, prefix = bool(match["no"]), (match["prefix"] or "").lower()
    quoted, bare = match["quoted"], match["bare"]
    said = bare if quoted is None else quoted
    chosen = _filter(prefix, said)
    if chosen is not None:
        (parts.unwanted if no else parts.filters).append(chosen)
        return
    if prefix in _FIELDS:
        where = _FIELDS[prefix]
    elif prefix:
        said = f"{prefix} {said}" if quoted is not None else match[0].removeprefix("-")
    found = tuple(url_words(said) if where == "url" else words(said))
    if not found:
        return
    if no:
        parts.unwanted.append(Words(where, found))
    else:
        parts.wanted.append(Words(where, found))
        if quoted is None and prefix not in _FIELDS:
            parts.plain += found


def _filter(prefix: str, said: str) -> Filter | None:
    if prefix == "site":
        name = site_name(said)
        return OneOf("site", (name,)) if name else None
    if prefix == "sector":
        return OneOf("sector", (said.lower(),))
    if prefix == "year":
        return OneOf("year", (said,)) if said.isdigit() else None
    if prefix == "names":
        return OneOf("mention", (said.lower(),))
    if prefix in _RANGES and (found := limits(said)):
        return Between(_RANGES[prefix], *found)
    return None
