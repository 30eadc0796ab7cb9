"""Hits of one site spread over pages, so that no site fills a page while others have something to say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

MOST_OF_A_SITE = 2


def spread(sites: Sequence[Hashable], wanted: int, page: int, *, is_all: bool) -> list[int]:
    """Order the places of hits, given by site with the best first: on a page at most two of a site, the rest later.

    Gives the first `wanted`, or fewer where it takes more hits than these to know; where these are all there are,
    pages that would stay short are filled with what waits.
    """
    order: list[int] = []
    waiting = list(range(len(sites)))
    while waiting and len(order) < wanted:
        seen: Counter[Hashable] = Counter()
        chosen: list[int] = []
        later: list[int] = []
        for place in waiting:
            if len(chosen) < page and seen[sites[place]] < MOST_OF_A_SITE:
                seen[sites[place]] += 1
                chosen.append(place)
            else:
                later.append(place)
        missing = page - len(chosen)
        if missing and not is_all:
            return order
        order += chosen + later[:missing]
        waiting = later[missing:]
    return order[:wanted]
