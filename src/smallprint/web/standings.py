"""A policy's reading grade and vagueness among those of others: in words, and as a strip for each group of others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from smallprint.library.rates import Distribution, LibraryRates
from smallprint.sectors import sector
from smallprint.view.policy import Placed, PolicyView
from smallprint.view.unusual import HIGH, LEAST_POLICIES, LOW
from smallprint.web.charts import Strip, strips
from smallprint.web.rendering import number, share

# Between these shares a policy stands in the middle, and "more than 52 %" would make much of nothing.
MIDDLE = (0.45, 0.55)
# The axis leaves out one in a hundred at either end, which would press all others together.
EDGE = 0.01


@dataclass(frozen=True, slots=True)
class Standing:
    """A measure as it is shown: its value, what it means, a sentence for each group of others, and the strips."""

    name: str
    title: str
    value: str
    meaning: str
    words: tuple[str, ...]
    svg: Markup | None


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    title: str
    meaning: str
    shown: Callable[[float], str]
    more: str
    less: str
    middle: str


_GRADE = _Kind(
    "grade", "Reading grade", "Years of schooling that sentences of such length, in such words, ask for.",
    lambda value: f"{value:.1f}",
    "Harder to read than {} of {}.", "Easier to read than {} of {}.",
    "About as hard to read as the middle one of {}.",
)  # fmt: skip
_VAGUENESS = _Kind(
    "vagueness", "Vagueness",
    "Share of its sentences that leave open what they say, by a word such as “may” or “generally”.",
    lambda value: share(value, 1),
    "Vaguer than {} of {}.", "Less vague than {} of {}.",
    "About as vague as the middle one of {}.",
)  # fmt: skip


def standings(view: PolicyView, rates: LibraryRates) -> tuple[Standing, ...]:
    """Say where a policy stands, for each measure that it has."""
    own = rates.sectors.get(view.sector.sector) if view.sector.sector != "unknown" else None
    found = []
    if view.grade is not None:
        found.append(_standing(view, _GRADE, view.grade, rates.whole.grade, own.grade if own else None))
    if view.vagueness is not None:
        found.append(_standing(view, _VAGUENESS, view.vagueness, rates.whole.vagueness, own.vagueness if own else None))
    return tuple(found)


def _standing(
    view: PolicyView, kind: _Kind, placed: Placed, whole: Distribution, own: Distribution | None
) -> Standing:  # fmt: skip
    words, rows, value = [], [], kind.shown(placed.value)
    for among, below, whom, name in (
        (own, placed.below_in_sector, f"policies of the sector {sector(view.sector.sector).name}", "sector"),
        (whole, placed.below_in_library, "policies in the library", "library"),
    ):
        if among is None or below is None or among.n < LEAST_POLICIES:
            continue
        words.append(_sentence(kind, below, f"{number(among.n)} {whom}"))
        rows.append(_strip(among, name, kind))
    if not words:
        words.append(f"Fewer than {LEAST_POLICIES} policies are there to compare it with.")
        return Standing(kind.name, kind.title, value, kind.meaning, tuple(words), None)
    low = min(placed.value, whole.quantile(EDGE) or 0.0)
    high = max(placed.value, whole.quantile(1 - EDGE) or 0.0)
    svg = strips(
        kind.name, f"{kind.title} among others", f"This policy: {value}. {' '.join(words)}", rows, placed.value, value,
        (low, high),
    )  # fmt: skip
    return Standing(kind.name, kind.title, value, kind.meaning, tuple(words), svg)


def _sentence(kind: _Kind, below: float, whom: str) -> str:
    if MIDDLE[0] <= below <= MIDDLE[1]:
        return kind.middle.format(whom)
    # Rounded down, so that "99 %" is never too much said.
    percent = f"{int(100 * max(below, 1 - below))} %"
    return (kind.more if below > MIDDLE[1] else kind.less).format(percent, whom)


def _strip(among: Distribution, name: str, kind: _Kind) -> Strip:
    low, first, middle, third, high = (among.quantile(share) or 0.0 for share in (LOW, 0.25, 0.5, 0.75, HIGH))
    return Strip(f"{name}, median {kind.shown(middle)}", low, first, middle, third, high)
