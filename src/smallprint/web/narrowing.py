"""A search's counts in, what it can be narrowed by out: boxes to tick, the details of practices, ranges to fill in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from smallprint.search.results import Counted, FacetCounts, Results, ScaleCounts
from smallprint.web.charts import small_histogram
from smallprint.web.rendering import number

# Values of a facet that are shown at once; the others are one press away.
FIRST = 6
# Where there are more values than these, a box to find one among them is of use.
MANY = 8
# No histogram of years is wider than this.
MOST_YEARS = 60
# Three times 0.05 is a little more than 0.15.
_HAIR = 1e-9


@dataclass(frozen=True, slots=True)
class Box:
    """A value to tick. `id` stays the same from search to search, so that the keyboard does not lose its place.

    `length` is that of its bar, in percent: bars compare the shares, however small they are, so the largest is full.
    """

    id: str
    value: str
    label: str
    count: int
    share: float
    length: float
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Branch:
    """A value with those that belong to it, in groups by what they answer ("how long", "what for")."""

    box: Box
    groups: tuple[tuple[str, tuple[Box, ...]], ...] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Facet:
    """A facet: its first values, the others, and whether one of the others is chosen."""

    key: str
    name: str
    first: tuple[Branch, ...]
    more: tuple[Branch, ...]
    is_open: bool
    is_long: bool
    chart: Markup


@dataclass(frozen=True, slots=True)
class Limits:
    """A measure with the limits that are set, how it is spread, and the ends of its scale."""

    key: str
    name: str
    low: str
    high: str
    chart: Markup
    first: str
    last: str
    hint: str


_HINTS = {
    "grade": "Years of schooling that the sentences ask for.",
    "vague": "Share of sentences with a vague word: 0.2 is one in five.",
}


def narrowing(found: Results) -> tuple[tuple[Facet, ...], tuple[Limits, ...]]:
    """Lay out the facets and the measures of a result; what nothing is found of is left out."""
    made = (_facet(one) for one in found.facets)
    scales = (one for one in found.scales if sum(one.counts) or one.low is not None or one.high is not None)
    return tuple(one for one in made if one.first), tuple(map(_limits, scales))


def _facet(one: FacetCounts) -> Facet:
    """Leave out what would find nothing, unless it is chosen: then it must be there to be let go of."""
    values = [value for value in one.values if value.choice.value and (value.count or value.is_chosen)]
    places = {choice.value: str(place) for place, choice in enumerate(one.facet.choices)}
    key = one.facet.key
    largest = max((value.share for value in values), default=0.0) or 1.0
    under: dict[str, list[Counted]] = {}
    for value in values:
        if value.choice.under:
            under.setdefault(value.choice.under, []).append(value)

    def box(value: Counted, label: str) -> Box:
        own = value.choice.value
        length = 100 * value.share / largest
        return Box(f"{key}-{places.get(own, own)}", own, label, value.count, value.share, length, value.is_chosen)

    def branch(value: Counted) -> Branch:
        details = under.get(value.choice.value, [])
        groups = {name: tuple(box(*pair) for pair in pairs) for name, pairs in _by_question(details).items()}
        return Branch(
            box(value, value.choice.plain), tuple(groups.items()), any(detail.is_chosen for detail in details)
        )

    rows = [branch(value) for value in values if not value.choice.under]
    # One more than is shown takes no more room than the words that say there is one more.
    cut = FIRST if len(rows) > FIRST + 1 else len(rows)
    more = tuple(rows[cut:])
    return Facet(
        key,
        one.facet.plain,
        tuple(rows[:cut]),
        more,
        any(row.box.is_chosen or row.is_open for row in more),
        len(values) > MANY,
        _years(values) if key == "year" else Markup(""),
    )


def _by_question(details: Iterable[Counted]) -> dict[str, list[tuple[Counted, str]]]:
    """Put together what answers the same: "how long: for a time they state" is an answer to "how long"."""
    groups: dict[str, list[tuple[Counted, str]]] = {}
    for detail in details:
        question, colon, answer = detail.choice.plain.partition(": ")
        groups.setdefault(question if colon else "", []).append((detail, answer if colon else question))
    return groups


def _years(values: Sequence[Counted]) -> Markup:
    counts = {int(value.choice.value): value.count for value in values if value.choice.value.isdecimal()}
    chosen = {int(value.choice.value) for value in values if value.is_chosen and value.choice.value.isdecimal()}
    if len(counts) < 2:
        return Markup("")
    last = max(counts)
    span = range(max(min(counts), last - MOST_YEARS + 1), last + 1)
    most = max(counts, key=lambda year: counts[year])
    label = f"Policies found by year, {span[0]} to {last}; most, {number(counts[most])}, in {most}."
    inside = [not chosen or year in chosen for year in span]
    return small_histogram(label, [counts.get(year, 0) for year in span], inside)


def _limits(one: ScaleCounts) -> Limits:
    bars, low, high = one.scale.bars, one.low, one.high
    starts = [bars.low + place * bars.step for place in range(bars.count)]
    ends = [*starts[1:], math.inf]  # the last bar takes the rest
    inside = [
        (low is None or end > low + _HAIR) and (high is None or start <= high + _HAIR)
        for start, end in zip(starts, ends, strict=True)
    ]
    return Limits(
        one.scale.key,
        one.scale.plain,
        "" if low is None else f"{low:g}",
        "" if high is None else f"{high:g}",
        small_histogram(_described(one, starts), one.counts, inside),
        f"{starts[0]:g}",
        "1" if one.scale.key == "vague" else f"{starts[-1]:g}+",
        _HINTS[one.scale.key],
    )


def _described(one: ScaleCounts, starts: Sequence[float]) -> str:
    total = sum(one.counts)
    if not total:
        return f"{one.scale.plain}: nothing was found."
    most = max(range(len(starts)), key=lambda place: one.counts[place])
    filled = [place for place, count in enumerate(one.counts) if count]
    return (
        f"{one.scale.plain} of {number(total)} policies, from {starts[filled[0]]:g} to "
        f"{starts[filled[-1]] + one.scale.bars.step:g}; most lie at {starts[most]:g}."
    )
