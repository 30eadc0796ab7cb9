"""A library's statistics in, what the corpus page shows out: each chart with its title, its words and its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from smallprint.annotate.mentions import names
from smallprint.library.statistics import BINS, Spread, Statistics
from smallprint.records import MentionGroup
from smallprint.sectors import SECTORS
from smallprint.taxonomy import CATEGORY_LABELS
from smallprint.web.charts import Bar, Marks, bars, histogram
from smallprint.web.palette import hue
from smallprint.web.rendering import number, share

GROUPS: tuple[MentionGroup, ...] = ("technology", "body", "regulation")
_GROUP_TITLES = {
    "technology": "Tracking technologies",
    "body": "Self-regulatory bodies",
    "regulation": "Regulations and agreements",
}
_SHORT = {"scc": "SCC", "bcr": "BCR"}
# Shares from which a cell of the heat table takes its next shade; as PrivaSeer's regulations lie between 0.1 and 16 %.
STEPS = (0.0, 0.02, 0.05, 0.10, 0.20, 0.40)


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart, the words under it, and the same figures as a table."""

    name: str
    title: str
    caption: str
    svg: Markup
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A share in the heat table: how many of how many, and its shade from 0, none, to the number of steps."""

    policies: int
    shown: str
    shade: int


@dataclass(frozen=True, slots=True)
class Heat:
    """Regulations by sector. Columns have a short name and a full one; each row is a sector with its policies."""

    head: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, int, tuple[Cell, ...]], ...]


def sectors(found: Statistics) -> Figure:
    """Show policies by sector, the largest first, and Unknown at the end."""
    order = sorted(SECTORS, key=lambda one: (one.id == "unknown", -found.sectors[one.id].policies))
    counted = [(one.name, found.sectors[one.id].policies) for one in order]
    listed = [number(found.sectors[one.id].listed) for one in order]
    looks = [("quiet" if one.id == "unknown" else "", "") for one in order]
    figure = _counts("sectors", "Sectors", counted, found.policies, looks)
    rows = tuple((*row, extra) for row, extra in zip(figure.rows, listed, strict=True))
    return Figure(
        figure.name, figure.title,
        "A company list names the sector where it knows the site; elsewhere a classifier guesses, or says Unknown.",
        figure.svg, ("Sector", "Policies", "Share", "By a company list"), rows,
    )  # fmt: skip


def mentions(found: Statistics, group: MentionGroup) -> Figure:
    """Show how many policies name each thing of a group, the most often named first."""
    counted = sorted(
        ((one.plain, found.mentions[one.id]) for one in names() if one.group == group), key=lambda pair: -pair[1]
    )
    return _counts(group, _GROUP_TITLES[group], counted, found.policies)


def practices(found: Statistics) -> Figure:
    """Show how many policies speak of each of the twelve categories, with their colours and codes."""
    marks = [hue(label.category) for label in CATEGORY_LABELS]
    counted = [(mark.plain, found.practices[label]) for mark, label in zip(marks, CATEGORY_LABELS, strict=True)]
    return _counts("practices", "Practices", counted, found.policies, [(mark.css, mark.code) for mark in marks])


def grade(found: Statistics) -> Figure | None:
    """Show how reading grades are spread."""
    spread = found.grade
    if spread is None:
        return None
    ticks = [(float(at), str(at)) for at in (0, 5, 10, 15, 20, 25)] + [(float(len(spread.bins)), "30+")]
    labels = [str(at) for at in range(len(spread.bins) - 1)] + ["30 and more"]
    return _spread("grade", "Reading grade", spread, 1.0, ticks, labels, ".1f")


def vagueness(found: Statistics) -> Figure | None:
    """Show how the share of vague sentences is spread."""
    spread = found.vagueness
    if spread is None:
        return None
    ticks = [(BINS * at / 4, f"{at / 4:g}") for at in range(5)]
    labels = [f"{at / BINS:.2f} to {(at + 1) / BINS:.2f}" for at in range(BINS)]
    return _spread("vagueness", "Vagueness", spread, 1 / BINS, ticks, labels, ".2f")


def regulations_by_sector(found: Statistics, by_sector: Mapping[str, Mapping[str, int]]) -> Heat:
    """Give, for each sector, the share of its policies that name each regulation."""
    columns = [one for one in names() if one.group == "regulation"]
    order = sorted(SECTORS, key=lambda one: (one.id == "unknown", one.name))
    return Heat(
        tuple((_SHORT.get(one.id, one.plain), one.plain) for one in columns),
        tuple(
            (
                sector.name,
                found.sectors[sector.id].policies,
                tuple(_cell(by_sector[one.id][sector.id], found.sectors[sector.id].policies) for one in columns),
            )
            for sector in order
        ),
    )


def _cell(policies: int, whole: int) -> Cell:
    part = policies / whole if whole else 0.0
    return Cell(policies, share(policies, whole) if policies else "–", sum(part > step for step in STEPS))


def _counts(
    name: str, title: str, counted: Sequence[tuple[str, int]], whole: int, looks: Sequence[tuple[str, str]] = ()
) -> Figure:
    """Make a bar chart of counts; `looks` has a class and a code for each."""
    rows, table = [], []
    for (label, count), (css, code) in zip(counted, looks or [("", "")] * len(counted), strict=True):
        part = share(count, whole)
        rows.append(Bar(label, count, f"{number(count)} · {part}", css, code))
        table.append((f"{label} ({code})" if code else label, number(count), part))
    longest = max(rows, key=lambda row: row.value)
    description = (
        f"{len(rows)} bars. The longest is {longest.label}: {number(longest.value)} of {number(whole)} policies."
    )
    return Figure(name, title, "", bars(name, title, description, rows), ("", "Policies", "Share"), tuple(table))


def _spread(
    name: str, title: str, spread: Spread, step: float, ticks: Sequence[tuple[float, str]], labels: Sequence[str],
    form: str,
) -> Figure:  # fmt: skip
    low, middle, high = (format(value, form) for value in (spread.p5, spread.median, spread.p95))
    caption = f"Median {middle}; nine in ten policies lie between {low} and {high}."
    description = f"Counts of {number(spread.n)} policies in {len(spread.bins)} steps. {caption}"
    marks = Marks(spread.p5 / step, spread.median / step, spread.p95 / step)
    svg = histogram(name, title, description, spread.bins, ticks, marks)
    table = tuple(
        (label, number(count), share(count, spread.n))
        for label, count in zip(labels, spread.bins, strict=True)
    )  # fmt: skip
    return Figure(name, title, caption, svg, (title, "Policies", "Share"), table)
