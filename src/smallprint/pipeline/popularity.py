"""Ranks of domains from a file into the library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from smallprint.library import Library
from smallprint.library.popularity import replace_popularity
from smallprint.records import DomainRank
from smallprint.sources.ranks import read_ranks


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import came to."""

    domains: int
    estimated: int
    pr_min: float


def import_ranks(library: Library, path: Path) -> Imported:
    """Put a file's domains in the place of what was known before; `pr_min` is fixed here."""
    pr_min, ranks = read_ranks(path)
    estimated = 0

    def counted() -> Iterator[DomainRank]:
        nonlocal estimated
        for rank in ranks:
            estimated += rank.estimated
            yield rank

    with library.writing():
        domains = replace_popularity(library, counted(), pr_min)
    return Imported(domains, estimated, pr_min)
