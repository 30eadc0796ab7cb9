"""Charts with their words: of a library's statistics, each with its table, and of how a policy stands among others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from smallprint.records import MentionGroup
from smallprint.sectors import SECTORS, sector
from smallprint.shelf import records
from smallprint.shelf.records import BINS, LEAST_POLICIES, Distribution, Spread, Statistics, names
from smallprint.taxonomy import CATEGORY_LABELS
from smallprint.web.present.marks import hue
from smallprint.web.rendering import chart, number, share

GROUPS: dict[MentionGroup, str] = {
    "technology": "Tracking technologies",
    "body": "Self-regulatory bodies",
    "regulation": "Regulations and agreements",
}
_SHORT = {"scc": "SCC", "bcr": "BCR"}
# Shares from which a cell of the heat table takes its next shade; as PrivaSeer's regulations lie between 0.1 and 16 %.
STEPS = (0.0, 0.02, 0.05, 0.10, 0.20, 0.40)
# A share in the heat table: how many policies, how it is written, and its shade from 0, none, to the number of steps.
Cell = tuple[int, str, int]
# Between these shares a policy stands in the middle, and "more than 52 %" would make much of nothing.
MIDDLE = (0.45, 0.55)
# The axis leaves out one in a hundred at either end, which would press all others together.
EDGE = 0.01


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with a class for its colour and a code before it; `listed` counts the policies in a company list."""

    label: str
    value: int
    css: str = ""
    code: str = ""
    listed: int | None = None


@dataclass(frozen=True, slots=True)
class Histogram:
    """How a measure is spread: the bins' width and labels, ticks in bins from the left, and a format of values."""

    spread: Spread
    width: float
    labels: Sequence[str]
    ticks: Sequence[tuple[float, str]]
    form: str


def sectors(statistics: Statistics) -> list[Bar]:
    """Return the policies by sector, the largest first, and Unknown at the end."""
    counts = [(own, statistics.sectors[own.id]) for own in SECTORS]
    counts.sort(key=lambda pair: (pair[0].id == "unknown", -pair[1].policies))
    return [
        Bar(own.name, count.policies, "quiet" if own.id == "unknown" else "", listed=count.listed)
        for own, count in counts
    ]


def mentions(statistics: Statistics, group: MentionGroup) -> list[Bar]:
    """Return how many policies name each thing of a group, the most often named first."""
    bars = [Bar(name.plain, statistics.mentions[name.id]) for name in names() if name.group == group]
    return sorted(bars, key=lambda bar: -bar.value)


def practices(statistics: Statistics) -> list[Bar]:
    """Return how many policies speak of each of the twelve categories, with their colours and codes."""
    marks = [(hue(label.category), statistics.practices[str(label)]) for label in CATEGORY_LABELS]
    return [Bar(mark.plain, count, mark.css, mark.code) for mark, count in marks]


def grade(statistics: Statistics) -> Histogram | None:
    """Return how reading grades are spread."""
    spread = statistics.grade
    if spread is None:
        return None
    ticks = [(float(at), str(at)) for at in (0, 5, 10, 15, 20, 25)] + [(float(len(spread.bins)), "30+")]
    labels = [str(at) for at in range(len(spread.bins) - 1)] + ["30 and more"]
    return Histogram(spread, 1.0, labels, ticks, "%.1f")


def vagueness(statistics: Statistics) -> Histogram | None:
    """Return how the share of vague sentences is spread."""
    ticks = [(BINS * at / 4, f"{at / 4:g}") for at in range(5)]
    labels = [f"{at / BINS:.2f} to {(at + 1) / BINS:.2f}" for at in range(BINS)]
    spread = statistics.vagueness
    return Histogram(spread, 1 / BINS, labels, ticks, "%.2f") if spread else None


def regulations_by_sector(
    statistics: Statistics, by_sector: Mapping[str, Mapping[str, int]]
) -> tuple[list[tuple[str, str]], list[tuple[str, int, list[Cell]]]]:
    """Return the regulations, by short and full name, and each sector with its policies and a cell a regulation."""
    columns = [name for name in names() if name.group == "regulation"]
    rows = []
    for own in sorted(SECTORS, key=lambda own: (own.id == "unknown", own.name)):
        policies = statistics.sectors[own.id].policies
        rows.append((own.name, policies, [_cell(by_sector[name.id][own.id], policies) for name in columns]))
    return [(_SHORT.get(name.id, name.plain), name.plain) for name in columns], rows


