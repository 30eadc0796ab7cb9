"""Who stands behind a domain, and how well known it is: companies, sectors and popularity, as imported."""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from smallprint.annotate.sector import UNKNOWN, sector_of
from smallprint.library.file import Library
from smallprint.records import UNKNOWN_DOMAIN, Company, DomainRank, Popularity
from smallprint.sources import companies as company_lists
from smallprint.sources.ranks import read_ranks

# A policy `p` in its current version `v`, with what is known of that and of its domain.
CURRENT = """policies p JOIN versions v ON v.version_id = p.current_version
    LEFT JOIN measures m ON m.version_id = p.current_version
    LEFT JOIN companies c ON c.domain = p.domain LEFT JOIN popularity ON popularity.domain = p.domain"""
SECTOR = f"coalesce(c.sector, m.sector, '{UNKNOWN}')"
POPULARITY = "coalesce(popularity.value, 1.0)"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import of ranks came to; a domain with the PageRank `pr_min` has the popularity 1."""

    domains: int
    estimated: int
    pr_min: float


@dataclass(frozen=True, slots=True)
class KnownSector:
    """A policy's sector and who says so; the probability is the classifier's, 1 for a company list."""

    sector: str
    source: Literal["company list", "classifier", "nobody"]
    probability: float


@dataclass(frozen=True, slots=True)
class Listed:
    """A policy kept, and what it may be called; one that `is_folded` says nearly the same as another."""

    policy_id: str
    domain: str
    company: str
    title: str
    popularity: float
    url: str = ""
    is_folded: bool = False
    version_id: str = ""


def directory(library: Library) -> Iterator[Listed]:
    """Yield all policies kept, copies left out; the company is empty where no list names one."""
    return library.db.records(
        Listed,
        f"SELECT p.policy_id, p.domain, coalesce(c.name, '') AS company, v.title, {POPULARITY} AS popularity, "  # noqa: S608 - our own words
        "p.url, p.folded_under IS NOT NULL AS is_folded, p.current_version AS version_id "
        f"FROM {CURRENT} WHERE p.copy_of IS NULL ORDER BY p.policy_id",
    )


def well_known(library: Library, least: float) -> frozenset[str]:
    """Return the names of domains that are so well known, whether or not their policies are here."""
    domains = library.db.column("SELECT domain FROM popularity WHERE value >= ?", least)
    return frozenset(str(domain).partition(".")[0] for domain in domains)


def proper(name: str) -> str:
    """Write a company's name with capitals; lists have it in small letters."""
    return string.capwords(name) if name.islower() else name


def replace_companies(library: Library, companies: Iterable[company_lists.Listed]) -> int:
    """Put these companies in the place of all that were known before, and return of how many domains they are."""
    with library.transaction() as db:
        db.execute("DELETE FROM companies")
        # Of two on one domain the larger holds, since branches and namesakes claim the domain of the firm itself.
        db.executemany(
            "INSERT INTO companies VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (domain) DO UPDATE SET "
            "name = excluded.name, industry = excluded.industry, sector = excluded.sector, founded = excluded.founded, "
            "size = excluded.size, country = excluded.country, staff = excluded.staff "
            "WHERE (-excluded.staff, excluded.name, coalesce(excluded.industry, ''), coalesce(excluded.founded, 0), "
            "coalesce(excluded.size, ''), coalesce(excluded.country, '')) < "
            "(-staff, name, coalesce(industry, ''), coalesce(founded, 0), coalesce(size, ''), coalesce(country, ''))",
            map(_row, companies),
        )
        return int(db.value("SELECT count(*) FROM companies"))


def _row(listed: company_lists.Listed) -> tuple[str | int | None, ...]:
    known = listed.company
    return (known.domain, known.name, known.industry, sector_of(known.industry), known.founded, known.size,
            known.country, listed.employees)  # fmt: skip


def has_companies(library: Library) -> bool:
    """Return whether a list of companies was imported."""
    return library.db.value("SELECT 1 FROM companies LIMIT 1") is not None


def company(library: Library, domain: str) -> Company | None:
    """Return the company behind a domain, if a list names one."""
    query = "SELECT domain, name, industry, founded, size, country FROM companies WHERE domain = ?"
    return library.db.record(Company, query, domain)


def sector(library: Library, version_id: str) -> KnownSector:
    """Return the sector of a version's policy, and where it comes from."""
    row = library.db.row(
        "SELECT c.sector, m.sector, m.sector_probability FROM versions v "
        "JOIN policies p USING (policy_id) LEFT JOIN companies c ON c.domain = p.domain "
        "LEFT JOIN measures m USING (version_id) WHERE v.version_id = ?",
        version_id,
    )
    listed, guess, probability = row or (None, None, 0.0)
    if listed:
        return KnownSector(listed, "company list", 1.0)
    if guess is None:
        return KnownSector(UNKNOWN, "nobody", 0.0)
    return KnownSector(guess, "classifier", probability)


def import_ranks(library: Library, path: Path) -> Imported:
    """Put the domains of a file in the place of all that was known before."""
    pr_min, ranks = read_ranks(path)
    with library.writing():
        return replace_popularity(library, ranks, pr_min)


def replace_popularity(library: Library, domains: Iterable[DomainRank], pr_min: float) -> Imported:
    """Put these domains in the place of all that was known before, and fix the PageRank that counts as 1."""
    counts: Counter[bool] = Counter()

    def rows() -> Iterator[tuple[str, float, float, bool]]:
        for known in domains:
            counts[known.estimated] += 1
            yield known.domain, known.pagerank, scaled(known.pagerank, pr_min), known.estimated

    with library.transaction() as db:
        db.execute("DELETE FROM popularity")
        # Of two lines on one domain the measured one holds, then the greater.
        db.executemany(
            "INSERT INTO popularity VALUES (?, ?, ?, ?) ON CONFLICT (domain) DO UPDATE SET "
            "pagerank = excluded.pagerank, value = excluded.value, estimated = excluded.estimated "
            "WHERE (excluded.estimated, -excluded.pagerank) < (estimated, -pagerank)",
            rows(),
        )
        library.note("pr_min", repr(pr_min))
    return Imported(counts.total(), counts[True], pr_min)


def scaled(pagerank: float, pr_min: float) -> float:
    """Return popularity = log10(10 · pr / pr_min), never below 1."""
    return max(1.0, 1.0 + math.log10(pagerank / pr_min))


def popularity(library: Library, domain: str) -> Popularity:
    """Return a domain's popularity; 1 if nothing is known of it."""
    query = "SELECT value, estimated FROM popularity WHERE domain = ?"
    return library.db.record(Popularity, query, domain) or UNKNOWN_DOMAIN
