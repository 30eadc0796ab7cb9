"""A benchmark's result as tables of text, intervals in tables of their own; and the floors under its figures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from operator import gt, lt
from typing import Any

from smallprint.errors import SmallprintError

# What the name of an interval ends in, beside the measure's own.
INTERVAL = "_ci"
# Characters of an interval ("0.12–0.34") and of all columns of a table but the first.
NUMBER_WIDTH, TABLE_WIDTH = 9, 122

Rows = dict[str, dict[str, Any]]
# A table's title and columns, and its rows, each with its name first.
Table = tuple[tuple[str, ...], list[tuple[Any, ...]]]


class BelowFloor(SmallprintError):
    """A figure fell below its floor."""


def tables(result: dict[str, Any]) -> Iterator[Table]:
    """Yield the tables of a result: systems, then whatever is told apart by something."""
    rows = {**result.get("systems", {}), **result.get("subsets", {})}
    if any(name.endswith(INTERVAL) for measures in rows.values() for name in measures):
        yield from _with_intervals(rows)
    elif rows:
        yield _table(rows)
    for name, part in result.items():
        if name.startswith("by_") and part:
            yield _table(part, name)
    for system, measures in rows.items():
        for name, part in measures.items():
            if isinstance(part, dict) and part:
                yield _table(part, f"{system}, {name}")


def _with_intervals(rows: Rows) -> Iterator[Table]:
    """Yield a table for each kind of measure, and the intervals of the first system, the default path."""
    kinds: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name in dict.fromkeys(name for measures in rows.values() for name in measures):
        if not name.endswith(INTERVAL):
            systems = tuple(system for system, measures in rows.items() if name in measures)
            kinds.setdefault((_kind_and_measure(name)[0], systems), []).append(name)
    first, measures = next(iter(rows.items()))
    intervals: dict[tuple[str, ...], Rows] = {}
    for (kind, systems), names in kinds.items():
        for part in _fitting({name: _kind_and_measure(name)[1] for name in names}):
            yield _table({system: {bare: rows[system][name] for name, bare in part} for system in systems}, kind)
            ends = {bare: measures[name + INTERVAL] for name, bare in part if name + INTERVAL in measures}
            if ends:
                cells = {bare: f"{low:.2f}–{high:.2f}" for bare, (low, high) in ends.items()}
                intervals.setdefault(tuple(cells), {})[kind] = cells
    for table in intervals.values():
        yield _table(table, f"{first}, 95 %")


def _fitting(names: dict[str, str]) -> Iterator[list[tuple[str, str]]]:
    """Part measures so that a table of each part fits on a line."""
    part: list[tuple[str, str]] = []
    for name, bare in names.items():
        if part and sum(max(len(other), NUMBER_WIDTH) + 2 for _, other in (*part, (name, bare))) > TABLE_WIDTH:
            yield part
            part = []
        part.append((name, bare))
    yield part


def _kind_and_measure(name: str) -> tuple[str, str]:
    """Return what a measure is taken over, and of what: "answers/F@5_answerable" is F@5 of "answers, answerable"."""
    subset, _, rest = name.rpartition("/")
    measure = rest.removesuffix("_answerable").removesuffix("_all")
    return ", ".join(filter(None, (subset, rest.removeprefix(measure).strip("_")))), measure


def check_floors(result: dict[str, Any]) -> None:
    """Raise BelowFloor if a figure of this result is below its floor; data without floors pass."""
    task, rows = result["task"], {**result.get("systems", {}), **result.get("subsets", {})}
    for floor in json.loads((resources.files("smallprint.evaluate") / "floors.json").read_text(encoding="utf-8")):
        if (floor["task"], floor["data"]) != (task, result["data"]):
            continue
        if floor["n"] != result["n"]:
            raise BelowFloor(
                f"{task}: {result['n']} items, but the floor was set on {floor['n']}; the data have changed"
            )
        if floor["hash"] != result["hash"]:
            raise BelowFloor(
                f"{task}: the ids or labels measured on have changed (hash {result['hash']}, the floor was "
                f"set on {floor['hash']}); measure on the former data, or set the floor again"
            )
        if floor["system"] not in rows:  # --systems left it out
            continue
        for bounds, is_beyond, where in (("least", lt, "below the floor"), ("most", gt, "above the ceiling")):
            for name, bound in floor.get(bounds, {}).items():
                value = rows[floor["system"]][name]
                if is_beyond(value, bound):
                    raise BelowFloor(f"{task} {floor['system']} {name}: {value:.4f} is {where} {bound}")


def _table(rows: Rows, title: str = "") -> Table:
    names = list(dict.fromkeys(n for row in rows.values() for n, value in row.items() if not isinstance(value, dict)))
    cells = [(name.replace("_", " "), *(row.get(column, "") for column in names)) for name, row in rows.items()]
    return (title.replace("_", " "), *names), cells
