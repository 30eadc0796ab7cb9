"""The ranking benchmark: PrivaSeer's 17 queries in 3 themes, over a library whose results we read and judged.

Relevant is a true policy that has the practice asked for; the words alone do not do. What nobody judged is irrelevant.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

from smallprint.errors import NoData
from smallprint.evaluate.corpus import listed
from smallprint.index.engine import Engine
from smallprint.index.spreading import spread
from smallprint.index.tree import Query, Ranking
from smallprint.library import Library
from smallprint.library.findable import Findable, findable
from smallprint.pipeline.indexing import Which, open_index
from smallprint.search.language import understand
from smallprint.search.request import Request
from smallprint.search.results import asked

TASK = "ranking"
THEMES = {
    "personal information": (
        "payment information", "health information", "social security number", "phone number", "photos",
        "private messages", "microphone",
    ),
    "security": ("firewall", "encryption", "SSL", "data breach", "deletion"),
    "practice": ("opt-out", "retention period", "change notification", "do not track", "European audience"),
}  # fmt: skip
WORDS_ALONE, NO_PROBABILITY = "custom, words alone", "custom without P(D)"
RANKINGS = ("custom", "relevance", "popularity", NO_PROBABILITY, WORDS_ALONE)
INDEXES: tuple[Which, ...] = get_args(Which)
SYSTEMS = tuple(f"{ranking}, {which}" for ranking in RANKINGS for which in INDEXES)
DEPTHS = (5, 10)
# Beyond so many matches by relevance, a policy's popularity would have to be a thousand times greater.
MOST = 100_000


@dataclass(frozen=True, slots=True)
class Judgement:
    """What we said of a policy as an answer to a query, and why."""

    query: str
    policy_id: str
    relevant: bool
    reason: str


def judgements(data: Path) -> list[Judgement]:
    """Read what stands beside a library in `NAME.judgements.tsv`, else our own judgements."""
    own = data.with_name(f"{data.stem}.judgements.tsv")
    if own.is_file():
        with own.open(encoding="utf-8", newline="") as file:
            rows: list[dict[str, str]] = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    else:
        rows = listed("ranking_judgements")
    try:
        return [Judgement(r["query"], r["policy_id"], r["verdict"] == "relevant", r["reason"]) for r in rows]
    except KeyError as error:
        raise NoData(f"{own} has no column {error}; it needs query, policy_id, verdict and reason") from None


def evaluate(data: Path, systems: Sequence[str], predictions: Path | None = None) -> dict[str, Any]:
    """Measure rankings over a library and its indexes."""
    if data.is_dir():
        raise NoData("this benchmark runs over a library: give its file with --data")
    judged = judgements(data)
    relevant = {(one.query, one.policy_id) for one in judged if one.relevant}
    known = {(one.query, one.policy_id) for one in judged}
    runs: dict[str, dict[str, list[str]]] = {}
    with Library(data) as library:
        known_of = {one.policy_id: one for one in findable(library)}
        for system in systems:
            ranking, _, which = system.rpartition(", ")
            engine = open_index(library.path, which)  # type: ignore[arg-type]
            runs[system] = {query: best(engine, query, ranking, known_of) for query in queries()}
    if predictions is not None:
        _write(predictions, runs, relevant)
    return {
        "task": TASK,
        "data": data.name,
        "n": len(queries()),
        "judged": len(judged),
        "systems": {system: measures(run, relevant, known) for system, run in runs.items()},
    }


def queries() -> tuple[str, ...]:
    """Give all queries, theme by theme."""
    return tuple(query for theme in THEMES.values() for query in theme)


def best(engine: Engine, query: str, ranking: str, known: dict[str, Findable]) -> list[str]:
    """Give the first policies for a query, near-duplicates folded and sites spread as on the page of results."""
    tree, depth = asked(Request(text=query)), max(DEPTHS)
    if ranking == WORDS_ALONE:
        tree, ranking = understand(query, together=False).query, Ranking.CUSTOM
    if ranking in tuple(Ranking):
        return [hit.policy_id for hit in engine.find(tree, Ranking(ranking), depth).hits]
    return _without_probability(engine, tree, known, depth)


def measures(run: dict[str, list[str]], relevant: set[tuple[str, str]], known: set[tuple[str, str]]) -> dict[str, Any]:
    """Give precision at 5 and 10 over all queries and by theme, and the share of hits that was judged."""
    found: dict[str, Any] = _precision(run, relevant, queries())
    found["judged"] = fmean((query, hit) in known for query, hits in run.items() for hit in hits)
    found["by_theme"] = {theme: _precision(run, relevant, each) for theme, each in THEMES.items()}
    found["by_query"] = {query: _precision(run, relevant, (query,)) for query in queries()}
    return found


def _precision(run: dict[str, list[str]], relevant: set[tuple[str, str]], chosen: Sequence[str]) -> dict[str, float]:
    return {
        f"P@{depth}": fmean(
            sum((query, hit) in relevant for hit in run.get(query, [])[:depth]) / depth for query in chosen
        )
        for depth in DEPTHS
    }


def _without_probability(engine: Engine, tree: Query, known: dict[str, Findable], depth: int) -> list[str]:
    """Rank by relevance × popularity, by hand, and fold and spread as the engine does."""
    found = engine.find(tree, Ranking.RELEVANCE, MOST, fold=False).hits
    scored = sorted(found, key=lambda hit: (-hit.score * known[hit.policy_id].popularity, hit.policy_id))
    leaders: dict[str, str] = {}
    for hit in scored:
        leaders.setdefault(known[hit.policy_id].group, hit.policy_id)
    hits = list(leaders.values())
    places = spread([known[hit].domain for hit in hits], depth, depth, is_all=True)
    return [hits[place] for place in places]


def _write(path: Path, runs: dict[str, dict[str, list[str]]], relevant: set[tuple[str, str]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for system, run in runs.items():
            for query, hits in run.items():
                for rank, hit in enumerate(hits, 1):
                    line = {
                        "id": hit,
                        "query": query,
                        "system": system,
                        "rank": rank,
                        "relevant": (query, hit) in relevant,
                    }
                    file.write(json.dumps(line) + "\n")
