"""How well known domains are, as imported: PageRank, or an estimate of it, against the least of all."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable

from smallprint.library.file import Library
from smallprint.records import UNKNOWN_DOMAIN, DomainRank, Popularity

VALUE = "coalesce(popularity.value, 1.0)"
BATCH = 20_000


def replace_popularity(library: Library, domains: Iterable[DomainRank], pr_min: float) -> int:
    """Put these domains in the place of all that was known before, and fix the PageRank that counts as 1."""
    count = 0
    with library.transaction() as db:
        db.execute("DELETE FROM popularity")
        batch: list[tuple[str, float, float, bool]] = []
        for known in domains:
            batch.append((known.domain, known.pagerank, scaled(known.pagerank, pr_min), known.estimated))
            count += 1
            if len(batch) == BATCH:
                _insert(db, batch)
                batch.clear()
        _insert(db, batch)
        library.note("pr_min", repr(pr_min))
    return count


def scaled(pagerank: float, pr_min: float) -> float:
    """Give popularity = log10(10 · pr / pr_min), never below 1."""
    return max(1.0, 1.0 + math.log10(pagerank / pr_min))


def popularity(library: Library, domain: str) -> Popularity:
    """Give a domain's popularity; 1 if nothing is known of it."""
    row = library.db.execute("SELECT value, estimated FROM popularity WHERE domain = ?", (domain,)).fetchone()
    return UNKNOWN_DOMAIN if row is None else Popularity(row["value"], bool(row["estimated"]))


def _insert(db: sqlite3.Connection, batch: list[tuple[str, float, float, bool]]) -> None:
    # Of two lines on one domain the measured one holds, then the greater.
    db.executemany(
        "INSERT INTO popularity VALUES (?, ?, ?, ?) ON CONFLICT (domain) DO UPDATE SET pagerank = excluded.pagerank, "
        "value = excluded.value, estimated = excluded.estimated "
        "WHERE (excluded.estimated, -excluded.pagerank) < (estimated, -pagerank)",
        batch,
    )
