"""The names that policies are known by: domain, company and title, with how well known they are."""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass

from smallprint.library.file import Library
from smallprint.library.popularity import VALUE


@dataclass(frozen=True, slots=True)
class Listed:
    """A policy kept, and what it may be called; `company` is empty where no list names one.

    What `is_folded` says nearly the same as another, which stands for it.
    """

    policy_id: str
    domain: str
    company: str
    title: str
    popularity: float
    url: str = ""
    is_folded: bool = False


def directory(library: Library) -> Iterator[Listed]:
    """Go through all policies kept, copies left out."""
    rows = library.db.execute(
        f"SELECT p.policy_id, p.domain, coalesce(c.name, ''), v.title, {VALUE} AS popularity, p.url, "  # noqa: S608 - our own words
        "p.folded_under IS NOT NULL "
        "FROM policies p JOIN versions v ON v.version_id = p.current_version "
        "LEFT JOIN popularity ON popularity.domain = p.domain LEFT JOIN companies c ON c.domain = p.domain "
        "WHERE p.copy_of IS NULL ORDER BY p.policy_id"
    )
    for policy_id, domain, company, title, popularity, url, is_folded in rows:
        yield Listed(policy_id, domain, company, title, popularity, url, bool(is_folded))


def well_known(library: Library, least: float) -> frozenset[str]:
    """Give the names of domains that are so well known, whether or not their policies are here."""
    rows = library.db.execute("SELECT domain FROM popularity WHERE value >= ?", (least,))
    return frozenset(str(domain).partition(".")[0] for (domain,) in rows)


def proper(name: str) -> str:
    """Write a company's name with capitals; lists have it in small letters."""
    return string.capwords(name) if name.islower() else name
