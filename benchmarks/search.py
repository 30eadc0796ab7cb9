"""CPU a query of our engine beside SQLite FTS5 and bm25s: the same policies and queries, with facets and ten snippets.

Run: python benchmarks/search.py LIBRARY [--sizes 1000,10000,30000,100000] [--json]   (needs bm25s: pip install bm25s)

Beyond the policies that a library has, more are made by putting together paragraphs of several at random. All runs are
in one process, one after the other; what counts are the ratios. bm25s has no snippets and no facets: it ranks only.
"""

from __future__ import annotations

import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from smallprint.evaluate.libraries import queries as papers
from smallprint.index.embedded import EmbeddedEngine
from smallprint.index.engine import Bars, Count, Entry
from smallprint.index.ordering import find
from smallprint.index.tree import Query, Ranking
from smallprint.index.words import words
from smallprint.library import Library, reading
from smallprint.library.findable import findable
from smallprint.pipeline.indexing import entry_of
from smallprint.records import Place
from smallprint.search.language import parse_query
from smallprint.search.snippets import snippets

QUERIES, HITS = 132, 10
FACETS = ("sector", "mention", "practice", "year")
BARS = (Bars("grade", 0.0, 1.0, 25), Bars("vagueness", 0.0, 0.05, 20))


def main() -> None:
    """Print a table of CPU milliseconds a query."""
    sizes = [int(size) for size in _option("--sizes", "1000,10000,30000,100000").split(",")]
    every = policies(Path(sys.argv[1]))
    real = len(every)
    grown = [*every, *recombined(every, max(0, max(sizes) - real))]
    asked = texts(every)
    if "--json" not in sys.argv:
        print(f"{real:,} real policies; {len(asked)} queries of 1 to 3 words; CPU milliseconds, p50 / p95")
    for size in sorted({*(size for size in sizes), min(real, max(sizes))}):
        row = measured(grown[:size], asked, real)
        print(json.dumps(row) if "--json" in sys.argv else told(row), flush=True)


def told(row: dict[str, Any]) -> str:
    """Put a size's figures into words."""
    note = "" if row["policies"] == row["real"] else " (some recombined)"
    lines = [f"\n{row['policies']:,} policies{note}: indexed in {row['index_seconds']:.0f} s, {row['index_mb']:.0f} MB"]
    lines += [f"  {name:<6} {row[name]['p50']:8.1f} / {row[name]['p95']:.1f}" for name in ("ours", "fts5", "bm25s")]
    return "\n".join([*lines, f"  fts5 over ours at p95: {row['fts5']['p95'] / row['ours']['p95']:.1f}x"])


def policies(path: Path) -> list[Entry]:
    """Read a library's policies in random order."""
    with Library(path) as library:
        entries = [entry_of(library, policy, reading.text(library, policy.version_id)) for policy in findable(library)]
    random.Random(1).shuffle(entries)
    return entries


def body_of(entry: Entry) -> str:
    """Return the text of an entry."""
    return str(entry.values["body"])


