"""Some of what each retriever found, drawn once, to be read and judged by people; the texts stay in the work folder.

Verdicts that were given are counted, with what filters make of the same sentences.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

from smallprint.evaluate.corpus import listed
from smallprint.train.era import filters, material, search, sentences
from smallprint.train.era.bench import Bench
from smallprint.train.era.rows import Row
from smallprint.train.era.steps import Made

FILE = "sample.tsv"
COUNT = 20
HEAD = ("id", "kept", "verdict", "question", "sentence")
# What a filter makes of a sentence, the surest first.
SURELY, KEPT, DROPPED = "surely", "yes", "no"


def step(bench: Bench, row: Row) -> Made:
    """Draw twenty of the first k that each of a row's retrievers found, for as many questions."""
    known, read = material.step(bench), sentences.step(bench)
    by = {name: row.common or name for name in row.models}
    said = {name: filters.scored(bench, name, by[name], row) for name in row.models}
    cuts = {name: filters.cut_of(filters.step(bench, by[name])) for name in row.models}
    verdicts = {one["id"]: one["verdict"] for one in listed("era_judgements")}

    def make(folder: Path) -> dict[str, Any]:
        asked, texts = search.asked_of(bench, known, row.questions), sentences.load(read)
        luck = random.Random(bench.seed)  # noqa: S311 - not for secrets
        lines = ["\t".join(HEAD)]
        counts: dict[str, Counter[str]] = {name: Counter() for name in row.models}
        for name in row.models:
            rows, scores, _ = said[name]
            chosen = luck.sample(range(len(asked)), min(COUNT, len(asked)))
            for question in chosen:
                places = [place for place in range(rows.shape[1]) if rows[question, place] >= 0]
                if not places:
                    continue
                place = luck.choice(places)
                one = int(rows[question, place])
                key = f"{name}:{question}:{one}"
                kept, verdict = _kept(float(scores[question, place]), cuts[name]), verdicts.get(key, "")
                counts[name][f"{verdict or 'not judged'}: {kept}"] += 1
                own = (key, kept, verdict, asked[question].text, texts[one])
                lines.append("\t".join(" ".join(cell.split()) for cell in own))
        (folder / FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")
        told = {name: dict(sorted(own.items())) for name, own in counts.items()}
        return {"drawn": len(lines) - 1, "verdict: kept by the filter": told}

    behind = [made for _, _, made in said.values()]
    options = {"models": row.models, "k": row.k, "questions": row.questions, "count": COUNT, "judged": verdicts}
    name = f"sample-{bench.seed}{f'-by-{row.common}' if row.common else ''}"
    return bench.work.step(name, options, (known, read, *behind), make)


def _kept(score: float, cut: filters.Cut) -> str:
    return SURELY if score >= cut.sure else KEPT if score >= cut.best else DROPPED
