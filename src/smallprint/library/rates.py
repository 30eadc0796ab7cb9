"""How common things are among policies, in the whole library and in each sector: labels, reading grade, vagueness."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass

from smallprint.library.file import Library
from smallprint.taxonomy import LABELS, POLARITY, Label

WHOLE = ""
_LABEL = {str(label): label for label in (*LABELS, *POLARITY)}


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values of a measure, one for each policy that has it, rising."""

    values: tuple[float, ...]

    @property
    def n(self) -> int:
        """How many policies have the measure."""
        return len(self.values)

    def quantile(self, share: float) -> float | None:
        """Give the value that this share of policies does not exceed, between two values in proportion."""
        if not self.values:
            return None
        place = share * (self.n - 1)
        low = int(place)
        high = min(low + 1, self.n - 1)
        return self.values[low] + (place - low) * (self.values[high] - self.values[low])

    def share_below(self, value: float) -> float | None:
        """Say which share of policies has less, 0 to 1; of those that have as much, half are counted."""
        if not self.values:
            return None
        return (bisect_left(self.values, value) + bisect_right(self.values, value)) / 2 / self.n


@dataclass(frozen=True, slots=True)
class Rates:
    """Of so many policies, how many have each label; and how their measures are spread."""

    policies: int
    labels: dict[Label, int]
    grade: Distribution
    vagueness: Distribution

    def share(self, label: Label) -> float:
        """Say which share of policies has a label, 0 to 1; 0 where there are no policies."""
        return self.labels.get(label, 0) / self.policies if self.policies else 0.0


@dataclass(frozen=True, slots=True)
class LibraryRates:
    """The rates of a library and of its sectors, those that have policies."""

    whole: Rates
    sectors: dict[str, Rates]


def rates(library: Library) -> LibraryRates:
    """Count over the current versions of all policies kept and annotated; a group of near-duplicates counts once.

    It reads every label in the library, which takes most of a second for 13,700 policies: keep what it gives until the
    library has changed.
    """
    measured = library.db.execute(
        "SELECT p.current_version, coalesce(c.sector, m.sector, 'unknown'), m.grade, m.vague, m.sentences "
        "FROM policies p JOIN measures m ON m.version_id = p.current_version "
        "LEFT JOIN companies c ON c.domain = p.domain WHERE p.copy_of IS NULL AND p.folded_under IS NULL"
    ).fetchall()
    # One string for each policy, since half a million rows take longer to hand over than to count.
    said: dict[str, str] = dict(
        library.db.execute(
            "SELECT t.version_id, group_concat(t.label, char(10)) FROM policies p "
            "JOIN practised t ON t.version_id = p.current_version "
            "WHERE p.copy_of IS NULL AND p.folded_under IS NULL GROUP BY p.policy_id"
        ).fetchall()
    )
    gathered: dict[str, _Gathered] = defaultdict(_Gathered)
    for version_id, sector, grade, vague, sentences in measured:
        for one in (gathered[sector], gathered[WHOLE]):
            one.add(said.get(version_id, ""), grade, vague / sentences if sentences else None)
    whole = gathered.pop(WHOLE, _Gathered())
    return LibraryRates(whole.rates(), {sector: one.rates() for sector, one in sorted(gathered.items())})


class _Gathered:
    """What was gathered of some policies."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.grades: list[float] = []
        self.vagueness: list[float] = []

    def add(self, said: str, grade: float | None, vagueness: float | None) -> None:
        self.said.append(said)
        self.grades += [] if grade is None else [grade]
        self.vagueness += [] if vagueness is None else [vagueness]

    def rates(self) -> Rates:
        counts = Counter("\n".join(self.said).split("\n"))
        return Rates(
            len(self.said),
            {label: counts[name] for name, label in _LABEL.items() if name in counts},
            Distribution(tuple(sorted(self.grades))),
            Distribution(tuple(sorted(self.vagueness))),
        )
