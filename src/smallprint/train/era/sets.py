"""Step 5, first half: what each model adds, and the union of it: for every question sentences kept and surely wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.models.logistic import sigmoid
from smallprint.train.era import alike, filters, material, search, sentences
from smallprint.train.era.bench import Bench
from smallprint.train.era.candidates import candidates
from smallprint.train.era.filters import Cut
from smallprint.train.era.questions import mapped_kinds
from smallprint.train.era.rows import ALIKE, Row, slug
from smallprint.train.era.steps import Made

Pair = tuple[int, int]
FILE = "pairs.tsv"


@dataclass(frozen=True, slots=True)
class Added:
    """Pairs of a question and a sentence's row: those kept, with how likely each bears, and those surely wrong."""

    kept: dict[Pair, float]
    dropped: frozenset[Pair]

    def by_question(self) -> dict[int, list[int]]:
        """Give the rows kept for each question that has any, in order."""
        found: dict[int, list[int]] = {}
        for question, row in sorted(self.kept):
            found.setdefault(question, []).append(row)
        return found


NOTHING = Added({}, frozenset())


def added(bench: Bench, row: Row, texts: Sequence[str]) -> tuple[Added, dict[str, Added], list[Made]]:
    """Give what a row adds, what each of its models does, and the steps behind it."""
    parts: dict[str, Added] = {}
    steps: list[Made] = []
    for name in row.models:
        if name == ALIKE:
            kept, dropped, made = alike.added(bench, texts)
            parts[name] = Added(kept, dropped)
            steps.append(made)
            continue
        found = search.step(bench, name, row.questions)
        steps.append(found)
        if not row.filtered:
            parts[name] = taken(candidates(search.load(found).rows, row.k, bench.seed), None, None)
            continue
        by = row.common or name
        rows, said, made = filters.scored(bench, name, by, row)
        steps.append(made)
        cut = filters.cut_of(filters.step(bench, by))
        parts[name] = taken(rows, said, Cut(cut.sure if row.sure else cut.best, cut.sure, cut.drop), soft=row.soft)
    return union(list(parts.values())), parts, steps


def step(bench: Bench, row: Row) -> Made:
    """Write down what a row adds: question, sentence's row, how likely it bears, and the models that kept it."""
    known, read = material.step(bench), sentences.step(bench)
    made, parts, behind = added(bench, row, sentences.load(read))

    def make(folder: Path) -> dict[str, Any]:
        asked = search.asked_of(bench, known, row.questions)
        lines = ["\t".join(("question", "ids", "sentence", "likely", "models"))]
        for (question, place), likely in sorted(made.kept.items()):
            ids = " ".join(one.id for one in asked[question].asked)
            names = " ".join(name for name, part in parts.items() if (question, place) in part.kept)
            lines.append("\t".join((str(question), ids, str(place), f"{likely:.4f}", names)))
        (folder / FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return {
            "questions": len(made.by_question()),
            "pairs": len(made.kept),
            "surely wrong": len(made.dropped),
            "by model": {name: len(part.kept) for name, part in parts.items()},
            "by kind": by_kind(made, mapped_kinds(one.text for one in asked)),
            "overlap": {" and ".join(names): count for names, count in regions(parts).items()},
        }

    name = f"sets/{slug(row.name)}-{bench.seed}"
    return bench.work.step(name, {"row": asdict(row)}, (known, read, *behind), make)


def taken(rows: NDArray[np.int64], said: NDArray[np.float32] | None, cut: Cut | None, *, soft: bool = False) -> Added:
    """Take what a retriever found, a row a question and -1 for nothing; what its filter does not keep goes.

    Where labels are soft nothing goes: how likely the filter finds a sentence is what is learnt.
    """
    kept: dict[Pair, float] = {}
    dropped = set()
    for question, place in np.argwhere(rows >= 0).tolist():
        pair = question, int(rows[question, place])
        if said is None or cut is None:
            kept[pair] = 1.0
            continue
        score = float(said[question, place])
        if soft or score >= cut.best:
            kept[pair] = float(sigmoid(np.array(score)))
        elif score < cut.drop:
            dropped.add(pair)
    return Added(kept, frozenset(dropped))


def union(parts: Sequence[Added]) -> Added:
    """Put together what several models added; a pair is as likely as the surest says, and wrong if nobody keeps it."""
    kept: dict[Pair, float] = {}
    for part in parts:
        for pair, likely in part.kept.items():
            kept[pair] = max(likely, kept.get(pair, 0.0))
    dropped = frozenset[Pair]().union(*(part.dropped for part in parts))
    return Added(kept, dropped - kept.keys())


def regions(parts: dict[str, Added]) -> dict[tuple[str, ...], int]:
    """Count the pairs that exactly these models kept, for all combinations of them: the regions of a Venn diagram."""
    counts = Counter(
        tuple(name for name, part in parts.items() if pair in part.kept) for pair in union(list(parts.values())).kept
    )
    every = [names for size in range(1, len(parts) + 1) for names in combinations(parts, size)]
    return {names: counts[names] for names in every}


def by_kind(made: Added, kinds: Sequence[str]) -> dict[str, int]:
    """Count what is kept by what its question is about."""
    return dict(Counter(kinds[question] for question, _ in sorted(made.kept)).most_common())
