"""`smallprint train era`: the path to the shipped reader, its steps alone, and the tables of what each is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from smallprint.errors import BadSetting
from smallprint.models import store
from smallprint.train.era import (
    filters,
    judging,
    measured,
    retrievers,
    search,
    sentences,
    sets,
    shipping,
    summary,
    training,
    venn,
)
from smallprint.train.era.bases import MODELS, base
from smallprint.train.era.bench import MOST_PAIRS, SMALL, Bench, Sizes
from smallprint.train.era.rows import INSTALLED, ROWS, SHIPPED, USUAL, Row, changed, named
from smallprint.train.era.steps import Made, Work

WORK, SMALL_WORK = "era.work", "era.small.work"
PATH = ("sentences", "bases", "retrievers", "vectors", "search", "filters", "sets", "final")
INSTALLING = (None, "final", "all")
STEPS = (*PATH, "table", "venn", "sample", "all")


def train(
    data: Path,
    where: Path,
    say: Callable[[str], None],
    *,
    step: str | None = None,
    rows: Sequence[str] = (),
    k: int | None = None,
    filtered: bool | None = None,
    models: Sequence[str] | None = None,
    questions: str | None = None,
    pairs: int | None = None,
    seed: int = 1,
    parts_seed: int = 1,
    small: bool = False,
) -> dict[str, Any]:
    """Make a step and what it stands on, or else the reader of a row; give its card, or the counts of the steps."""
    if step is not None and step not in STEPS:
        raise BadSetting(f"{step!r} is no step; choose from: {', '.join(STEPS)}")
    if small and where == store.folder():
        raise BadSetting("a small run is for trying things out, and not to be installed; give --out")
    if pairs is not None and not 0 < pairs <= MOST_PAIRS:
        raise BadSetting(f"a training of the table has at most {MOST_PAIRS:,} pairs; ask for no more")
    sizes = SMALL if small else Sizes()
    work = Work(where / (SMALL_WORK if small else WORK), say)
    bench = Bench(data, work, replace(sizes, pairs=pairs or sizes.pairs), parts_seed)
    own = tuple(models) if models is not None else None
    other = any(option is not None for option in (k, filtered, own, questions))
    usual = SHIPPED if step in INSTALLING and not other else USUAL
    chosen = [changed(named(name), k, filtered, own, questions) for name in rows or (usual,)]
    every = chosen if rows or other else ROWS
    needed = chosen if step in {None, "final"} else every if step == "table" else ROWS
    if step in INSTALLING and chosen[0].base == INSTALLED:
        raise BadSetting(
            f"the row {chosen[0].name!r} is the reader that is there already; measure it with --step table"
        )
    if any(row.models or row.base in MODELS[1:] for row in needed):
        sentences.step(bench)  # before all else: pages are read by forked processes, and torch's threads do not fork
    if step == "table":
        return _table(bench, every, seed)
    if step in INSTALLING:
        card = shipping.install(bench, chosen[0], seed, where)
        if step == "all":
            _table(bench, every, seed)
            _venn(bench)
            _sample(bench)
        return card
    made = _STEPS[step](bench, chosen[0])
    return {one.folder.relative_to(work.folder).as_posix(): one.counts for one in made}


def _table(bench: Bench, rows: Sequence[Row], seed: int) -> dict[str, Any]:
    """Train and read rows one by one; the tables are written after each, from all that are done."""
    tables: dict[str, Any] = {}
    for row in rows:
        training.step(bench, row, seed)
        tables = summary.write(bench)
    return tables


def _venn(bench: Bench, row: Row | None = None) -> list[Made]:
    return [venn.step(bench, row.k if row else named(USUAL).k)]


def _sample(bench: Bench, row: Row | None = None) -> list[Made]:
    """Draw from what all three found, whatever the row: sentences are judged once, and only its filter differs."""
    return [judging.step(bench, replace(named(USUAL), common=row.common if row else ""))]


_STEPS: dict[str, Callable[[Bench, Row], list[Made]]] = {
    "sentences": lambda bench, row: [sentences.step(bench)],
    "bases": lambda bench, row: [made for name in _bases(row) for made in base(bench, name).steps],
    "retrievers": lambda bench, row: [retrievers.step(bench, name) for name in _bases(row)],
    "vectors": lambda bench, row: [search.vectors_step(bench, name) for name in _bases(row)],
    "search": lambda bench, row: [search.step(bench, name, row.questions) for name in _bases(row)],
    "filters": lambda bench, row: [made for name in _bases(row) for made in _filtered(bench, row, name)],
    "sets": lambda bench, row: [sets.step(bench, row)],
    "venn": _venn,
    "sample": _sample,
}


def _bases(row: Row) -> list[str]:
    """Give the base models of a row: what finds by answers instead of questions has none, and is made by its sets."""
    return [name for name in row.models if name in MODELS]


def _filtered(bench: Bench, row: Row, name: str) -> list[Made]:
    by = row.common or name
    return [measured.step(bench), filters.step(bench, by), filters.scored(bench, name, by, row)[2]]
