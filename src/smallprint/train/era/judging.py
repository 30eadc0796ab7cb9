"""Some of what each retriever found, drawn once, to be read and judged by people; the texts stay in the work folder."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from smallprint.train.era import filters, material, search, sentences
from smallprint.train.era.bench import Bench
from smallprint.train.era.rows import Row
from smallprint.train.era.steps import Made

FILE = "sample.tsv"
COUNT = 20
HEAD = ("id", "kept", "verdict", "question", "sentence")


def step(bench: Bench, row: Row) -> Made:
    """Draw twenty of the first k that each of a row's retrievers found, for as many questions."""
    known, read = material.step(bench), sentences.step(bench)
    said = {name: filters.scored(bench, name, name, row) for name in row.models}
    cuts = {name: filters.cut_of(filters.step(bench, name)) for name in row.models}

    def make(folder: Path) -> dict[str, Any]:
        asked, texts = search.asked_of(bench, known, row.questions), sentences.load(read)
        luck = random.Random(bench.seed)  # noqa: S311 - not for secrets
        lines, kept = ["\t".join(HEAD)], {}
        for name in row.models:
            rows, scores, _ = said[name]
            chosen = luck.sample(range(len(asked)), min(COUNT, len(asked)))
            kept[name] = 0
            for question in chosen:
                places = [place for place in range(rows.shape[1]) if rows[question, place] >= 0]
                if not places:
                    continue
                place = luck.choice(places)
                keeps = bool(scores[question, place] >= cuts[name].best)
                kept[name] += keeps
                one = int(rows[question, place])
                own = (f"{name}:{question}:{one}", "yes" if keeps else "no", "", asked[question].text, texts[one])
                lines.append("\t".join(" ".join(cell.split()) for cell in own))
        (folder / FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return {"drawn": len(lines) - 1, "kept by the filter": kept}

    behind = [made for _, _, made in said.values()]
    options = {"models": row.models, "k": row.k, "questions": row.questions, "count": COUNT}
    return bench.work.step(f"sample-{bench.seed}", options, (known, read, *behind), make)
