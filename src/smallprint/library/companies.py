"""Companies by domain, and the sector of a policy: the company list's where it has one, else the classifier's guess."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from smallprint.annotate.sector import UNKNOWN, sector_of
from smallprint.library.file import Library
from smallprint.records import Company
from smallprint.sources.companies import Listed

BATCH = 20_000


@dataclass(frozen=True, slots=True)
class KnownSector:
    """A policy's sector and who says so; the probability is the classifier's, 1 for a company list."""

    sector: str
    source: Literal["company list", "classifier", "nobody"]
    probability: float


def replace_companies(library: Library, companies: Iterable[Listed]) -> int:
    """Put these companies in the place of all that were known before, and say of how many domains they are."""
    with library.transaction() as db:
        db.execute("DELETE FROM companies")
        batch: list[tuple[str | int | None, ...]] = []
        for listed in companies:
            one = listed.company
            batch.append((one.domain, one.name, one.industry, sector_of(one.industry), one.founded, one.size,
                          one.country, listed.employees))  # fmt: skip
            if len(batch) == BATCH:
                _insert(db, batch)
                batch.clear()
        _insert(db, batch)
        return int(db.execute("SELECT count(*) FROM companies").fetchone()[0])


def has_companies(library: Library) -> bool:
    """Tell whether a list of companies was imported."""
    return library.db.execute("SELECT 1 FROM companies LIMIT 1").fetchone() is not None


def company(library: Library, domain: str) -> Company | None:
    """Give the company behind a domain, if a list names one."""
    row = library.db.execute(
        "SELECT domain, name, industry, founded, size, country FROM companies WHERE domain = ?", (domain,)
    ).fetchone()
    return None if row is None else Company(*row)


def sector(library: Library, version_id: str) -> KnownSector:
    """Give the sector of a version's policy, and where it comes from."""
    row = library.db.execute(
        "SELECT c.sector AS listed, m.sector AS guessed, m.sector_probability AS probability FROM versions v "
        "JOIN policies p USING (policy_id) LEFT JOIN companies c ON c.domain = p.domain "
        "LEFT JOIN measures m USING (version_id) WHERE v.version_id = ?",
        (version_id,),
    ).fetchone()
    if row is not None and row["listed"]:
        return KnownSector(row["listed"], "company list", 1.0)
    if row is None or row["guessed"] is None:
        return KnownSector(UNKNOWN, "nobody", 0.0)
    return KnownSector(row["guessed"], "classifier", row["probability"])


def _insert(db: sqlite3.Connection, batch: list[tuple[str | int | None, ...]]) -> None:
    # Of two companies on one domain the larger holds, since branches and namesakes claim the domain of the firm itself.
    db.executemany(
        "INSERT INTO companies VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (domain) DO UPDATE SET "
        "name = excluded.name, industry = excluded.industry, sector = excluded.sector, founded = excluded.founded, "
        "size = excluded.size, country = excluded.country, staff = excluded.staff "
        "WHERE (-excluded.staff, excluded.name, coalesce(excluded.industry, ''), coalesce(excluded.founded, 0), "
        "coalesce(excluded.size, ''), coalesce(excluded.country, '')) < "
        "(-staff, name, coalesce(industry, ''), coalesce(founded, 0), coalesce(size, ''), coalesce(country, ''))",
        batch,
    )