def _cell(policies: int, whole: int) -> Cell:
    part = policies / whole if whole else 0.0
    return policies, share(policies, whole) if policies else "–", sum(part > step for step in STEPS)


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure: its title, what it means, how it is written, and in which words it is set against others."""

    name: Literal["grade", "vagueness"]
    title: str
    meaning: str
    form: Callable[[float], str]
    more: str
    less: str
    middle: str


@dataclass(frozen=True, slots=True)
class Standing:
    """A measure of a policy as it is shown: its value, a sentence for each group of others, and the strips."""

    measure: Measure
    value: str
    words: tuple[str, ...]
    svg: Markup | None


MEASURES = (
    Measure(
        "grade", "Reading grade",
        "Years of school needed to understand it, judged by the length of words and sentences.",
        lambda value: f"{value:.1f}",
        "Harder to read than {} of {}.", "Easier to read than {} of {}.", "About as hard to read as the median of {}.",
    ),
    Measure(
        "vagueness", "Vagueness", "Share of its sentences with a vague word such as “may” or “generally”.",
        lambda value: share(value, 1),
        "Vaguer than {} of {}.", "Less vague than {} of {}.", "About as vague as the median of {}.",
    ),
)  # fmt: skip


def standings(view: records.PolicyView, rates: records.LibraryRates) -> tuple[Standing, ...]:
    """Return where a policy stands, for each measure that it has."""
    own = rates.sectors.get(view.sector.sector) if view.sector.sector != "unknown" else None
    groups = ((own, f"policies of the sector {sector(view.sector.sector).name}", "sector"),
              (rates.whole, "policies in the library", "library"))  # fmt: skip
    return tuple(
        _standing(measure, value, [(getattr(among, measure.name), *names) for among, *names in groups if among])
        for measure in MEASURES
        if (value := getattr(view.measures, measure.name)) is not None
    )


def _standing(measure: Measure, value: float, groups: Sequence[tuple[Distribution, str, str]]) -> Standing:
    words, rows, shown = [], [], measure.form(value)
    for among, whom, name in groups:
        below = among.share_below(value)
        if below is not None and among.n >= LEAST_POLICIES:
            words.append(_sentence(measure, below, f"{number(among.n)} {whom}"))
            quantiles = [among.quantile(share) or 0.0 for share in (records.LOW, 0.25, 0.5, 0.75, records.HIGH)]
            rows.append((f"{name}, median {measure.form(quantiles[2])}", quantiles))
    if not words:
        few = f"Fewer than {LEAST_POLICIES} policies are available for comparison."
        return Standing(measure, shown, (few,), None)
    whole = groups[-1][0]
    limits = (min(value, whole.quantile(EDGE) or 0.0), max(value, whole.quantile(1 - EDGE) or 0.0))
    description = f"This policy: {shown}. {' '.join(words)}"
    svg = strips(measure.name, f"{measure.title} among others", description, rows, value, shown, limits)
    return Standing(measure, shown, tuple(words), svg)


def strips(
    name: str, title: str, description: str, rows: Sequence[tuple[str, Sequence[float]]], value: float, shown: str,
    limits: tuple[float, float],
) -> Markup:  # fmt: skip
    """Draw a line for each group, from one limit to the other, and one value across all of them."""
    least, most = limits

    def at(place: float) -> float:
        return 100 * min(1.0, max(0.0, (place - least) / (most - least or 1.0)))

    places = [(words, [at(quantile) for quantile in quantiles]) for words, quantiles in rows]
    return chart("strips", name, title, description, rows=places, value=at(value), shown=shown)


def _sentence(measure: Measure, below: float, whom: str) -> str:
    if MIDDLE[0] <= below <= MIDDLE[1]:
        return measure.middle.format(whom)
    # Rounded down, so that "99 %" is never too much said.
    percent = f"{int(100 * max(below, 1 - below))} %"
    return (measure.more if below > MIDDLE[1] else measure.less).format(percent, whom)
