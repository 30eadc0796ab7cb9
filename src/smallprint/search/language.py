"""The query language: words, "phrases", -exclusions, title: url: site: and filters such as grade:8:12, as one tree.

Whatever is typed means something: a quote that is not closed ends with the text, and what is no operator is a word.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Literal, cast

from smallprint.index.fields import BY_PREFIX, TEXTS
from smallprint.index.tree import EVERYTHING, AllOf, AnyOf, Between, Favoured, Filter, Node, OneOf, Query, Where, Words
from smallprint.index.words import url_words, words
from smallprint.limits import MAX_QUERY, MAX_QUERY_WORDS

Operator = Literal["any", "all"]
# Of so many words typed side by side the run may be found.
LONGEST_RUN = 8
# Chosen on twelve queries of our own (docs/results.md): 1 gave P@5 0.80, 3 gave 0.93.
RUN_WEIGHT = 3.0
# How much a practice counts that the words name; chosen on queries of our own as well.
PRACTICE_WEIGHT = 2.0
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»″＂", '"') | dict.fromkeys("−–—", "-"))
_PIECE = re.compile(r'(?P<no>-(?=[^\s-]))?(?:(?P<prefix>[A-Za-z]+):(?=\S))?(?:"(?P<quoted>[^"]*)"?|(?P<bare>[^\s"]+))')
_TEXTS = {"text", *(field.name for field in TEXTS)}
_LIMITS = re.compile(r"(?P<low>\d+(?:\.\d+)?)?(?::|\.\.|-)(?P<high>\d+(?:\.\d+)?)?")


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """What was typed, as a tree; the words to highlight, each a run that stands together; and what was left out.

    `wanted` are the words and runs that title or text should have, each as it was typed.
    """

    query: Query
    highlights: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    wanted: tuple[tuple[str, ...], ...] = ()


@dataclass(slots=True)
class _Parts:
    wanted: list[Words] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    unwanted: list[Node | Filter] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)


def parse_query(text: str, where: Where = "text", operator: Operator = "any", *, together: bool = True) -> ParsedQuery:
    """Return what was typed as a query; `where` is the field that words without a prefix are looked for in.

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
        return ParsedQuery(Query(AnyOf(())), (), tuple(notes))
    may_be_run = together and len(wanted) > 1 and 1 < len(parts.plain) <= LONGEST_RUN
    run = (Words(where, tuple(parts.plain), RUN_WEIGHT),) if may_be_run else ()
    query = Query(
        _node(wanted, run, operator),
        tuple(dict.fromkeys(parts.unwanted)),
        tuple(dict.fromkeys(parts.filters)),
        favoured(parts.plain) if together and where == "text" else (),
    )
    marked = tuple(dict.fromkeys(part.words for part in (*wanted, *run) if part.field != "url"))
    return ParsedQuery(query, marked, tuple(notes), tuple(part.words for part in wanted if part.field == "text"))


def _node(wanted: list[Words], run: tuple[Words, ...], operator: Operator) -> Node:
    """Join the words; where those typed side by side also stand so in a policy, that counts once more."""
    if not wanted:
        return EVERYTHING
    if operator == "any":
        return AnyOf((*wanted, *run))
    return AnyOf((AllOf(tuple(wanted)), *run)) if run else AllOf(tuple(wanted))


def parse_limits(text: str) -> tuple[float | None, float | None] | None:
    """Return the ends of "8:12", "8..12", "8:" or ":12"; None where it is none of these."""
    match = _LIMITS.fullmatch(text.strip())
    if match is None or not (match["low"] or match["high"]):
        return None
    low, high = (float(part) if part else None for part in (match["low"], match["high"]))
    return low, high


def _take(parts: _Parts, match: re.Match[str], where: Where) -> None:
    """Put one piece of what was typed where it belongs."""
    is_unwanted, prefix = bool(match["no"]), (match["prefix"] or "").lower()
    quoted, bare = match["quoted"], match["bare"]
    typed = bare if quoted is None else quoted
    chosen = _filter(prefix, typed)
    if chosen is not None:
        (parts.unwanted if is_unwanted else parts.filters).append(chosen)
        return
    if prefix in _TEXTS:
        where = cast("Where", prefix)
    elif prefix:
        typed = f"{prefix} {typed}" if quoted is not None else match[0].removeprefix("-")
    run = tuple(url_words(typed) if where == "url" else words(typed))
    if not run:
        return
    if is_unwanted:
        parts.unwanted.append(Words(where, run))
    else:
        parts.wanted.append(Words(where, run))
        if quoted is None and prefix not in _TEXTS:
            parts.plain += run


def _filter(prefix: str, typed: str) -> Filter | None:
    """Return the filter that is typed with a prefix; None where it is none."""
    field = BY_PREFIX.get(prefix)
    if field is None or field.kind == "text":
        return None
    if field.kind == "range":
        limits = parse_limits(typed)
        return Between(field.name, *limits) if limits else None
    value = field.read(typed)
    return OneOf(field.name, (value,)) if value else None


def favoured(typed: Iterable[str]) -> tuple[Favoured, ...]:
    """Return the practices that words typed without prefix or quotes name; a longer name replaces a shorter one."""
    have = frozenset(typed)
    named = [(practice, name) for name, practices in _practice_names() if name <= have for practice in practices]
    fullest = [practice for practice, name in named if not any(name < other for _, other in named)]
    return tuple(Favoured("practice", practice, PRACTICE_WEIGHT) for practice in dict.fromkeys(fullest))


@cache
def _practice_names() -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
    table = tomllib.loads(resources.files(__package__).joinpath("practices.toml").read_text(encoding="utf-8"))
    by_name: dict[frozenset[str], list[str]] = {}
    for practice, names in table.items():
        for name in names:
            by_name.setdefault(frozenset(words(name)), []).append(practice)
    return tuple((name, tuple(practices)) for name, practices in by_name.items())
