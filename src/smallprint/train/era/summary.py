"""All rows that are done, read from the work folder and put into tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from smallprint.train.era import measured, table, training
from smallprint.train.era.bases import GENERAL
from smallprint.train.era.bench import Bench
from smallprint.train.era.measured import HELD, PRIVACYQA, SETS, TUNING, Item
from smallprint.train.era.rows import ALL, AS_INSTALLED, BY_NAME, FEW, GROWN, GROWN_NONE, NONE, plain
from smallprint.train.era.steps import COUNTS, Made
from smallprint.train.era.table import Said

# Fixed before any row was trained: the row that is best by this, mean over seeds, is what the shipped reader learns by.
CHOSEN_BY = (PRIVACYQA, "selection_F1")
# The installed reader stands beside the rows to be compared with them, and may well be one of them.
MADE = tuple(row for row in ALL if row != AS_INSTALLED)
NAME = "tables"


def write(bench: Bench) -> dict[str, Any]:
    """Write the tables as JSON and Markdown, and give them."""
    found = tables(bench)
    bench.work.folder.mkdir(parents=True, exist_ok=True)
    path = bench.work.folder / f"{NAME}{bench.size}"
    path.with_suffix(".json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(table.markdown(found), encoding="utf-8")
    return found


def tables(bench: Bench) -> dict[str, Any]:
    """Measure every row that was read on what is measured now, with as many pairs as are asked for."""
    looked = measured.step(bench)
    done = _done(bench, looked)
    rows: dict[str, Any] = {name: {"kinds": {}} for name in done}
    unflattered: dict[str, Any] = {}
    pooled: dict[str, Any] = {}
    for which in (PRIVACYQA, HELD):
        items = measured.load(bench, looked, which)
        said = {
            name: {seed: Said(training.load(made, which), made.counts["threshold"]) for seed, made in seeds.items()}
            for name, seeds in done.items()
        }
        for name, runs in said.items():
            rows[name][which] = table.row_figures(items, runs, said.get(_plain(name), {}))
            rows[name]["kinds"][which] = table.kind_figures(items, runs)
        pooled[which] = _pooled(items, said)
        if which == PRIVACYQA:
            further = {row.name: said[row.name] for row in MADE if row.name in said}
            unflattered = table.crossed(items, further, GROWN.name) if GROWN.name in further else {}
    for name, seeds in done.items():
        rows[name]["counts"] = next(iter(seeds.values())).counts
    which, measure = CHOSEN_BY
    choice = [name for name in rows if name != AS_INSTALLED.name]
    best = max(choice, key=lambda name: rows[name][which][measure], default="")
    told = {"chosen by": " ".join(CHOSEN_BY), "best": best, "chosen without its policy": unflattered}
    told["few labels, what adds minus what does not"] = pooled
    told |= {"together": _together(bench, looked, done), "read": looked.counts}
    return {**told, "rows": rows, "seconds": bench.work.seconds()}


def _pooled(items: Sequence[Item], said: Mapping[str, Mapping[int, Said]]) -> dict[str, Any]:
    """Compare all rows with few labels that begin from the general model and add with all that do not, all seeds."""
    own = [row for row in FEW if row.base == GENERAL and row.name in said]
    adds, plain_ones = (
        [run for row in own if bool(row.models) == add for run in said[row.name].values()] for add in (True, False)
    )
    if not adds or not plain_ones:
        return {}
    return {"runs": [len(adds), len(plain_ones)], **table.difference(items, adds, plain_ones)}


def _together(bench: Bench, looked: Made, done: Mapping[str, Mapping[int, Made]]) -> dict[str, Any]:
    """Measure what all readers with all labels say on average: what could be gained by asking many instead of one."""
    every = {made.folder: made for row in MADE for made in done.get(row.name, {}).values()}
    if not every:
        return {}
    said = {
        which: [
            np.mean(one, axis=0) for one in zip(*(training.load(made, which) for made in every.values()), strict=True)
        ]
        for which in SETS
    }
    items = {which: measured.load(bench, looked, which) for which in SETS}
    cut = measured.best_threshold(items[TUNING], said[TUNING])
    figures = {which: measured.figures(items[which], said[which], cut) for which in (PRIVACYQA, HELD)}
    return {"readers": len(every)} | {
        which: {name: own[name] for name in table.SHOWN} for which, own in figures.items()
    }


def _done(bench: Bench, looked: Made) -> dict[str, dict[int, Made]]:
    """Give the rows that are done, by name and seed, in the order in which tables have them."""
    found: dict[str, dict[int, Made]] = {}
    for path in sorted((bench.work.folder / "rows").glob(f"*/{COUNTS}")):
        told = json.loads(path.read_text(encoding="utf-8"))
        own = told["counts"]
        # Those that learn nothing are of every size.
        if path.parent.suffix or own["measured"] != looked.version or own["pairs"] not in {0, bench.sizes.pairs}:
            continue
        if own["parts seed"] == bench.seed:
            found.setdefault(own["row"], {})[own["seed"]] = Made(path.parent, told["version"], own)
    for name in (AS_INSTALLED.name, GROWN.name):  # each is one reader, whatever the seed of those that learn
        if name in found:
            found[name] = dict.fromkeys(found.get(GROWN_NONE.name, found[name]), next(iter(found[name].values())))
    order = {name: place for place, name in enumerate(BY_NAME)}
    return dict(sorted(found.items(), key=lambda one: (order.get(one[0], len(order)), one[0])))


def _plain(name: str) -> str:
    return plain(BY_NAME[name]).name if name in BY_NAME else NONE.name
