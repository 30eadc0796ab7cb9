"""A search in, its filters out: one chip for each, in words, with the address of the search without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from smallprint.search.facets import SCALES, Choices, facets
from smallprint.search.request import Range, Request
from smallprint.web.modes import address


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is chosen: of what, which, and where the search is without it."""

    name: str
    value: str
    without: str


def chips(request: Request) -> Iterator[Chip]:
    """Give the filters that are chosen, in the order in which they are shown."""
    for one in facets():
        for value in request.chosen.get(one.key, ()):
            yield Chip(one.plain, _plain(one, value), address(request.toggled(one.key, value)))
    for scale in SCALES:
        if scale.key in request.ranges:
            yield Chip(scale.plain, spoken(request.ranges[scale.key]), address(request.without(scale.key)))


def spoken(limits: Range) -> str:
    """Say a range: "8 to 12", "from 8", "up to 12"."""
    low, high = limits
    if low is None:
        return f"up to {high:g}"
    return f"from {low:g}" if high is None else f"{low:g} to {high:g}"


def _plain(one: Choices, value: str) -> str:
    """Say a value; a practice's detail with the practice, since it cannot stand alone."""
    known = {choice.value: choice for choice in one.choices}
    if value not in known:
        return value
    choice = known[value]
    return f"{known[choice.under].plain} · {choice.plain}" if choice.under else choice.plain
