"""What sets a policy apart from others of its sector: what it says, what it does not say, and how it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.practices import practices
from smallprint.annotate.registry import Annotations
from smallprint.annotate.sector import UNKNOWN
from smallprint.library.statistics import Distribution, LibraryRates, Rates
from smallprint.models.labels import column, joint
from smallprint.records import Segment
from smallprint.sectors import sector as sector_named
from smallprint.taxonomy import CATEGORY_LABELS, Label
from smallprint.view.labels import TELLING, full_name, percent

# With fewer policies one more or less moves a share by more than two points, and "one in ten" is no more than a guess.
LEAST_POLICIES = 50
# What fewer than one in ten say is rare. The rarer a label, the more of what is found of it are mistakes, so it must be
# likelier here than where it is merely shown (0.5). Of 400 policies of DMOZ, one in five has anything rare.
RARE, SURE = 0.10, 0.60
# What three in four say is common. Only categories are looked at, since what is not said in the words of one value may
# be said in those of another. One counts as not said where no passage comes near it, a quarter: what just misses one
# half may as well be there. Of the same 400 policies, one in four lacks anything common.
COMMON, NOWHERE = 0.75, 0.25
# One in twenty reads harder, or is vaguer, than the highest bound, and one in twenty less than the lowest.
LOW, HIGH = 0.05, 0.95
SILENCE = "Not saying something is not the same as not doing it."

Measure = Literal["grade", "vagueness"]
Basis = Literal["sector", "sector unknown", "too few in sector", "too few in library"]


@dataclass(frozen=True, slots=True)
class Missing:
    """Something most policies say that was not found in this one; which does not mean that it is not done."""

    label: Label
    name: str
    count: int
    policies: int

    @property
    def share(self) -> float:
        """The share of policies that say it."""
        return self.count / self.policies


@dataclass(frozen=True, slots=True)
class Rare(Missing):
    """Something the policy says that few others do: how likely it is, and where it is said."""

    probability: float
    segments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outlier:
    """A measure beyond what nine in ten policies have: `low` to `high`. `below` is the share that has less."""

    measure: Measure
    value: float
    low: float
    high: float
    below: float
    policies: int


@dataclass(frozen=True, slots=True)
class Unusual:
    """What sets a policy apart, and from whom: from `policies` of its sector, or of the library if `sector` is None.

    `basis` says why it was not the sector. Where the library itself has too few policies nothing is found.
    """

    sector: str | None
    basis: Basis
    policies: int
    rare: tuple[Rare, ...] = ()
    missing: tuple[Missing, ...] = ()
    outliers: tuple[Outlier, ...] = ()


def measures(annotations: Annotations) -> tuple[float | None, float | None]:
    """Return the reading grade of a version and the share of its sentences that are vague; None if not known."""
    readability, vagueness = annotations.readability, annotations.vagueness
    return readability.grade if readability else None, vagueness.score if vagueness else None


def unusual(annotations: Annotations, segments: Sequence[Segment], sector: str, rates: LibraryRates) -> Unusual:
    """Set a version against the policies of its sector."""
    basis, among = _among(sector, rates)
    against, table = sector if basis == "sector" else None, annotations.practices
    if basis == "too few in library":
        return Unusual(against, basis, among.policies)
    rare = _rare(table, segments, among) if table is not None else ()
    missing = _missing(table, among) if table is not None else ()
    return Unusual(against, basis, among.policies, rare, missing, tuple(_outliers(annotations, among)))


def in_words(unusual: Unusual) -> tuple[str, ...]:
    """Return each finding as a sentence that claims no more than was counted."""
    sector = unusual.sector
    whom = f"policies of the sector {sector_named(sector).name}" if sector else "policies in the library"
    return (
        *(
            f"“{rare.name}”: said by {rare.count:,} of {rare.policies:,} {whom} ({percent(rare.share)})."
            for rare in unusual.rare
        ),
        *(
            f"“{missing.name}”: not found here; "
            f"{percent(missing.share)} of {missing.policies:,} {whom} say something of it."
            for missing in unusual.missing
        ),
        *(_in_words(outlier, whom) for outlier in unusual.outliers),
    )


def _in_words(outlier: Outlier, whom: str) -> str:
    more = outlier.value > outlier.high
    others = f"{percent(outlier.below if more else 1 - outlier.below)} of {outlier.policies:,} {whom}"
    if outlier.measure == "grade":
        return f"Reading grade {outlier.value:.1f}: {'harder' if more else 'easier'} than {others}."
    return f"{percent(outlier.value)} of its sentences are vague: {'more' if more else 'fewer'} than in {others}."


def _among(sector: str, rates: LibraryRates) -> tuple[Basis, Rates]:
    if rates.whole.policies < LEAST_POLICIES:
        return "too few in library", rates.whole
    if sector == UNKNOWN:
        return "sector unknown", rates.whole
    own = rates.sectors.get(sector)
    if own is None or own.policies < LEAST_POLICIES:
        return "too few in sector", rates.whole
    return "sector", own


def _rare(table: NDArray[np.uint8], segments: Sequence[Segment], among: Rates) -> tuple[Rare, ...]:
    rare = [
        Rare(own.label, full_name(own.label), among.labels.get(own.label, 0), among.policies, *likely)
        for own in practices(table, segments)
        for likely in ((own.probability, own.segments),)
        if own.label in TELLING and own.probability >= SURE and among.share(own.label) < RARE
    ]
    # A category is rare where its only value is, and the value says more.
    specific = {own.label.category for own in rare if own.label.attribute}
    rarest: dict[int, Rare] = {}  # one for each passage: what else is rare in it is mostly the same, in other terms
    for own in sorted(rare, key=lambda own: own.count):
        if own.label.attribute or own.label.category not in specific:
            rarest.setdefault(own.segments[0], own)
    return tuple(rarest.values())


def _missing(table: NDArray[np.uint8], among: Rates) -> tuple[Missing, ...]:
    likely = joint(table).max(axis=0, initial=0)
    missing = [
        Missing(label, full_name(label), among.labels[label], among.policies)
        for label in CATEGORY_LABELS
        if label in TELLING and among.share(label) > COMMON and likely[column(label)] < NOWHERE
    ]
    return tuple(sorted(missing, key=lambda own: -own.count))


def _outliers(annotations: Annotations, among: Rates) -> Iterator[Outlier]:
    kinds: tuple[tuple[Measure, Distribution], ...] = (("grade", among.grade), ("vagueness", among.vagueness))
    for (measure, others), value in zip(kinds, measures(annotations), strict=True):
        low, high = others.quantile(LOW), others.quantile(HIGH)
        if value is not None and low is not None and high is not None and not low <= value <= high:
            yield Outlier(measure, value, low, high, others.share_below(value) or 0.0, others.n)
