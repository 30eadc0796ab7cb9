"""The tables: every row over its seeds, with intervals and its distance from no augmentation, as JSON and Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from smallprint.evaluate.ranked import Places, ranking, with_intervals
from smallprint.train.era import measured
from smallprint.train.era.measured import HELD, PRIVACYQA, Item, Scores
from smallprint.train.era.rows import ALL, BY_NAME, FEW, plain

SHOWN = ("selection_precision", "selection_recall", "selection_F1", "F@5", "MRR", "MAP")
# What a row is compared by with the one that begins from the same and adds nothing.
COMPARED = ("selection_F1", "F@5", "MRR")
# Columns of a row of evaluate.ranked.ranking.
_F5, _MRR = 0, 4
TITLES = {
    PRIVACYQA: "PrivacyQA's development questions, all sentences read",
    HELD: "smallprint_qa, policies kept out of training, the nearest sentences read",
}


@dataclass(frozen=True, slots=True)
class Said:
    """What the reader of one row and seed said of a set, and from where it chooses."""

    scores: Sequence[Scores]
    threshold: float


def row_figures(items: Sequence[Item], runs: Mapping[int, Said], plain: Mapping[int, Said]) -> dict[str, Any]:
    """Give a row's figures on a set: mean, spread and interval over seeds, and its distance from no augmentation.

    The interval is that of the mean over seeds, over draws of questions; a distance is of the same seeds and draws.
    """
    each = {seed: measured.figures(items, said.scores, said.threshold) for seed, said in runs.items()}
    counted = [_counted(items, said) for said in runs.values()]
    found: dict[str, Any] = {"seeds": sorted(runs)}
    for name in SHOWN:
        values = [float(figures[name]) for figures in each.values()]  # type: ignore[arg-type]  # no interval
        found[name] = float(np.mean(values))
        found[f"{name}_spread"] = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    mean = with_intervals(
        COMPARED, lambda which: np.mean([_compared(*one, which) for one in counted], axis=0), len(items)
    )
    found |= {name: value for name, value in mean.items() if name.endswith("_ci")}
    shared = sorted(runs.keys() & plain.keys())
    if shared:
        found["minus none"] = difference(items, [runs[seed] for seed in shared], [plain[seed] for seed in shared])
        found["minus none, by seed"] = {str(seed): difference(items, [runs[seed]], [plain[seed]]) for seed in shared}
    return found


def difference(items: Sequence[Item], runs: Sequence[Said], others: Sequence[Said]) -> dict[str, Any]:
    """Give how far runs are above others on average, with a bootstrap interval over the questions both were asked."""
    each, plain_ones = ([_counted(items, one) for one in said] for said in (runs, others))

    def apart(which: Places) -> Any:
        means = [np.mean([_compared(*one, which) for one in said], axis=0) for said in (each, plain_ones)]
        return means[0] - means[1]

    return dict(with_intervals(COMPARED, apart, len(items)))


def crossed(items: Sequence[Item], said: Mapping[str, Mapping[int, Said]], none: str) -> dict[str, Any]:
    """Choose a row by selection F1 on the questions of all policies but one, and measure it on that one's, in turn.

    A row that is chosen and measured on the same questions is flattered; here it is not. Gives for each policy the row
    chosen for it, and how far that is above `none`, which may be chosen, too.
    """
    counted = {name: [_counted(items, runs[seed]) for seed in sorted(runs)] for name, runs in said.items()}
    found: dict[str, Any] = {}
    for policy in sorted({one.policy for one in items}):
        own = np.array([place for place, one in enumerate(items) if one.policy == policy], dtype=np.intp)
        others = np.array([place for place, one in enumerate(items) if one.policy != policy], dtype=np.intp)
        told = {name: np.mean([_compared(*one, others)[0] for one in each]) for name, each in counted.items()}
        best = max(told, key=lambda name: float(told[name]))
        apart, plain_ones = (np.mean([_compared(*one, own) for one in counted[name]], axis=0) for name in (best, none))
        found[policy] = {"chosen": best, **dict(zip(COMPARED, (apart - plain_ones).tolist(), strict=True))}
    return found


def kind_figures(items: Sequence[Item], runs: Mapping[int, Said]) -> dict[str, Any]:
    """Give figures by what questions are about; one that is about several things counts for each."""
    found: dict[str, Any] = {}
    counted = [_counted(items, said) for said in runs.values()]
    for kind in sorted({kind for one in items for kind in one.kinds}):
        which = np.array([place for place, one in enumerate(items) if kind in one.kinds], dtype=np.intp)
        values = np.mean([_compared(*one, which) for one in counted], axis=0)
        right = sum(len(items[place].relevant) for place in which)
        # Where nothing is relevant there is nothing to rank.
        figures = {
            name: None if np.isnan(value) else value for name, value in zip(COMPARED, values.tolist(), strict=True)
        }
        found[kind] = {"n": len(which), "relevant": right, **figures}
    return found


def markdown(tables: Mapping[str, Any]) -> str:
    """Write the tables as docs have them, those of few labels apart from those of all."""
    parts = []
    for title, names in (("Few labels", FEW), ("All labels", ALL)):
        of_group = {row.name for row in names}
        rows = {name: told for name, told in tables["rows"].items() if name in of_group}
        parts += _group(title, rows) if rows else []
    other = {name: told for name, told in tables["rows"].items() if name not in BY_NAME}
    return "\n".join(parts + (_group("Others", other) if other else []))


def _group(title: str, rows: Mapping[str, Any]) -> list[str]:
    parts = [f"## {title}", ""]
    for name, of in TITLES.items():
        parts += [f"### {title}: {of}", "", *_main({row: told[name] for row, told in rows.items()}), ""]
        kinds = sorted({kind for told in rows.values() for kind in told["kinds"][name]})
        parts += [f"Selection F1 and F@5 by what is asked, {name}:", "", *_by_kind(rows, name, kinds), ""]
    return [*parts, f"### {title}: pairs", "", *_counts(rows), ""]


def _main(rows: Mapping[str, Any]) -> list[str]:
    lines = [
        "| | precision | recall | selection F1 | F@5 | MRR | F1 − none | F@5 − none |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, told in rows.items():
        row = BY_NAME.get(name)
        # What does not learn is one reader, whatever the seed.
        spread = len(told["seeds"]) > 1 and (row is None or row.learns)
        cells = [_with_spread(told, measure) if spread else f"{told[measure]:.3f}" for measure in SHOWN[:-1]]
        apart = told.get("minus none") if row is None or plain(row) != row else None
        cells += [_with_interval(apart, measure) if apart else "" for measure in COMPARED[:2]]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _by_kind(rows: Mapping[str, Any], name: str, kinds: Sequence[str]) -> list[str]:
    first = next(iter(rows.values()))["kinds"][name]
    head = [f"{kind} ({first.get(kind, {}).get('n', 0)})" for kind in kinds]
    lines = [f"| | {' | '.join(head)} |", "|---" * (len(kinds) + 1) + "|"]
    for row, told in rows.items():
        own = told["kinds"][name]
        cells = [_of_kind(own.get(kind, {})) for kind in kinds]
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return lines


def _of_kind(told: Mapping[str, Any]) -> str:
    return ", ".join(f"{told[name]:.2f}" for name in COMPARED[:2] if told.get(name) is not None)


def _counts(rows: Mapping[str, Any]) -> list[str]:
    kinds = sorted({kind for told in rows.values() for kind in told["counts"]["by kind"]})
    lines = [f"| | could be added | labelled | added, right | wrong | {' | '.join(kinds)} |"]
    lines.append("|---" * (5 + len(kinds)) + "|")
    for name, told in rows.items():
        own = told["counts"]
        cells = [own["could be added"], own["labelled"], own["added, right"], own["added"] - own["added, right"]]
        cells += [own["by kind"].get(kind, 0) for kind in kinds]
        lines.append(f"| {name} | {' | '.join(f'{cell:,}' for cell in cells)} |")
    return lines


def _with_spread(told: Mapping[str, Any], name: str) -> str:
    return f"{told[name]:.3f} ± {told[f'{name}_spread']:.3f}"


def _with_interval(told: Mapping[str, Any], name: str) -> str:
    low, high = told[f"{name}_ci"]
    return f"{told[name]:+.3f} ({low:+.3f} to {high:+.3f})"


def _counted(items: Sequence[Item], said: Said) -> tuple[Any, Any, Any]:
    """Count hits, chosen and relevant pairs of each question, give its F@5 and MRR, and whether it is answerable."""
    totals, ranks = [], []
    for one, scores in zip(items, said.scores, strict=True):
        picked = scores >= said.threshold
        totals.append((int((picked & one.truth).sum()), int(picked.sum()), len(one.relevant)))
        ranks.append(ranking(measured.ranking(one, scores))[[_F5, _MRR]])
    answerable = np.array([bool(one.relevant) for one in items])
    return np.array(totals, dtype=np.float64), np.array(ranks), answerable


def _compared(totals: Any, ranks: Any, answerable: Any, which: Places) -> Any:
    hits, picked, relevant = totals[which].sum(axis=0)
    asked = which[answerable[which]]
    f1 = 2 * hits / (picked + relevant) if picked + relevant else 0.0
    return np.array([f1, *(ranks[asked].mean(axis=0) if len(asked) else (np.nan, np.nan))])
