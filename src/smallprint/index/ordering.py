"""The order of results, the same for every engine: ties, near-duplicates folded, sites spread over pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TypeVar

from smallprint.index.engine import Engine, Found, Hit
from smallprint.index.tree import OneOf, Query, Ranking

MOST_OF_A_SITE = 2
# So many matches are looked at first; where they do not suffice, four times as many.
FIRST_LOOK = 50
BY_MERIT = (Ranking.CUSTOM, Ranking.RELEVANCE)
T = TypeVar("T")
# What an engine ranks by, the policy's own number, and whatever it knows the policy by.
Ranked = tuple[float, int, T]


def find(engine: Engine, query: Query, ranking: Ranking, limit: int, offset: int = 0, *, fold: bool = True) -> Found:
    """Return a page of hits, the best first; folded, the best of each group of near-duplicates stands for it.

    By relevance and in the custom order a folded page has at most two of a site, unless a site was asked for.
    """
    matches = engine.walk(query, ranking, max(FIRST_LOOK, 2 * (offset + limit)))
    hits: Iterable[Hit] = matches.hits
    if fold:
        hits = leaders(hits, lambda hit: hit.group)
        if ranking in BY_MERIT and not any(isinstance(part, OneOf) and part.field == "site" for part in query.filters):
            hits = spread(hits, max(1, limit), lambda hit: hit.site)
    return Found(matches.total, tuple(islice(hits, offset, offset + limit)))


def leaders(hits: Iterable[T], group: Callable[[T], Hashable]) -> Iterator[T]:
    """Yield the first hit of each group."""
    seen: set[Hashable] = set()
    for hit in hits:
        if group(hit) not in seen:
            seen.add(group(hit))
            yield hit


def spread(hits: Iterable[T], page: int, site: Callable[[T], Hashable]) -> Iterator[T]:
    """Yield hits, which come with the best first, so that a page has at most two of a site; the rest come later.

    Where no other site is left, pages are filled with what waits. No more hits are taken than it needs to know.
    """
    fresh = iter(hits)
    waiting: list[T] = []
    while True:
        seen: Counter[Hashable] = Counter()
        chosen: list[T] = []
        later: list[T] = []
        earlier = iter(waiting)
        for hit in chain(earlier, fresh):
            seen[site(hit)] += 1
            (chosen if seen[site(hit)] <= MOST_OF_A_SITE else later).append(hit)
            if len(chosen) == page:
                break
        missing = page - len(chosen)
        yield from chosen + later[:missing]
        waiting = [*later[missing:], *earlier]
        if missing and not waiting:
            return


def in_order(look: Callable[[int], Sequence[Ranked[T]]], total: int, first: int) -> Iterator[Ranked[T]]:
    """Yield all matches by value, ties by the policy's own number, the greater first.

    `look` returns as many of the best by value as are asked for, ties in any order: who ties with the last one that was
    looked at may come before it, so that these wait until more were looked at.
    """
    yielded, size = 0, first
    while yielded < total:
        matches = sorted(look(min(size, total)), key=lambda match: (-match[0], -match[1]))
        known = len(matches)
        if size < total:
            known = next((at for at, match in enumerate(matches) if match[0] == matches[-1][0]), known)
        yield from matches[yielded:known]
        yielded, size = max(yielded, known), 4 * size
        if not matches:
            return
