"""How well known domains are, read from files: Common Crawl's domain ranks, or a table of ranks of several kinds."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from smallprint.errors import BadSource
from smallprint.records import DomainRank
from smallprint.sources.streams import csv_rows, open_stream, text_lines

# Columns in which a smaller number means a better known domain; a CrUX bucket is the upper end of a range of ranks.
RANKS = ("alexa2016_rank", "top65k_2023_rank", "crux202602_best_country_bucket", "crux202602_best_bucket", "rank")
COUNTS = ("crux202602_n_country_lists", "crux202602_n_countries")
PAGERANK = "cc_pagerank"
# Fewer domains than this with both a PageRank and a rank, and a line through them says nothing.
LEAST_TO_FIT = 20
# Where nothing can be fitted: PageRank falls about as 1 / rank from the best known site's 0.01.
ZIPF = (-2.0, -1.0)
ADVICE = "give a Common Crawl rank file or a CSV with domain,cc_pagerank,…"


class _Row(NamedTuple):
    domain: str
    pagerank: float | None
    signals: tuple[float | None, ...]


def read_ranks(path: Path) -> tuple[float, Iterator[DomainRank]]:
    """Return the least PageRank measured in a file, and every domain in it; the file is read twice, never held."""
    if _is_common_crawl(path):
        least = min((rank.pagerank for rank in _common_crawl(path)), default=math.inf)
        ranks = _common_crawl(path)
    else:
        measured = [row for row in _table(path) if row.pagerank is not None]
        least = min((row.pagerank for row in measured if row.pagerank), default=math.inf)
        lines = _fit(measured)
        if not measured and any(_estimate(row, lines) for row in _table(path)):
            least = _estimate(_Row("", None, (1e7,)), lines) or 1e-9
        ranks = _ranked(path, lines)
    if not math.isfinite(least):
        raise BadSource(f"no domain in {path} has a rank; {ADVICE}")
    return least, ranks


def _ranked(path: Path, lines: list[tuple[float, float]]) -> Iterator[DomainRank]:
    for row in _table(path):
        pagerank = _estimate(row, lines) if row.pagerank is None else row.pagerank
        if pagerank is not None:
            yield DomainRank(row.domain, pagerank, estimated=row.pagerank is None)


def _fit(rows: list[_Row]) -> list[tuple[float, float]]:
    """Fit log PageRank to the log of each signal, one line a signal: most domains have only one or two of them."""
    lines = []
    for place in range(len(RANKS) + len(COUNTS)):
        pairs = [(row.signals[place], row.pagerank) for row in rows if row.signals[place] and row.pagerank]
        if len(pairs) < LEAST_TO_FIT:
            lines.append(ZIPF if place < len(RANKS) else (math.nan, math.nan))
            continue
        x, y = np.log10(np.array(pairs, dtype=float)).T
        slope, intercept = np.polyfit(x, y, 1)
        lines.append((float(intercept), float(slope)))
    return lines


def _estimate(row: _Row, lines: list[tuple[float, float]]) -> float | None:
    """Take the mean of what the lines say, in logarithms; None if the row has no signal."""
    logarithms = [
        intercept + slope * math.log10(signal)
        for signal, (intercept, slope) in zip(row.signals, lines, strict=False)
        if signal and not math.isnan(slope)
    ]
    return 10 ** (sum(logarithms) / len(logarithms)) if logarithms else None


def _table(path: Path) -> Iterator[_Row]:
    rows = csv_rows(path)
    columns = {name: place for place, name in enumerate(next(rows, []))}
    if "domain" not in columns:
        raise BadSource(f"{path} has no column 'domain'; {ADVICE}")
    # A column that the file lacks is read as one beyond the end of every row.
    domain_place, *places = (columns.get(name, sys.maxsize) for name in ("domain", PAGERANK, *RANKS, *COUNTS))
    for row in rows:
        width = len(row)
        domain = row[domain_place].strip().lower().rstrip(".") if domain_place < width else ""
        if domain:
            pagerank, *signals = [_number(row[place]) if place < width else None for place in places]
            yield _Row(domain, pagerank, tuple(signals))


def _is_common_crawl(path: Path) -> bool:
    with open_stream(path) as stream:
        first = stream.read(4096).decode("utf-8", "replace").split("\n", 1)[0]
    return first.startswith("#harmonicc_pos") or (first.count("\t") >= 4 and _parsed(first) is not None)


def _common_crawl(path: Path) -> Iterator[DomainRank]:
    return (rank for line in text_lines(path) if (rank := _parsed(line)) is not None)


def _parsed(line: str) -> DomainRank | None:
    """Read a line of Common Crawl's ranks: harmonic position, value, PageRank position, value, reversed domain."""
    parts = line.rstrip("\n").split("\t")
    if line.startswith("#") or len(parts) < 5:
        return None
    pagerank = _number(parts[3])
    domain = ".".join(reversed(parts[4].strip().lower().split(".")))
    return DomainRank(domain, pagerank, estimated=False) if pagerank and domain else None


def _number(value: str) -> float | None:
    try:
        number = float(value) if value else 0.0
    except ValueError:
        return None
    return number if 0 < number < math.inf else None
