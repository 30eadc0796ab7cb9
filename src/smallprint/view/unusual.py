"""What sets a policy apart from others of its sector: what it says, what it does not say, and how it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from smallprint.annotate.practices import column, joint, practices
from smallprint.annotate.sector import UNKNOWN
from smallprint.library.annotations import Annotations
from smallprint.library.rates import Distribution, LibraryRates, Rates
from smallprint.records import Segment
from smallprint.sectors import sector as sector_named
from smallprint.taxonomy import CATEGORY_LABELS, Label
from smallprint.view.labels import TELLING, full_name

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
class Rare:
    """Something the policy says that few others do: how likely it is, where it is said, and of how many others."""

    label: Label
    name: str
    probability: float
    segments: tuple[int, ...]
    count: int
    policies: int

    @property
    def share(self) -> float:
        """The share of policies that say it."""
        return self.count / self.policies


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


def unusual(said: Annotations, segments: Sequence[Segment], sector: str, rates: LibraryRates) -> Unusual:
    """Set a version against the policies of its sector."""
    basis, among = _among(sector, rates)
    against = sector if basis == "sector" else None
    if basis == "too few in library":
        return Unusual(against, basis, among.policies)
    return Unusual(
        against, basis, among.policies, _rare(said, segments, among), _missing(said, among), _outliers(said, among)
    )


def in_words(found: Unusual) -> tuple[str, ...]:
    """Say each finding in a sentence that claims no more than was counted."""
    whom = f"policies of the sector {sector_named(found.sector).name}" if found.sector else "policies in the library"
    rare = (f"“{one.name}”: said by {one.count:,} of {one.policies:,} {whom} ({_percent(one.share)})."
            for one in found.rare)  # fmt: skip
    missing = (f"“{one.name}”: not found here; {_percent(one.share)} of {one.policies:,} {whom} say something of it."
               for one in found.missing)  # fmt: skip
    return (*rare, *missing, *(_outlier(one, whom) for one in found.outliers))


def _among(sector: str, rates: LibraryRates) -> tuple[Basis, Rates]:
    if rates.whole.policies < LEAST_POLICIES:
        return "too few in library", rates.whole
    if sector == UNKNOWN:
        return "sector unknown", rates.whole
    own = rates.sectors.get(sector)
    if own is None or own.policies < LEAST_POLICIES:
        return "too few in sector", rates.whole
    return "sector", own


def _rare(said: Annotations, segments: Sequence[Segment], among: Rates) -> tuple[Rare, ...]:
    if said.practices is None:
        return ()
    found = {
        one.label: Rare(
            one.label, full_name(one.label), one.probability, one.segments, among.labels.get(one.label, 0),
            among.policies,
        )
        for one in practices(said.practices, segments)
        if one.label in TELLING and one.probability >= SURE and among.share(one.label) < RARE
    }  # fmt: skip
    # A category is rare where its only value is, and the value says more.
    specific = {label.category for label in found if label.attribute}
    rarest: dict[int, Rare] = {}  # one for each passage: what else is rare in it is mostly the same, in other terms
    for one in sorted(found.values(), key=lambda one: one.count):
        if one.label.attribute or one.label.category not in specific:
            rarest.setdefault(one.segments[0], one)
    return tuple(rarest.values())


def _missing(said: Annotations, among: Rates) -> tuple[Missing, ...]:
    if said.practices is None:
        return ()
    likely = joint(said.practices).max(axis=0, initial=0)
    found = [
        Missing(label, full_name(label), among.labels[label], among.policies)
        for label in CATEGORY_LABELS
        if label in TELLING and among.share(label) > COMMON and likely[column(label)] < NOWHERE
    ]
    return tuple(sorted(found, key=lambda one: -one.count))


def _outliers(said: Annotations, among: Rates) -> tuple[Outlier, ...]:
    grade = said.readability.grade if said.readability else None
    vagueness = said.vagueness.score if said.vagueness else None
    found = (_out("grade", grade, among.grade), _out("vagueness", vagueness, among.vagueness))
    return tuple(one for one in found if one)


def _out(measure: Measure, value: float | None, among: Distribution) -> Outlier | None:
    low, high = among.quantile(LOW), among.quantile(HIGH)
    if value is None or low is None or high is None or low <= value <= high:
        return None
    below = among.share_below(value)
    assert below is not None
    return Outlier(measure, value, low, high, below, among.n)


def _outlier(one: Outlier, whom: str) -> str:
    more = one.value > one.high
    share = _percent(one.below if more else 1 - one.below)
    if one.measure == "grade":
        return (
            f"Reading grade {one.value:.1f}: {'harder' if more else 'easier'} than {share} of {one.policies:,} {whom}."
        )
    how = "more" if more else "fewer"
    return f"{_percent(one.value)} of its sentences are vague: {how} than in {share} of {one.policies:,} {whom}."


def _percent(share: float) -> str:
    """Write a share so that neither none nor all is claimed where it is not so."""
    if 0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1:
        return "over 99 %"
    return f"{share:.0%}".replace("%", " %")
