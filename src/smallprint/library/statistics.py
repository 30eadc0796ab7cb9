"""The whole library in figures, current versions only: sectors, names, reading grade, vagueness, practices."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, quantiles

from smallprint.annotate.mentions import names
from smallprint.library.file import Library
from smallprint.sectors import SECTORS
from smallprint.taxonomy import LABELS, Label

BINS = 20
GRADES = range(31)


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
    """A library's figures. `mentions` and `practices` count policies; `sentences` are those of all policies."""

    policies: int
    annotated: int
    sectors: dict[str, SectorCount]
    mentions: dict[str, int]
    practices: dict[Label, int]
    probability: Spread | None
    grade: Spread | None
    vagueness: Spread | None
    candidates: Spread | None
    sentences: int
    candidate_sentences: int
    vague_sentences: int


def statistics(library: Library) -> Statistics:
    """Count over all policies kept."""
    rows = library.db.execute(
        "SELECT v.p_policy, m.grade, m.sentences, m.candidates, m.vague, "
        "coalesce(c.sector, m.sector, 'unknown') AS sector, "
        "c.sector IS NOT NULL AS listed, m.version_id IS NOT NULL AS annotated FROM policies p "
        "JOIN versions v ON v.version_id = p.current_version LEFT JOIN measures m USING (version_id) "
        "LEFT JOIN companies c ON c.domain = p.domain WHERE p.copy_of IS NULL"
    ).fetchall()
    spoken = [row for row in rows if row["sentences"]]
    practised = _counted(library, "practised", "label")
    mentioned = _counted(library, "mentioned", "name")
    return Statistics(
        policies=len(rows),
        annotated=sum(row["annotated"] for row in rows),
        sectors={
            sector.id: SectorCount(
                sum(row["sector"] == sector.id for row in rows),
                sum(row["sector"] == sector.id and row["listed"] for row in rows),
            )
            for sector in SECTORS
        },
        mentions={name.id: mentioned.get(name.id, 0) for name in names()},
        practices={label: practised.get(str(label), 0) for label in LABELS},
        probability=_spread([row["p_policy"] for row in rows], 1 / BINS, BINS),
        grade=_spread([row["grade"] for row in rows if row["grade"] is not None], 1.0, len(GRADES)),
        vagueness=_spread([row["vague"] / row["sentences"] for row in spoken], 1 / BINS, BINS),
        candidates=_spread([row["candidates"] / row["sentences"] for row in spoken], 1 / BINS, BINS),
        sentences=sum(row["sentences"] for row in spoken),
        candidate_sentences=sum(row["candidates"] for row in spoken),
        vague_sentences=sum(row["vague"] for row in spoken),
    )


def mentions_by_sector(library: Library) -> dict[str, dict[str, int]]:
    """Count, for every name a policy can name, the policies kept of each sector that name it; none is left out."""
    found = library.db.execute(
        "SELECT t.name, coalesce(c.sector, m.sector, 'unknown') AS sector, count(*) AS policies FROM policies p "
        "JOIN mentioned t ON t.version_id = p.current_version LEFT JOIN measures m USING (version_id) "
        "LEFT JOIN companies c ON c.domain = p.domain WHERE p.copy_of IS NULL GROUP BY t.name, 2"
    )
    counts = {(row["name"], row["sector"]): row["policies"] for row in found}
    return {name.id: {sector.id: counts.get((name.id, sector.id), 0) for sector in SECTORS} for name in names()}


def _counted(library: Library, table: str, column: str) -> dict[str, int]:
    found = library.db.execute(
        f"SELECT t.{column}, count(*) FROM policies p JOIN {table} t ON t.version_id = p.current_version "  # noqa: S608 - our own names
        f"WHERE p.copy_of IS NULL GROUP BY t.{column}"
    )
    return {row[0]: row[1] for row in found}


def _spread(values: list[float], step: float, bins: int) -> Spread | None:
    if not values:
        return None
    cuts = quantiles(values, n=BINS, method="inclusive") if len(values) > 1 else [values[0]] * (BINS - 1)
    counts = [0] * bins
    for value in values:
        counts[min(max(int(value / step), 0), bins - 1)] += 1
    return Spread(len(values), fmean(values), cuts[0], cuts[BINS // 2 - 1], cuts[-1], tuple(counts))
