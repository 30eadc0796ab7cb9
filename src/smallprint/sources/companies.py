"""Who stands behind domains, read from a list of companies: the Free Company Dataset in either of its layouts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from smallprint import limits
from smallprint.controls import tidy
from smallprint.domains import registrable_domain
from smallprint.errors import BadAddress, BadSource
from smallprint.records import Company
from smallprint.sources.streams import csv_rows, text_lines

# What a column is called in the layout of 2019 and in the one of today; the first that is there is read.
COLUMNS = {
    "domain": ("domain", "website"),
    "name": ("name",),
    "industry": ("industry",),
    "founded": ("year founded", "founded"),
    "size": ("size range", "size"),
    "country": ("country",),
    "employees": ("current employee estimate",),
}
NEEDED = ("domain", "name", "industry")
SITE = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.[a-z][a-z0-9-]+")
NUMBER = re.compile(r"\d+")
YEARS = range(600, 2101)
ADVICE = "give the Free Company Dataset or a CSV with name,domain,industry,…"

Fields = dict[str, str]


@dataclass(frozen=True, slots=True)
class Listed:
    """A company as a list has it; `employees` is the list's estimate, or the lower end of its range of sizes."""

    company: Company
    employees: int

    @property
    def preference(self) -> tuple[int, str, str, int, str, str]:
        """Rank the companies that claim one domain: the least is the one to keep, whatever the order of rows.

        The largest comes first, since branches and namesakes claim the domain of the firm itself; then by name.
        """
        own = self.company
        return -self.employees, own.name, own.industry or "", own.founded or 0, own.size or "", own.country or ""


class Companies:
    """The companies of a file, one at a time, never held; `passed_over` counts the rows without a usable domain."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.passed_over = 0

    def __iter__(self) -> Iterator[Listed]:
        """Go through the file from its start; raises BadSource where it is no list of companies."""
        self.passed_over = 0
        lines = text_lines(self.path)
        first = next((line for line in lines if line.strip()), "")
        read = self._objects if first.lstrip().startswith("{") else self._table
        for listed in map(_listed, read(chain([first], lines))):
            if listed is None:
                self.passed_over += 1
            else:
                yield listed

    def _table(self, lines: Iterator[str]) -> Iterator[Fields]:
        rows = csv_rows(self.path, lines)
        places = self._places(next(rows, []))
        return ({name: row[place] for name, place in places.items() if place < len(row)} for row in rows if row)

    def _places(self, header: list[str]) -> dict[str, int]:
        named = {" ".join(title.lower().replace("_", " ").split()): place for place, title in enumerate(header)}
        places = {field: named[title] for field, titles in COLUMNS.items() for title in titles[::-1] if title in named}
        for field in NEEDED:
            if field not in places:
                wanted = " or ".join(map(repr, COLUMNS[field]))
                raise BadSource(f"{self.path} has no column {wanted}; {ADVICE}")
        return places

    def _objects(self, lines: Iterator[str]) -> Iterator[Fields]:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                raise BadSource(f"line {number} of {self.path} is not a JSON object; give one company a line")
            if number == 1:
                self._places(list(row))
            named = {str(title).lower().replace("_", " "): value for title, value in row.items()}
            yield {
                name: str(named[title])
                for name, titles in COLUMNS.items()
                for title in reversed(titles)
                if isinstance(named.get(title), str | int | float)
            }


def best_by_domain(listed: Iterator[Listed] | Companies, wanted: Callable[[str], bool]) -> dict[str, Company]:
    """Return the company to keep for each domain that is wanted; only those are held."""
    best: dict[str, Listed] = {}
    for claim in listed:
        domain = claim.company.domain
        if wanted(domain) and (domain not in best or claim.preference < best[domain].preference):
            best[domain] = claim
    return {domain: claim.company for domain, claim in best.items()}


def _listed(fields: Fields) -> Listed | None:
    domain = _domain(fields.get("domain", ""))
    if not domain:
        return None
    size = _text(fields, "size")
    estimate = NUMBER.search(fields.get("employees") or "") or NUMBER.search(size or "")
    founded = NUMBER.match(fields.get("founded", "").strip())
    company = Company(
        domain=domain,
        name=_text(fields, "name") or domain,
        industry=_text(fields, "industry"),
        founded=int(founded[0]) if founded and len(founded[0]) <= 4 and int(founded[0]) in YEARS else None,
        size=size,
        country=_text(fields, "country"),
    )
    return Listed(company, int(estimate[0][:9]) if estimate else 0)


def _text(fields: Fields, name: str) -> str | None:
    return tidy(fields.get(name, ""))[: limits.MAX_COMPANY_NAME] or None


def _domain(value: str) -> str:
    """Return the registrable domain of what stands in a row; empty where that is none."""
    try:
        domain = registrable_domain(value.strip())
    except BadAddress:
        return ""
    return domain if SITE.fullmatch(domain) else ""
