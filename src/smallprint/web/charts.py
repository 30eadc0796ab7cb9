"""Figures in, SVG out: pure functions. Looks come from the style sheet by class; nothing here needs an inline style.

Lengths along the page are percentages and text keeps its size, so that a chart fits a telephone and a wide screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

# Heights in CSS pixels. A bar's label stands above it and its value after it: so long names fit into narrow pages.
ROW, LABEL, BAR = 42, 14, 9
# The longest bar leaves this share of the width to the value after it.
REACH = 64.0
PLOT, AXIS = 132, 40
SMALL = 36
# A strip: the line, then its name; and the room above all strips for the value of the one that is shown.
STRIP, POINTER = 38, 22


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: what it stands for, its length, how its value is written, a class for its colour, a code before it."""

    label: str
    value: float
    shown: str
    css: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """Places on a histogram's axis: the middle, and where the lowest and the highest twentieth begin."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True)
class Strip:
    """How a measure is spread in a group: the ends of the middle nine tenths, of the middle half, and the middle."""

    name: str
    low: float
    first: float
    middle: float
    third: float
    high: float


def bars(name: str, title: str, description: str, rows: Sequence[Bar]) -> Markup:
    """Draw bars that lie, the longest as far as it may; `name` is unique on the page."""
    longest = max((row.value for row in rows), default=0) or 1
    parts = [_row(number, row, REACH * row.value / longest) for number, row in enumerate(rows)]
    return _svg(name, "bars", title, description, ROW * len(rows), parts)


def histogram(
    name: str, title: str, description: str, counts: Sequence[int], ticks: Sequence[tuple[float, str]], marks: Marks
) -> Markup:
    """Draw bars that stand side by side; ticks and marks are given in bins from the left, 0 to `len(counts)`."""
    highest = max(counts, default=0) or 1
    width = 100 / max(1, len(counts))
    parts = []
    for number, count in enumerate(counts):
        height = PLOT * count / highest
        if count:
            height = max(1.0, height)  # one policy among thousands is still to be seen
            parts.append(
                Markup('<rect class="bin" x="{:.3f}%" y="{:.2f}" width="{:.3f}%" height="{:.2f}"/>').format(
                    (number + 0.08) * width, PLOT - height, 0.84 * width, height
                )
            )
    parts.append(Markup('<line class="axis" x1="0" x2="100%" y1="{0}" y2="{0}"/>').format(PLOT + 0.5))
    for place, label in ticks:
        anchor = "start" if place <= 0 else "end" if place >= len(counts) else "middle"
        parts.append(
            Markup('<text class="tick" x="{:.3f}%" y="{}" text-anchor="{}">{}</text>').format(
                place * width, PLOT + 17, anchor, label
            )
        )
    low, middle, high = (min(100.0, place * width) for place in (marks.low, marks.middle, marks.high))
    parts += [
        Markup('<line class="range" x1="{0:.3f}%" x2="{1:.3f}%" y1="{2}" y2="{2}"/>').format(low, high, PLOT + 30),
        Markup('<line class="median" x1="{0:.3f}%" x2="{0:.3f}%" y1="{1}" y2="{2}"/>').format(
            middle, PLOT + 24, PLOT + 36
        ),
    ]
    return _svg(name, "histogram", title, description, PLOT + AXIS, parts)


def strips(
    name: str, title: str, description: str, rows: Sequence[Strip], value: float, shown: str,
    limits: tuple[float, float],
) -> Markup:  # fmt: skip
    """Draw a line for each group, from one limit to the other, and one value across all of them."""
    least, most = limits
    width = most - least or 1.0

    def at(place: float) -> float:
        return 100 * min(1.0, max(0.0, (place - least) / width))

    height = POINTER + STRIP * len(rows)
    here = at(value)
    anchor = "start" if here < 10 else "end" if here > 90 else "middle"
    parts = [Markup('<text class="here" x="{:.2f}%" y="13" text-anchor="{}">{}</text>').format(here, anchor, shown)]
    for number, row in enumerate(rows):
        top = POINTER + number * STRIP
        parts.append(
            Markup(
                '<line class="spread" x1="{:.2f}%" x2="{:.2f}%" y1="{line}" y2="{line}"/>'
                '<rect class="half" x="{:.2f}%" width="{:.2f}%" y="{}" height="8"/>'
                '<line class="axis" x1="{middle:.2f}%" x2="{middle:.2f}%" y1="{above}" y2="{below}"/>'
                '<line class="median" x1="{here:.2f}%" x2="{here:.2f}%" y1="{above}" y2="{below}"/>'
                '<text class="tick" x="0" y="{}">{}</text>'
            ).format(
                at(row.low),
                at(row.high),
                at(row.first),
                at(row.third) - at(row.first),
                top + 2,
                top + 28,
                row.name,
                line=top + 6,
                middle=at(row.middle),
                here=here,
                above=top - 3,
                below=top + 14,
            )
        )
    return _svg(name, "strips", title, description, height, parts)


def small_histogram(label: str, counts: Sequence[int], inside: Sequence[bool]) -> Markup:
    """Draw a histogram without an axis, small enough to stand above two fields; bars outside of a choice are dimmed."""
    highest = max(counts, default=0) or 1
    width = 100 / max(1, len(counts))
    parts = []
    for place, (count, within) in enumerate(zip(counts, inside, strict=True)):
        height = max(1.5, SMALL * count / highest)
        if count:
            # Nothing but numbers: escaping them one by one would take longer than the rest of the page's layout.
            parts.append(
                f'<rect class="{"bin" if within else "bin out"}" x="{(place + 0.08) * width:.2f}%" '
                f'y="{SMALL - height:.1f}" width="{0.84 * width:.2f}%" height="{height:.1f}"/>'
            )
    return Markup(
        '<svg class="chart small" role="img" aria-label="{}" width="100%" height="{}" '
        'xmlns="http://www.w3.org/2000/svg">{}<line class="axis" x1="0" x2="100%" y1="{}" y2="{}"/></svg>'
    ).format(label, SMALL + 1, Markup("".join(parts)), SMALL + 0.5, SMALL + 0.5)  # noqa: S704 - numbers alone


def _row(number: int, row: Bar, length: float) -> Markup:
    top = number * ROW
    code = Markup('<tspan class="code-word {}">{}</tspan> ').format(row.css, row.code) if row.code else ""
    return Markup(
        '<text class="name" x="0" y="{}">{}{}</text>'
        '<rect class="bar {}" x="0" y="{}" width="{:.3f}%" height="{}"/>'
        '<text class="value" x="{:.3f}%" dx="{}" y="{}">{}</text>'
    ).format(
        top + LABEL, code, row.label,
        row.css, top + LABEL + 8, length, BAR,
        length, 8 if length else 0, top + LABEL + 17, row.shown,
    )  # fmt: skip


def _svg(name: str, kind: str, title: str, description: str, height: float, parts: Sequence[Markup]) -> Markup:
    return Markup(
        '<svg class="chart chart-{kind}" role="img" aria-labelledby="{name}-title {name}-description" '
        'width="100%" height="{height}" xmlns="http://www.w3.org/2000/svg">'
        '<title id="{name}-title">{title}</title><desc id="{name}-description">{description}</desc>{parts}</svg>'
    ).format(
        kind=kind, name=name, height=f"{height:g}", title=title, description=description,
        parts=Markup("").join(map(escape, parts)),
    )  # fmt: skip
