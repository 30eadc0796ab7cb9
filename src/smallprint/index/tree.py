"""The query tree: what is asked of an index, in a form that any engine can answer with the same results."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

# Where words are looked for. "text" is title and body together: the relevance of each is counted, the title's by its
# boost, and added up.
Where = Literal["text", "title", "body", "url"]


class Ranking(StrEnum):
    """In which order hits are given."""

    CUSTOM = "custom"
    RELEVANCE = "relevance"
    POPULARITY = "popularity"
    PROBABILITY = "probability"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Words:
    """A word, or several that stand side by side in this order, in a field; its relevance counts by its weight."""

    field: Where
    words: tuple[str, ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of these; each that matches adds its relevance."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """All of these; an empty one matches every policy."""

    parts: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class OneOf:
    """Has at least one of these values in a field; adds nothing to the relevance."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """Has a number within these limits, both included; None leaves a side open. Adds nothing to the relevance."""

    field: str
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Favoured:
    """A field's value that adds to the relevance of what has it, the more the fewer have it; nothing must have it."""

    field: str
    value: str
    weight: float = 1.0


Node = Words | AnyOf | AllOf
Filter = OneOf | Between
EVERYTHING = AllOf()
# Titles are short and few hold a given word, so that one in passing ("if you do not agree") would outweigh a whole
# text. Chosen with the weight of runs, on queries of our own (docs/results.md).
TITLE_BOOST = 0.5


@dataclass(frozen=True, slots=True)
class Query:
    """What to match and score, what must not match, what to keep of it, and what is favoured among it."""

    wanted: Node = EVERYTHING
    unwanted: tuple[Node | Filter, ...] = ()
    filters: tuple[Filter, ...] = ()
    favoured: tuple[Favoured, ...] = ()
