"""A search's counts in, what it can be narrowed by out: values to tick, the details of practices, ranges to fill in."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from smallprint.shelf.records import Counted, FacetCounts, RangeCounts, Results
from smallprint.web.rendering import number

# Values of a facet that are shown at once; the others are one press away.
FIRST = 6
# Where there are more values than these, a box to find one among them is of use.
MANY = 8
# No histogram of years is wider than this.
MOST_YEARS = 60
# The height of a histogram, in CSS pixels.
HEIGHT = 36
# Three times 0.05 is a little more than 0.15.
_HAIR = 1e-9
_NO_ID = re.compile(r"[^\w+]+")

# A measure with its limits, how it is spread, and the first and the last figure of its scale.
Scale = tuple[RangeCounts, Markup, str, str]


class Facet:
    """A facet with its first values, the others under `more`, and the details that belong to each."""

    def __init__(self, counts: FacetCounts) -> None:
        """Leave out what would find nothing, unless it is chosen: then it must be there to be removed."""
        values = [value for value in counts.values if value.choice.value and (value.count or value.is_chosen)]
        rows = [value for value in values if not value.choice.under]
        # One more than is shown takes no more room than the words that say there is one more.
        cut = FIRST if len(rows) > FIRST + 1 else len(rows)
        self.first, self.more = rows[:cut], rows[cut:]
        self.key, self.name = counts.facet.key, counts.facet.label
        self.is_long = len(values) > MANY
        self.chart = _years(values) if self.key == "year" else Markup("")
        self._places = {choice.value: str(place) for place, choice in enumerate(counts.facet.choices())}
        self._largest = max((value.share for value in values), default=0.0) or 1.0
        self._details: dict[str | None, list[Counted]] = defaultdict(list)
        for value in values:
            self._details[value.choice.under].append(value)

    def id_of(self, value: Counted) -> str:
        """Return the id of a value's box, the same from search to search, so that the keyboard keeps its place."""
        own = value.choice.value
        return f"{self.key}-{self._places.get(own) or _NO_ID.sub('-', own)}"

    def length_of(self, value: Counted) -> float:
        """Return the length of a value's bar in percent: bars compare the shares, so the largest is full."""
        return 100 * value.share / self._largest

    def groups(self, value: Counted) -> dict[str, list[tuple[Counted, str]]]:
        """Return a value's details by what they answer: "how long: for a time they state" answers "how long"."""
        groups: dict[str, list[tuple[Counted, str]]] = {}
        for detail in self._details[value.choice.value]:
            question, colon, answer = detail.choice.label.partition(": ")
            groups.setdefault(question if colon else "", []).append((detail, answer if colon else question))
        return groups

    def has_chosen_details(self, value: Counted) -> bool:
        """Return whether any detail of a value is chosen."""
        return any(detail.is_chosen for detail in self._details[value.choice.value])

    @property
    def is_open(self) -> bool:
        """Whether something is chosen among the values that are not shown at once."""
        return any(value.is_chosen or self.has_chosen_details(value) for value in self.more)


def narrowing(results: Results) -> tuple[list[Facet], list[Scale]]:
    """Lay out the facets and the measures of a result; what nothing is found of is left out."""
    ranges = (own for own in results.ranges if sum(own.counts) or own.low is not None or own.high is not None)
    return [facet for facet in map(Facet, results.facets) if facet.first], [_scale(counts) for counts in ranges]


def _years(values: Iterable[Counted]) -> Markup:
    years = [value for value in values if value.choice.value.isdecimal()]
    counts = {int(value.choice.value): value.count for value in years}
    chosen = {int(value.choice.value) for value in years if value.is_chosen}
    if len(counts) < 2:
        return Markup("")
    last = max(counts)
    span = range(max(min(counts), last - MOST_YEARS + 1), last + 1)
    most = max(counts, key=lambda year: counts[year])
    label = f"Policies found by year, {span[0]} to {last}; most, {number(counts[most])}, in {most}."
    inside = [not chosen or year in chosen for year in span]
    return small_histogram(label, [counts.get(year, 0) for year in span], inside)


def _scale(counts: RangeCounts) -> Scale:
    bars, low, high = counts.field.bars, counts.low, counts.high
    assert bars is not None
    starts = [bars.low + place * bars.step for place in range(bars.count)]
    ends = [*starts[1:], math.inf]  # the last bar takes the rest
    inside = [
        (low is None or end > low + _HAIR) and (high is None or start <= high + _HAIR)
        for start, end in zip(starts, ends, strict=True)
    ]
    chart = small_histogram(_described(counts, starts, bars.step), counts.counts, inside)
    return counts, chart, f"{starts[0]:g}", counts.field.most or f"{starts[-1]:g}+"


def _described(counts: RangeCounts, starts: Sequence[float], step: float) -> str:
    total = sum(counts.counts)
    if not total:
        return f"{counts.field.label}: nothing was found."
    most = max(range(len(starts)), key=lambda place: counts.counts[place])
    filled = [start for start, count in zip(starts, counts.counts, strict=True) if count]
    return (
        f"{counts.field.label} of {number(total)} policies, from {filled[0]:g} to "
        f"{filled[-1] + step:g}; most lie at {starts[most]:g}."
    )


def small_histogram(label: str, counts: Sequence[int], inside: Sequence[bool]) -> Markup:
    """Draw a histogram without an axis, small enough to stand above two fields; bars outside of a choice are dimmed."""
    highest = max(counts, default=0) or 1
    width = 100 / max(1, len(counts))
    parts = []
    for place, (count, within) in enumerate(zip(counts, inside, strict=True)):
        height = max(1.5, HEIGHT * count / highest)
        if count:
            # Nothing but numbers: escaping them one by one would take longer than the rest of the page's layout.
            parts.append(
                f'<rect class="{"bin" if within else "bin out"}" x="{(place + 0.08) * width:.2f}%" '
                f'y="{HEIGHT - height:.1f}" width="{0.84 * width:.2f}%" height="{height:.1f}"/>'
            )
    return Markup(
        '<svg class="chart small" role="img" aria-label="{}" width="100%" height="{}" '
        'xmlns="http://www.w3.org/2000/svg">{}<line class="axis" x1="0" x2="100%" y1="{}" y2="{}"/></svg>'
    ).format(label, HEIGHT + 1, Markup("".join(parts)), HEIGHT + 0.5, HEIGHT + 0.5)  # noqa: S704 - numbers alone
