"""What an engine is given and gives back, and the protocol that every engine keeps (tests/index/contract)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from smallprint.index.tree import Query, Ranking

# A policy's prior is P(D) · popularity. Below the least one no order among hits is promised.
LEAST_PRIOR = 0.1


@dataclass(frozen=True, slots=True)
class Entry:
    """A policy as an index holds it.

    `stamp` names the state of all that is here; `group` is the policy it is folded under, or its own id; `date` is ISO
    8601, as exact as it is known; `values` are those of the fields (`index/fields.py`), by name.
    """

    policy_id: str
    stamp: str
    date: str
    p_policy: float
    popularity: float
    group: str
    values: Mapping[str, str | tuple[str, ...] | float | None]


@dataclass(frozen=True, slots=True)
class Hit:
    """A match; `score` is that of the ranking. Near-duplicates share the number `group`, policies of a site `site`."""

    policy_id: str
    score: float
    group: int
    site: int


@dataclass(frozen=True, slots=True)
class Matches:
    """How many policies match, and all of them in their order, read as they are gone through."""

    total: int
    hits: Iterator[Hit]


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of one page, and how many policies match in all."""

    total: int
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """A histogram to be made: numbers of a field from `low` in steps, `count` of them; the last takes the rest."""

    field: str
    low: float
    step: float
    count: int


@dataclass(frozen=True, slots=True)
class Count:
    """What is to be counted among the matches of a query: values of fields, and bars."""

    query: Query
    fields: tuple[str, ...] = ()
    bars: tuple[Bars, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """Matches, counted: `groups` counts near-duplicates once, `values` by field and value, `bars` by each histogram."""

    groups: int
    values: Mapping[str, Mapping[str, int]]
    bars: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a policy has its score: the factors of the product, and the relevance of each word in each field."""

    score: float
    relevance: float
    p_policy: float
    popularity: float
    words: Mapping[str, float]


class Engine(Protocol):
    """An index of policies. Each call sees one commit of it, whole, however long its results are gone through."""

    def stamps(self) -> Iterator[tuple[str, str]]:
        """Yield the ids and stamps of all policies in the index, by id."""

    def state(self) -> str:
        """Return a short name for what is in the index: the same for the same policies and stamps in any engine."""

    def library_state(self) -> str:
        """Return the state of the library that the index was brought up to last; empty where that is not known."""

    def note_library_state(self, library_state: str) -> None:
        """Note the state of the library that the index is of now."""

    def update(self, put: Iterable[Entry], gone: Iterable[str]) -> None:
        """Add or replace policies, then take others out; readers see all of it at once, or after a crash nothing."""

    def walk(self, query: Query, ranking: Ranking, first: int = 1000) -> Matches:
        """Return all matches, the best first, ties by the policy's own number; some `first` ones will be wanted.

        By relevance to nothing, as by CUSTOM: where no words are given, policies cannot be more or less relevant.
        """

    def counts(self, queries: Sequence[Query]) -> list[int]:
        """Count the matches of queries."""

    def tallies(self, counts: Sequence[Count]) -> list[Tally]:
        """Count matches by group, by value and by bar."""

    def explain(self, query: Query, policy_id: str) -> Explanation | None:
        """Return how a policy's custom score comes about; None where it does not match."""
