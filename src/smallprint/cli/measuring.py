"""The command that measures: evaluate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from smallprint.cli.options import JsonOption
from smallprint.cli.output import print_json, print_table
from smallprint.errors import BadSetting, NoData

TASKS = (
    "is-policy", "extraction", "practices", "polarity", "vagueness", "sector", "mentions", "ranking", "privacyqa",
    "smallprint-qa", "policyqa", "question-mapping", "heading-answers", "papers", "word-vectors",
    "library-questions",
)  # fmt: skip
# What the name of an interval ends in, beside the measure's own.
INTERVAL = "_ci"
# Characters of an interval ("0.12–0.34") and of all columns of a table but the first.
NUMBER_WIDTH, TABLE_WIDTH = 9, 122


def evaluate(
    task: Annotated[str, typer.Argument(help=f"One of: {', '.join(TASKS)}.")],
    data: Annotated[
        Path | None, typer.Option("--data", help="A file or folder in the task's layout; else the setting 'data_dir'.")
    ] = None,
    systems: Annotated[str | None, typer.Option("--systems", help="Only these, separated by commas.")] = None,
    ids: Annotated[
        Path | None, typer.Option("--ids", help="Only the items whose ids stand in this file, one a line.")
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option("--predictions", help="Write what is said of each item to this JSONL file.")
    ] = None,
    gate: Annotated[bool, typer.Option("--gate", help="Fail if a figure is below its floor.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure a task on data in its documented layout; see docs/results.md for what came out on ours."""
    from smallprint.evaluate import floors, tasks
    from smallprint.settings import load

    settings = load()
    where = data or settings.data_dir
    if task not in TASKS:
        raise BadSetting(f"{task!r} is no task; choose from: {', '.join(TASKS)}")
    if not where.exists():
        raise NoData(f"{where} is not there; give --data, or set data_dir (SMALLPRINT_DATA_DIR)")
    wanted = _listed(ids) if ids else None
    chosen = tuple(systems.split(",")) if systems else None
    result = tasks.run(task, where, settings, systems=chosen, ids=wanted, predictions=predictions)
    if as_json:
        print_json(result)
    else:
        _print_result(result)
    if gate:
        floors.check(result)


def _listed(path: Path) -> frozenset[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise NoData(f"the ids in {path} cannot be read ({error}); give a file with one id a line") from None
    return frozenset(line for line in lines if line)


def _print_result(result: dict[str, Any]) -> None:
    typer.echo(f"{result['task']} on {result['data']}: n = {result['n']:,}")
    rows = {**result.get("systems", {}), **result.get("subsets", {})}
    if any(name.endswith(INTERVAL) for measures in rows.values() for name in measures):
        _print_groups(rows)
    else:
        _print_rows(rows)
    for key in [key for key in result if key.startswith("by_")]:
        typer.echo()
        _print_rows(result[key], key)
    for system, measures in rows.items():
        for key in [key for key, value in measures.items() if isinstance(value, dict)]:
            typer.echo()
            _print_rows(measures[key], f"{system}, {key}")


def _print_groups(rows: dict[str, dict[str, Any]]) -> None:
    """Print many measures: a table for each kind of them, and the intervals of the first system, the default path."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name in dict.fromkeys(name for measures in rows.values() for name in measures):
        if not name.endswith(INTERVAL):
            who = tuple(system for system, measures in rows.items() if name in measures)
            found.setdefault((_kind(name), who), []).append(name)
    groups = [(kind, who, part) for (kind, who), names in found.items() for part in _fitting(names)]
    for number, (kind, who, names) in enumerate(groups):
        if number:
            typer.echo()
        _print_rows({system: {_bare(name): rows[system][name] for name in names} for system in who}, kind)
    first, measures = next(iter(rows.items()))
    intervals: dict[tuple[str, ...], dict[str, dict[str, str]]] = {}
    for kind, _, names in groups:
        ends = {_bare(name): measures[name + INTERVAL] for name in names if name + INTERVAL in measures}
        shown = {name: f"{low:.2f}–{high:.2f}" for name, (low, high) in ends.items()}
        if shown:
            intervals.setdefault(tuple(shown), {})[kind] = shown
    for table in intervals.values():
        typer.echo()
        _print_rows(table, f"{first}, 95 %")


def _fitting(names: list[str]) -> Iterator[list[str]]:
    """Part measures so that a table of each part fits on a line."""
    part: list[str] = []
    for name in names:
        if part and sum(max(len(_bare(one)), NUMBER_WIDTH) + 2 for one in (*part, name)) > TABLE_WIDTH:
            yield part
            part = []
        part.append(name)
    yield part


def _kind(name: str) -> str:
    """Say what a measure is taken over: "answers/F@5_answerable" is of "answers, answerable"."""
    parts = [name.partition("/")[0]] if "/" in name else []
    return ", ".join(parts + [part for part in ("answerable", "all") if name.endswith(f"_{part}")])


def _bare(name: str) -> str:
    return name.rpartition("/")[2].removesuffix("_answerable").removesuffix("_all")


def _print_rows(rows: dict[str, dict[str, Any]], title: str = "") -> None:
    names = list(dict.fromkeys(n for row in rows.values() for n, value in row.items() if not isinstance(value, dict)))
    if rows:
        cells = [(name.replace("_", " "), *(row.get(column, "") for column in names)) for name, row in rows.items()]
        print_table((title.replace("_", " "), *names), cells)
