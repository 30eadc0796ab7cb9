"""Benchmarks over a library: rankings of PrivaSeer's 17 queries in 3 themes, and questions over the sample.

A ranked policy is relevant if it is a true policy that has the practice asked for; the words alone do not do. We read
and judged results; what nobody judged is irrelevant.

Questions stand in `library_questions.json`, each with the topic of the sample that it asks for; what is true comes from
the sample itself. They were written in rounds: each was measured before anything was mended for it (docs/results.md).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

from smallprint import sample
from smallprint.ask.dialogue.acts import kind_of
from smallprint.ask.english.stances import Stance
from smallprint.assistant.across.gathering import gather
from smallprint.assistant.across.parsing import parse
from smallprint.assistant.desk import Desk
from smallprint.datasets.corpus import listed, table
from smallprint.domains import policy_id
from smallprint.errors import NoData
from smallprint.evaluate.tasks import Order, Outcome
from smallprint.index.engine import Engine
from smallprint.index.opening import Which, open_engine
from smallprint.index.ordering import find, leaders, spread
from smallprint.index.tree import Ranking
from smallprint.library import Library, reading
from smallprint.library.directory import directory
from smallprint.library.findable import Findable, findable
from smallprint.sample import Truth
from smallprint.search.language import parse_query
from smallprint.search.request import Request
from smallprint.search.results import query_of
from smallprint.settings import Settings

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


def judgements(data: Path) -> dict[tuple[str, str], bool]:
    """Return which judged policies are relevant to a query, by `NAME.judgements.tsv` beside the library or our own."""
    own = data.with_name(f"{data.stem}.judgements.tsv")
    rows = table(own, ("query", "policy_id", "verdict", "reason")) if own.is_file() else listed("ranking_judgements")
    return {(row["query"], row["policy_id"]): row["verdict"] == "relevant" for row in rows}


def ranking(order: Order) -> Outcome:
    """Measure rankings over a library and its indexes."""
    systems = order.choose(SYSTEMS)
    if order.data.is_dir():
        raise NoData("this benchmark runs over a library: give its file with --data")
    judged = judgements(order.data)
    runs: dict[str, dict[str, list[str]]] = {}
    with Library(order.data) as library:
        known = {policy.policy_id: policy for policy in findable(library)}
        for system in systems:
            name, _, which = system.rpartition(", ")
            engine = open_engine(Settings(library=library.path), which)  # type: ignore[arg-type]
            runs[system] = {query: best(engine, query, name, known) for query in queries()}
    return Outcome(
        order.data.name,
        [(f"{query} {policy_id}", relevant) for (query, policy_id), relevant in judged.items()],
        {system: ranking_measures(run, judged) for system, run in runs.items()},
        {"judged": len(judged)},
        (
            {"id": hit, "query": query, "system": system, "rank": rank, "relevant": judged.get((query, hit), False)}
            for system, run in runs.items()
            for query, hits in run.items()
            for rank, hit in enumerate(hits, 1)
        ),
        len(queries()),
    )


def queries() -> tuple[str, ...]:
    """Return all queries, theme by theme."""
    return tuple(query for theme in THEMES.values() for query in theme)


def best(engine: Engine, query: str, ranking: str, known: dict[str, Findable]) -> list[str]:
    """Return the first policies for a query, near-duplicates folded and sites spread as on the page of results."""
    tree, depth = query_of(Request(text=query)), max(DEPTHS)
    if ranking == NO_PROBABILITY:  # relevance × popularity by hand, folded and spread as the engine does
        hits = engine.walk(tree, Ranking.RELEVANCE).hits
        scored = sorted(hits, key=lambda hit: (-hit.score * known[hit.policy_id].popularity, hit.policy_id))
        policies = leaders((known[hit.policy_id] for hit in scored), lambda policy: policy.group)
        return [policy.policy_id for policy in islice(spread(policies, depth, lambda policy: policy.domain), depth)]
    if ranking == WORDS_ALONE:
        tree, ranking = parse_query(query, together=False).query, Ranking.CUSTOM
    return [hit.policy_id for hit in find(engine, tree, Ranking(ranking), depth).hits]


def ranking_measures(run: dict[str, list[str]], judged: dict[tuple[str, str], bool]) -> dict[str, Any]:
    """Return precision at 5 and 10 over all queries and by theme, and the share of hits that was judged."""

    def precision(chosen: Sequence[str]) -> dict[str, float]:
        return {
            f"P@{depth}": fmean(sum(judged.get((q, hit), False) for hit in run[q][:depth]) / depth for q in chosen)
            for depth in DEPTHS
        }

    return {
        **precision(queries()),
        "judged": fmean((query, hit) in judged for query, hits in run.items() for hit in hits),
        "by_theme": {theme: precision(chosen) for theme, chosen in THEMES.items()},
        "by_query": {query: precision((query,)) for query in queries()},
    }


@dataclass(frozen=True, slots=True)
class Asked:
    """A question over the sample: its topics, of which one is enough, what policies must say of it, and of which."""

    question: str
    topics: tuple[str, ...]
    wants: Stance
    round: int
    sector: str | None = None
    app: bool = False

    def is_answered_by(self, truth: Truth) -> bool:
        """Return whether a policy belongs among the answers."""
        return (
            (self.sector is None or truth.sector == self.sector)
            and (truth.app or not self.app)
            and any(truth.stance(topic) == self.wants for topic in self.topics)
        )


def questions() -> tuple[Asked, ...]:
    """Read all questions."""
    raw = json.loads((files(__package__) / "library_questions.json").read_text(encoding="utf-8"))
    return tuple(Asked(topics=tuple(row.pop("topic").split()), **row) for row in raw)


def library_questions(order: Order) -> Outcome:
    """Ask every question of the sample; the data is a library that holds it and nothing else."""
    order.choose()
    if not order.data.is_file():
        raise NoData(
            f"{order.data} is no library; make the sample's with 'smallprint ingest --sample', and give it as --data"
        )
    rows: list[dict[str, Any]] = []
    with Library(order.data) as library:
        engine, desk, truths = open_engine(Settings(library=order.data)), Desk(), truths_of(library)
        for number, asked in enumerate(questions(), 1):
            if not order.wants(str(number)):
                continue
            returned = _answers(desk, library, engine, asked, len(truths))
            true = {policy for policy, truth in truths.items() if asked.is_answered_by(truth)}
            row = {"id": str(number), "question": asked.question, "round": asked.round, "chosen": sorted(returned)}
            counts = {"hits": len(true & returned), "returned": len(returned), "true": len(true)}
            rows.append({**row, **counts, **_shares(counts)})
    rounds = sorted({row["round"] for row in rows})
    columns = ("precision", "recall", "returned", "true")
    return Outcome(
        "sample",
        [(row["question"], row["true"]) for row in rows],
        {"default": _question_measures(rows)},
        {
            "by_group": {
                f"round {each}": _question_measures([row for row in rows if row["round"] == each]) for each in rounds
            },
            "by_question": {row["question"]: {name: row[name] for name in columns} for row in rows},
        },
        rows,
    )


def _answers(desk: Desk, library: Library, engine: Engine, asked: Asked, most: int) -> set[str]:
    kind = kind_of(asked.question, 0)
    if kind != "list":
        return set()
    question = parse(asked.question, kind, desk.kit)
    known = {policy.policy_id: policy for policy in directory(library)}
    ids = [citation.policy_id or "" for citation in gather(desk, library, known, engine, question, most).policies]
    # Of near-duplicates any one may be returned, and stands for all.
    return {reading.find_policy(library, policy_id).folded_under or policy_id for policy_id in ids}


def _question_measures(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return means over questions, and precision and recall over all policies returned."""
    means = {name: sum(row[name] for row in rows) / max(1, len(rows)) for name in ("precision", "recall")}
    pooled = _shares({name: sum(row[name] for row in rows) for name in ("hits", "returned", "true")})
    return means | {f"{name}_pooled": share for name, share in pooled.items()}


def _shares(counts: dict[str, int]) -> dict[str, float]:
    """Return precision and recall of what was returned."""
    shares = {"precision": "returned", "recall": "true"}
    return {name: counts["hits"] / max(1, counts[whole]) for name, whole in shares.items()}


def truths_of(library: Library) -> dict[str, Truth]:
    """Return what is true of the newest version of each policy kept; of near-duplicates the one that stands for all."""
    newest = {policy_id(truth.url): truth for truth in sample.truths() if truth.outcome == "kept"}
    kept = [name for name in reading.policies(library) if reading.find_policy(library, name).folded_under is None]
    if not set(kept) <= set(newest):
        raise NoData("the library holds more than the sample; make one with 'smallprint ingest --sample'")
    return {name: newest[name] for name in kept}
