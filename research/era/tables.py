"""The tables: every row over its seeds, with intervals and its distance from no augmentation, as JSON and Markdown.

Rows are variants of ERA, and the readers that they are compared with. Few labels: every reader begins from a base
model, as in the paper. All labels: the installed reader, the grown one (trained on all labelled pairs), and what learns
on from that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from smallprint.errors import BadSetting
from smallprint.evaluate.measures import Floats, Places, with_intervals
from smallprint.files import whole_file
from smallprint.models.reader import Reader
from smallprint.models.store import folder as installed
from smallprint.models.store import version
from smallprint.models.towers import Base
from smallprint.train.era import benchmark, final
from smallprint.train.era.bench import ADAPTED, GENERAL, GROWN_ERA, MODELS, READER, SIMCSE, Bench, StepResult, Variant
from smallprint.train.era.benchmark import HELD, MEASURES, PRIVACYQA, SETS, TUNING, Scores, figures

ERA, ERA_D = Variant("ERA", MODELS), Variant("ERA-D", (ADAPTED, SIMCSE))
NONE, FROM_ADAPTED = Variant("none"), Variant("none, from adapted", base=ADAPTED)
FEW = (
    NONE,
    Variant("none, same labels again", again=True),
    Variant("none, drawn likewise", likewise=True),
    FROM_ADAPTED,
    *(Variant(name + how, (name,), bool(how)) for name in MODELS for how in ("", ", filtered")),
    Variant("ensemble without filter", MODELS, filtered=False),
    ERA,
    ERA_D,
    replace(ERA, name="ERA, k=50", k=50),
    replace(ERA, name="ERA, k=100", k=100),
    replace(ERA, name="ERA, one common filter", common=SIMCSE),
    replace(ERA, name="ERA, from adapted", base=ADAPTED),
)
INSTALLED, GROWN = Variant("installed", learns=False), Variant("grown", base=READER, learns=False)
GROWN_NONE = Variant("grown, none", base=READER)
ALL = (INSTALLED, GROWN, GROWN_NONE, GROWN_ERA, replace(ERA_D, name="grown, ERA-D", base=READER))
ROWS = {row.name: row for row in (*FEW, *ALL)}
# What a row is compared by with the one that begins from the same and adds nothing.
COMPARED = ("selection_F1", "F@5", "MRR")
MEASURED = ("precision", "recall", "selection F1", "F@5", "MRR", "F1 − none", "F@5 − none")
COUNTED = ("could be added", "labelled", "added, right", "wrong")
TITLES = {
    PRIVACYQA: "PrivacyQA's development questions, all sentences read",
    HELD: "smallprint_qa, policies kept out of training, the nearest sentences read",
}
# The outcomes of a row's reader on a set, by seed.
Runs = Mapping[int, Floats]


def row(name: str) -> Variant:
    """Return a row by its name."""
    if name not in ROWS:
        raise BadSetting(f"{name!r} is no row; choose from: {'; '.join(ROWS)}")
    return ROWS[name]


def plain(variant: Variant) -> Variant:
    """Return the row that a row is compared with: it begins from the same, and nothing is added."""
    if variant.base == READER or not variant.learns:
        return GROWN_NONE
    return FROM_ADAPTED if variant.models and variant.base == ADAPTED else NONE


def readings_step(bench: Bench, row: Variant, seed: int) -> StepResult:
    """Train the reader of a row with one seed, unless it is there, and let it read all sets."""
    behind: tuple[StepResult, ...] = ()
    options: dict[str, Any] = {"row": row.name}
    if row == INSTALLED:
        weights, options["weights"] = installed(), version(READER, installed())
    else:
        behind = (final.step(bench, row, seed) if row.learns else final.labelled_reader(bench),)
        weights = behind[0].folder

    def make(folder: Path) -> dict[str, Any]:
        reader = Reader(Base(), weights)
        for name in SETS:
            path = folder / f"{name}.npz"
            if not path.is_file():
                scores = benchmark.read_by(reader, benchmark.load(bench, name))
                with whole_file(path) as part, part.open("wb") as file:
                    np.savez(file, scores=np.concatenate(scores), lengths=np.array([len(own) for own in scores]))
                bench.say(f"read {name}")
        threshold = benchmark.cut(benchmark.load(bench, TUNING), _scores(folder, TUNING)).best
        counts = behind[0].counts if row.learns else {"pairs": 0, "added": 0, "could be added": 0}
        return counts | {"row": row.name, "seed": seed, "threshold": threshold}

    name = f"rows/{row.slug}-{bench.seed}-{seed if row.learns else 0}"
    return bench.step(name, options, (benchmark.step(bench), *behind), make)


def _scores(folder: Path, name: str) -> list[Scores]:
    with np.load(folder / f"{name}.npz") as arrays:
        return np.split(arrays["scores"], np.cumsum(arrays["lengths"])[:-1])


def write(bench: Bench, rows: Sequence[Variant], seeds: Sequence[int]) -> dict[str, Any]:
    """Train, read and measure rows, each with every seed, and the rows they are compared with; write the tables."""
    every = {row.name: row for row in (*rows, *map(plain, rows))}
    done = {name: {seed: readings_step(bench, row, seed) for seed in seeds} for name, row in every.items()}
    result: dict[str, Any] = {"rows": {name: {"counts": steps[seeds[0]].counts} for name, steps in done.items()}}
    pooled = result["few labels, what adds minus what does not"] = {}
    for which in TITLES:
        items = benchmark.load(bench, which)
        runs = {
            name: {
                seed: benchmark.outcomes(items, _scores(step.folder, which), step.counts["threshold"])
                for seed, step in steps.items()
            }
            for name, steps in done.items()
        }
        for name, own in runs.items():
            result["rows"][name][which] = row_figures(own, runs[plain(every[name]).name])
        pooled[which] = _pooled(runs)
    path = bench.folder / "tables.json"
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(markdown(result["rows"]), encoding="utf-8")
    return result


def row_figures(runs: Runs, plain_runs: Runs) -> dict[str, Any]:
    """Return a row's figures on a set: mean, spread and interval over seeds, and its distance from no augmentation.

    The interval is that of the mean over seeds, over draws of questions; a distance is of the same seeds and draws.
    """
    result: dict[str, Any] = {"seeds": sorted(runs)}
    for name, values in zip(MEASURES, np.transpose([figures(rows) for rows in runs.values()]), strict=True):
        result[name] = float(np.mean(values))
        result[f"{name}_spread"] = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    means = difference(list(runs.values()), ())
    result |= {name: value for name, value in means.items() if name.endswith("_ci")}
    result["minus none"] = difference(list(runs.values()), [plain_runs[seed] for seed in runs])
    return result


def difference(runs: Sequence[Floats], others: Sequence[Floats]) -> dict[str, Any]:
    """Return how far runs are above others, or above 0, on average, with bootstrap intervals over the questions."""
    columns = [MEASURES.index(name) for name in COMPARED]

    def mean(of: Sequence[Floats], which: Places) -> Any:
        return np.mean([figures(rows[which])[columns] for rows in of], axis=0) if of else 0.0

    return dict(with_intervals(COMPARED, lambda which: mean(runs, which) - mean(others, which), len(runs[0])))


def markdown(rows: Mapping[str, Any]) -> str:
    """Return the tables as docs have them, those of few labels apart from those of all."""
    lines: list[str] = []
    for title, group in (("Few labels", FEW), ("All labels", ALL)):
        results = {row: rows[row.name] for row in group if row.name in rows}
        if not results:
            continue
        for name, of in TITLES.items():
            cells = {row.name: _measures(row, result[name]) for row, result in results.items()}
            lines += _table(f"{title}: {of}", MEASURED, cells)
        counts = {row.name: result["counts"] for row, result in results.items() if result["counts"]["added"]}
        lines += _table(f"{title}: pairs", COUNTED, {name: _counts(own) for name, own in counts.items()})
    return "\n".join(lines)


def _pooled(runs: Mapping[str, Runs]) -> dict[str, Any]:
    """Compare all rows with few labels that begin from the general model and add with all that do not, all seeds."""
    rows = [row for row in FEW if row.base == GENERAL and row.name in runs]
    adds, others = (
        [run for row in rows if bool(row.models) == add for run in runs[row.name].values()] for add in (True, False)
    )
    return {"runs": [len(adds), len(others)], **difference(adds, others)} if adds and others else {}


def _table(title: str, head: Sequence[str], rows: Mapping[str, Sequence[str]]) -> list[str]:
    lines = [f"## {title}", "", f"| | {' | '.join(head)} |", "|---" * (len(head) + 1) + "|"]
    return [*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()), ""]


def _measures(row: Variant, result: Mapping[str, Any]) -> list[str]:
    # What does not learn is one reader, whatever the seed.
    spread = len(result["seeds"]) > 1 and row.learns
    cells = [f"{result[name]:.3f}" + (f" ± {result[f'{name}_spread']:.3f}" if spread else "") for name in MEASURES[:-1]]
    for name in COMPARED[:2]:
        apart, (low, high) = result["minus none"][name], result["minus none"][f"{name}_ci"]
        cells.append("" if plain(row) == row else f"{apart:+.3f} ({low:+.3f} to {high:+.3f})")
    return cells


def _counts(counts: Mapping[str, int]) -> list[str]:
    added, right = counts["added"], counts["added, right"]
    return [f"{count:,}" for count in (counts["could be added"], counts["labelled"], right, added - right)]
