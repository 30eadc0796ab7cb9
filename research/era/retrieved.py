"""What retrievers found: how much they have in common, as a picture (the paper's figure 2), and a sample to judge."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from research.era.tables import ERA
from smallprint.datasets.corpus import listed
from smallprint.train.era import filters, material
from smallprint.train.era.bench import MODELS, Bench, StepResult
from smallprint.train.era.filters import Added

SAMPLE, COUNT = "sample.tsv", 20
HEAD = ("id", "kept", "verdict", "question", "sentence")
PICTURE = "venn.svg"
WIDTH, HEIGHT, RADIUS = 340, 330, 88
# Centres of the three circles, and the places of their names and of the seven counts, by the circles they stand in.
CENTRES = ((125, 125), (215, 125), (170, 203))
COLOURS = ("#5b6f86", "#9c6b2f", "#4f7d5a")
NAMES = ((60, 28), (280, 28), (170, 312))
PLACES = {
    (0,): (92, 105), (1,): (248, 105), (2,): (170, 250), (0, 1): (170, 98), (0, 2): (113, 175), (1, 2): (227, 175),
    (0, 1, 2): (170, 152),
}  # fmt: skip
AND = " and "


def draw_sample(bench: Bench) -> StepResult:
    """Draw twenty of the first ten that each of ERA's retrievers found, for as many questions, to be judged by people.

    Verdicts that were given are counted, with what filters make of the same sentences.
    """
    scored = {name: filters.scored(bench, name, ERA) for name in ERA.models}
    verdicts = {row["id"]: row["verdict"] for row in listed("era_judgements")}

    def make(folder: Path) -> dict[str, Any]:
        asked, texts = material.wordings(bench), material.load_sentences(bench)
        luck = random.Random(bench.seed)  # noqa: S311 - not for secrets
        lines = ["\t".join(HEAD)]
        counts: dict[str, Counter[str]] = {name: Counter() for name in ERA.models}
        for name, (rows, scores, cut, _) in scored.items():
            for question in luck.sample(range(len(asked)), min(COUNT, len(asked))):
                place = luck.choice(np.flatnonzero(rows[question] >= 0).tolist())
                sentence = int(rows[question, place])
                key = f"{name}:{question}:{sentence}"
                kept = "yes" if scores[question, place] >= cut.best else "no"
                counts[name][f"{verdicts.get(key, 'not judged')}: {kept}"] += 1
                cells = (key, kept, verdicts.get(key, ""), asked[question].text, texts[sentence])
                lines.append("\t".join(" ".join(cell.split()) for cell in cells))
        (folder / SAMPLE).write_text("\n".join(lines) + "\n", encoding="utf-8")
        judged = {name: dict(sorted(own.items())) for name, own in counts.items()}
        return {"drawn": len(lines) - 1, "verdict: kept by the filter": judged}

    stands_on = [material.labelled_step(bench), material.sentences_step(bench), *(own.step for own in scored.values())]
    return bench.step(f"sample-{bench.seed}", {"count": COUNT, "judged": verdicts}, stands_on, make)


def draw_overlap(bench: Bench) -> StepResult:
    """Draw the overlap of the ten nearest sentences that all three found, and of what their filters kept."""
    titles = {f"the {ERA.k} nearest": False, "what filters keep of them": True}
    added = {title: filters.added(bench, replace(ERA, filtered=filtered)) for title, filtered in titles.items()}

    def make(folder: Path) -> dict[str, Any]:
        panels = {title: regions(parts) for title, (_, parts, _) in added.items()}
        (folder / PICTURE).write_text(drawn(panels, MODELS), encoding="utf-8")
        return panels

    behind = [result for _, _, steps in added.values() for result in steps]
    return bench.step(f"venn-{bench.seed}", {"k": ERA.k}, behind, make)


def regions(parts: Mapping[str, Added]) -> dict[str, int]:
    """Count the pairs that exactly these models kept, for all combinations of them: the regions of a Venn diagram."""
    pairs = {pair for part in parts.values() for pair in part.kept}
    counts = Counter(tuple(name for name, part in parts.items() if pair in part.kept) for pair in pairs)
    every = (names for size in range(1, len(parts) + 1) for names in combinations(parts, size))
    return {AND.join(names): counts[names] for names in every}


def drawn(panels: Mapping[str, Mapping[str, int]], names: Sequence[str]) -> str:
    """Draw a panel for each set of regions; `names` are the three circles in order."""
    parts = [_panel(title, counts, names, place * WIDTH) for place, (title, counts) in enumerate(panels.items())]
    regions_of = {title: ", ".join(f"{name} {count:,}" for name, count in panels[title].items()) for title in panels}
    described = "; ".join(f"{title}: {counts}" for title, counts in regions_of.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * len(panels)} {HEIGHT + 24}" role="img" '
        f'aria-labelledby="venn-title venn-desc" font-family="Georgia, serif" font-size="13">'
        f'<title id="venn-title">Pairs of a question and a sentence found by each retriever</title>'
        f'<desc id="venn-desc">{escape(described)}</desc><rect width="100%" height="100%" fill="#fff"/>'
        f"{''.join(parts)}</svg>\n"
    )


def _panel(title: str, counts: Mapping[str, int], names: Sequence[str], left: int) -> str:
    circles = "".join(
        f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="{colour}" fill-opacity="0.25" stroke="{colour}"/>'
        for (x, y), colour in zip(CENTRES, COLOURS, strict=True)
    )
    numbers = [f"{counts[AND.join(names[number] for number in which)]:,}" for which in PLACES]
    texts = map(_text, (*names, *numbers), (*NAMES, *PLACES.values()))
    head = _text(title, (WIDTH // 2, -6))
    return f'<g transform="translate({left} 24)">{head}{circles}{"".join(texts)}</g>'


def _text(text: str, place: tuple[int, int]) -> str:
    x, y = place
    return f'<text x="{x}" y="{y}" text-anchor="middle">{escape(text)}</text>'
