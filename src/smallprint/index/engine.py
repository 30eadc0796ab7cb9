"""What an engine is given and gives back, and the protocol that every engine keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from smallprint.index.tree import Facet, Measure, Query, Ranking

# A policy's prior is P(D) · popularity. Below the least one no order among hits is promised.
LEAST_PRIOR = 0.1


@dataclass(frozen=True, slots=True)
class Entry:
    """A policy as an index holds it.

    `stamp` names the state of all that is here; `group` is the policy it is folded under, or its own id; `date` is ISO
    8601, as exact as it is known.
    """

    policy_id: str
    stamp: str
    title: str
    url: str
    body: str
    date: str
    p_policy: float
    popularity: float
    sector: str
    group: str
    grouped: bool
    sites: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    practices: tuple[str, ...] = ()
    grade: float | None = None
    vague: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A match; `score` is that of the ranking asked for."""

    policy_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of one page, and how many policies match in all."""

    total: int
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """A histogram to be made: counts of a measure from `low` in steps, `count` of them; the last takes the rest."""

    measure: Measure
    low: float
    step: float
    count: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Matches, counted: `groups` counts near-duplicates once, `values` by facet and value, `bars` by each histogram."""

    groups: int
    values: Mapping[Facet, Mapping[str, int]]
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
    """An index of policies."""

    def stamps(self) -> dict[str, str]:
        """Give the stamp of every policy in the index."""
        ...

    def state(self) -> str:
        """Give a short name for what is in the index; it is the same for the same policies with the same stamps."""
        ...

    def library_state(self) -> str:
        """Return the state of the library that the index was brought up to last; empty where that is not known."""
        ...

    def note_library_state(self, library_state: str) -> None:
        """Note the state of the library that the index is of now."""
        ...

    def update(self, put: Iterable[Entry], gone: Iterable[str]) -> None:
        """Add or replace policies and take others out; readers see all of it at once, or after a crash nothing."""
        ...

    def find(self, query: Query, ranking: Ranking, limit: int, offset: int = 0, *, fold: bool = True) -> Found:
        """Give a page of hits, the best first; folded, the best of each group of near-duplicates stands for it.

        By relevance and in the custom order a folded page has at most two of a site, unless a site was asked for.
        """
        ...

    def count(self, query: Query) -> int:
        """Say how many policies match."""
        ...

    def tally(self, query: Query, facets: Sequence[Facet] = (), bars: Sequence[Bars] = ()) -> Tally:
        """Count the matches: groups, each value of the facets, each step of the measures."""
        ...

    def explain(self, query: Query, policy_id: str) -> Explanation | None:
        """Say how a policy's custom score comes about; None where it does not match."""
        ...
