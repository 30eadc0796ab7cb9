"""A search in, the ways out in which it can be run otherwise: each a row of links, of which one is where we are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from smallprint.index.tree import Ranking
from smallprint.search.request import Request

PATH = "/search"
_PHRASE = re.compile(r'"[^"]*"?')
ORDERS = {
    Ranking.CUSTOM: (
        "best match",
        "How well the words match, how surely the page is a policy, and how well known its site is, multiplied.",
    ),
    Ranking.RELEVANCE: (
        "relevance",
        "How well the words match, and nothing else. A rare word counts more than a common one.",
    ),
    Ranking.POPULARITY: ("popularity", "How well known the site is, by the links that lead to it."),
    Ranking.PROBABILITY: ("policy probability", "How sure the classifier is that the page is a privacy policy."),
    Ranking.DATE: ("date", "When the page was last seen with these words, the latest first."),
}


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a search; `is_current` marks the one that is shown."""

    text: str
    address: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Mode:
    """One thing that can be otherwise, and a line on how it is."""

    name: str
    links: tuple[Link, ...]
    said: str = ""


def address(request: Request) -> str:
    """Give the address of a search's page."""
    query = request.address()
    return f"{PATH}?{query}" if query else PATH


def modes(request: Request) -> Iterator[Mode]:
    """Give the order, which of the words must be there, which text is searched, and how near-duplicates are shown."""
    orders = ((text, request.ranked(rank)) for rank, (text, _) in ORDERS.items())
    yield Mode("Order", _links(request, orders), ORDERS[request.rank][1])
    first = request.on_page(1)
    if " " in _PHRASE.sub("phrase", request.text):
        yield Mode(
            "Words",
            _links(
                request, (("any of them", replace(first, match="any")), ("all of them", replace(first, match="all")))
            ),
        )
    yield Mode(
        "Text",
        _links(
            request,
            (
                ("the policy alone", replace(first, index="policy")),
                ("with page furniture", replace(first, index="page")),
            ),
        ),
    )
    yield Mode(
        "Near-duplicates",
        _links(request, (("folded", replace(first, fold=True)), ("one by one", replace(first, fold=False)))),
    )


def _links(request: Request, others: Iterable[tuple[str, Request]]) -> tuple[Link, ...]:
    here = request.on_page(1)
    return tuple(Link(text, address(other), other == here) for text, other in others)