def recombined(real: list[Entry], count: int) -> list[Entry]:
    """Make policies of paragraphs of four others each, with the facts of a fifth."""
    luck, entries = random.Random(2), []
    for number in range(count):
        parts = [part for entry in luck.choices(real, k=4) for part in body_of(entry).split("\n")]
        body = "\n".join(luck.sample(parts, max(1, len(parts) // 4)))
        like, own = luck.choice(real), {"body": body, "group": ()}
        entries.append(replace(like, policy_id=f"made-{number}", group=f"made-{number}", values={**like.values, **own}))
    return entries


def texts(real: list[Entry]) -> list[str]:
    """Return the paper's queries, and others that stand in policies."""
    luck, queries = random.Random(3), list(papers())
    while len(queries) < QUERIES:
        near = words(body_of(luck.choice(real)))
        start = luck.randrange(max(1, len(near) - 3))
        queries.append(" ".join(near[start : start + luck.randrange(1, 4)]))
    return queries


def measured(entries: list[Entry], asked: list[str], real: int) -> dict[str, Any]:
    """Index some policies in all three ways, and time the queries."""
    bodies = {entry.policy_id: body_of(entry) for entry in entries}
    with tempfile.TemporaryDirectory() as folder:
        engine = EmbeddedEngine(Path(folder), create=True)
        began = time.process_time()
        engine.update(entries, [])
        seconds = time.process_time() - began
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file()) / 1e6
        ours = timed(lambda text: _ours(engine, bodies, text), asked)
        database = _fts5(entries, Path(folder) / "fts5.db")
        fts5 = timed(lambda text: _ask_fts5(database, text), asked)
    retriever = _bm25s(entries)
    return {
        "policies": len(entries), "real": min(real, len(entries)), "index_seconds": seconds, "index_mb": size,
        "ours": ours, "fts5": fts5, "bm25s": timed(lambda text: _ask_bm25s(retriever, text), asked),
    }  # fmt: skip


def timed(ask: Callable[[str], object], asked: list[str]) -> dict[str, float]:
    """Return the median and the 95th percentile of CPU milliseconds a query, after one round to warm up."""
    for text in asked[:20]:
        ask(text)
    spent = []
    for text in asked:
        began = time.process_time()
        ask(text)
        spent.append(1000 * (time.process_time() - began))
    cuts = statistics.quantiles(spent, n=20)
    return {"p50": cuts[9], "p95": cuts[18]}


def _ours(engine: EmbeddedEngine, bodies: dict[str, str], text: str) -> None:
    parsed = parse_query(text)
    results = find(engine, parsed.query, Ranking.CUSTOM, HITS)
    engine.tallies([Count(parsed.query, FACETS, BARS), Count(Query(), FACETS)])
    for hit in results.hits:
        body, at, places = bodies[hit.policy_id], 0, []
        for number, line in enumerate(body.split("\n")):
            places.append(Place(number, "paragraph", at, at + len(line)))
            at += len(line) + 1
        snippets(body, places, parsed.highlights)


def _fts5(entries: list[Entry], path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.execute("CREATE VIRTUAL TABLE texts USING fts5(title, body)")
    database.execute("CREATE TABLE facts (id INTEGER PRIMARY KEY, sector, year, grade, vague, prior)")
    database.execute("CREATE TABLE many (id INTEGER, facet, value, PRIMARY KEY (id, facet, value)) WITHOUT ROWID")
    for number, entry in enumerate(entries, 1):
        values = entry.values
        title = values["title"]
        database.execute("INSERT INTO texts (rowid, title, body) VALUES (?, ?, ?)", (number, title, values["body"]))
        prior = entry.p_policy * entry.popularity
        facts = (number, "".join(values["sector"]), entry.date[:4], values["grade"], values["vagueness"], prior)
        database.execute("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?)", facts)
        several = [(number, name, value) for name in ("mention", "practice") for value in values[name]]
        database.executemany("INSERT INTO many VALUES (?, ?, ?)", several)
    database.commit()
    return database


def _ask_fts5(database: sqlite3.Connection, text: str) -> None:
    match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words(text)))
    if not match:
        return
    database.execute(
        "SELECT texts.rowid, snippet(texts, 1, '', '', '…', 32) FROM texts JOIN facts ON id = texts.rowid "
        "WHERE texts MATCH ? "
        "ORDER BY bm25(texts) * prior LIMIT 10",
        (match,),
    ).fetchall()
    database.execute("CREATE TEMP TABLE hits AS SELECT rowid AS id FROM texts WHERE texts MATCH ?", (match,))
    for column in ("sector", "year", "round(grade)", "round(vague * 20)"):
        database.execute(f"SELECT {column}, count(*) FROM hits JOIN facts USING (id) GROUP BY 1").fetchall()  # noqa: S608
    database.execute("SELECT facet, value, count(*) FROM hits JOIN many USING (id) GROUP BY 1, 2").fetchall()
    database.execute("DROP TABLE hits")


def _bm25s(entries: list[Entry]) -> object:
    import bm25s

    retriever = bm25s.BM25()
    # One string a word, however often it stands there: otherwise a hundred thousand policies take twenty gigabytes.
    texts = (f"{entry.values['title']} {body_of(entry)}" for entry in entries)
    retriever.index([list(map(sys.intern, words(text))) for text in texts], show_progress=False)
    return retriever


def _ask_bm25s(retriever: object, text: str) -> None:
    retriever.retrieve([words(text)], k=HITS, show_progress=False)  # type: ignore[attr-defined]


def _option(name: str, default: str) -> str:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


if __name__ == "__main__":
    main()
