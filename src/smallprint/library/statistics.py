"""The library in figures, current versions only: counts and spreads, and how common things are in each sector."""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, quantiles

from smallprint.annotate.mentions import names
from smallprint.library.directory import CURRENT, SECTOR
from smallprint.library.file import Library
from smallprint.sectors import SECTORS
from smallprint.taxonomy import LABELS, POLARITY, Label

BINS = 20
GRADES = range(31)
# With fewer sentences a single one moves the share too much.
LEAST_SENTENCES = 10


@dataclass(frozen=True, slots=True)
class Spread:
    """How a measure is spread over policies; `bins` counts them in steps of one twentieth, or of one grade."""

    n: int
    mean: float
    p5: float
    median: float
    p95: float
    bins: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SectorCount:
    """Policies of a sector, and how many of them a company list puts there."""

    policies: int
    listed: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """The whole library in figures; mentions and practices count policies, `sentences` are those of all together."""

    policies: int
    annotated: int
    sectors: dict[str, SectorCount]
    mentions: dict[str, int]
    practices: dict[str, int]
    probability: Spread | None
    grade: Spread | None
    vagueness: Spread | None
    candidates: Spread | None
    sentences: int
    candidate_sentences: int
    vague_sentences: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values of a measure, one for each policy that has it, rising."""

    values: tuple[float, ...]

    @property
    def n(self) -> int:
        """How many policies have the measure."""
        return len(self.values)

    def quantile(self, share: float) -> float | None:
        """Return the value that this share of policies does not exceed, between two values in proportion."""
        if not self.values:
            return None
        place = share * (self.n - 1)
        low = int(place)
        high = min(low + 1, self.n - 1)
        return self.values[low] + (place - low) * (self.values[high] - self.values[low])

    def share_below(self, value: float) -> float | None:
        """Return which share of policies has less, 0 to 1; of those that have as much, half are counted."""
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
        """Return which share of policies has a label, 0 to 1; 0 where there are no policies."""
        return self.labels.get(label, 0) / self.policies if self.policies else 0.0


@dataclass(frozen=True, slots=True)
class LibraryRates:
    """The rates of a library and of its sectors, those that have policies."""

    whole: Rates
    sectors: dict[str, Rates]


def statistics(library: Library) -> Statistics:
    """Count over all policies kept."""
    rows = library.db.execute(
        f"SELECT v.p_policy, m.grade, m.sentences, m.candidates, m.vague, {SECTOR} AS sector, "  # noqa: S608 - our own words
        "c.sector IS NOT NULL AS is_listed, m.version_id IS NOT NULL AS is_annotated "
        f"FROM {CURRENT} WHERE p.copy_of IS NULL"
    ).fetchall()
    with_sentences = [row for row in rows if row["sentences"]]
    sectors = Counter(row["sector"] for row in rows)
    listed = Counter(row["sector"] for row in rows if row["is_listed"])
    by_label = library.db.execute(
        "SELECT t.label, count(*) FROM policies p JOIN practised t ON t.version_id = p.current_version "
        "WHERE p.copy_of IS NULL GROUP BY t.label"
    )
    practised = dict(by_label.fetchall())
    return Statistics(
        policies=len(rows),
        annotated=sum(row["is_annotated"] for row in rows),
        sectors={sector.id: SectorCount(sectors[sector.id], listed[sector.id]) for sector in SECTORS},
        mentions={name: sum(counts.values()) for name, counts in mentions_by_sector(library).items()},
        practices={str(label): practised.get(str(label), 0) for label in LABELS},
        probability=_spread([row["p_policy"] for row in rows]),
        grade=_spread([row["grade"] for row in rows if row["grade"] is not None], 1.0, len(GRADES)),
        vagueness=_spread([row["vague"] / row["sentences"] for row in with_sentences]),
        candidates=_spread([row["candidates"] / row["sentences"] for row in with_sentences]),
        sentences=sum(row["sentences"] for row in with_sentences),
        candidate_sentences=sum(row["candidates"] for row in with_sentences),
        vague_sentences=sum(row["vague"] for row in with_sentences),
    )


def rates(library: Library) -> LibraryRates:
    """Count over all policies kept and annotated, near-duplicates once; keep it: 13,700 take most of a second."""
    # One string of labels for each policy, since half a million rows take longer to hand over than to count.
    rows = library.db.execute(
        f"SELECT {SECTOR} AS sector, m.grade, 1.0 * m.vague / m.sentences AS vagueness, "  # noqa: S608 - our own words
        "(SELECT group_concat(label, char(10)) FROM practised t WHERE t.version_id = m.version_id) AS labels "
        f"FROM {CURRENT} WHERE m.version_id IS NOT NULL AND p.copy_of IS NULL AND p.folded_under IS NULL"
    ).fetchall()
    by_sector = defaultdict(list)
    for row in rows:
        by_sector[row["sector"]].append(row)
    return LibraryRates(_rates(rows), {sector: _rates(own) for sector, own in sorted(by_sector.items())})


def _rates(rows: Sequence[sqlite3.Row]) -> Rates:
    counts = Counter("\n".join(row["labels"] or "" for row in rows).split("\n"))
    labels = {label: counts[str(label)] for label in (*LABELS, *POLARITY) if str(label) in counts}
    measures = ([row[name] for row in rows if row[name] is not None] for name in ("grade", "vagueness"))
    return Rates(len(rows), labels, *(Distribution(tuple(sorted(values))) for values in measures))


def mentions_by_sector(library: Library) -> dict[str, dict[str, int]]:
    """Count, for every name a policy can name, the policies kept of each sector that name it; none is left out."""
    rows = library.db.execute(
        f"SELECT t.name, {SECTOR}, count(*) FROM {CURRENT} JOIN mentioned t ON t.version_id = p.current_version "  # noqa: S608 - our own words
        "WHERE p.copy_of IS NULL GROUP BY 1, 2"
    )
    counts = {(name, sector): count for name, sector, count in rows}
    return {name.id: {sector.id: counts.get((name.id, sector.id), 0) for sector in SECTORS} for name in names()}


def vaguest(
    library: Library, practice: str | None, sectors: Sequence[str], most: int, *, plainest: bool = False
) -> tuple[str, ...]:
    """Return the ids of policies by their share of vague sentences; near-duplicates stand for themselves once."""
    ids = library.db.column(
        f"SELECT p.policy_id FROM {CURRENT} "  # noqa: S608 - our own words
        "WHERE p.copy_of IS NULL AND p.folded_under IS NULL AND m.sentences >= ? "
        "AND (? IS NULL OR EXISTS (SELECT 1 FROM practised t WHERE t.version_id = m.version_id AND t.label = ?)) "
        "AND (? OR coalesce(c.sector, m.sector) IN (SELECT value FROM json_each(?))) "
        f"ORDER BY 1.0 * m.vague / m.sentences {'ASC' if plainest else 'DESC'}, p.policy_id LIMIT ?",
        *(LEAST_SENTENCES, practice, practice, not sectors, json.dumps(sectors), most),
    )
    return tuple(ids)


def _spread(values: list[float], step: float = 1 / BINS, bins: int = BINS) -> Spread | None:
    if not values:
        return None
    cuts = quantiles(values, n=BINS, method="inclusive") if len(values) > 1 else [values[0]] * (BINS - 1)
    counts = Counter(min(max(int(value / step), 0), bins - 1) for value in values)
    bars = tuple(counts[place] for place in range(bins))
    return Spread(len(values), fmean(values), cuts[0], cuts[BINS // 2 - 1], cuts[-1], bars)
