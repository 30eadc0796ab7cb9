"""The overlap of what three retrievers found, before and after their filters, as a picture (the paper's figure 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from smallprint.train.era import sentences, sets
from smallprint.train.era.bases import MODELS
from smallprint.train.era.bench import Bench
from smallprint.train.era.rows import Row
from smallprint.train.era.steps import Made

WIDTH, HEIGHT = 340, 330
RADIUS = 88
# Centres of the three circles, and the places of the seven counts: each alone, each two, all three.
CENTRES = ((125, 125), (215, 125), (170, 203))
COLOURS = ("#5b6f86", "#9c6b2f", "#4f7d5a")
ALONE = ((92, 105), (248, 105), (170, 250))
PAIRS = {(0, 1): (170, 98), (0, 2): (113, 175), (1, 2): (227, 175)}
MIDDLE = (170, 152)
NAMES = ((60, 28), (280, 28), (170, 312))
Regions = Mapping[tuple[str, ...], int]
FILE = "venn.svg"
_MIDDLE = 'text-anchor="middle"'


def step(bench: Bench, k: int) -> Made:
    """Draw the overlap of what all three found up to rank k, and of what their filters kept."""
    read = sentences.step(bench)
    texts = sentences.load(read)
    found = {filtered: sets.added(bench, Row("venn", MODELS, filtered, k), texts) for filtered in (False, True)}

    def make(folder: Path) -> dict[str, Any]:
        panels = {
            title: sets.regions(found[filtered][1])
            for title, filtered in ((f"the {k} nearest", False), ("what filters keep of them", True))
        }
        (folder / FILE).write_text(drawn(panels, MODELS), encoding="utf-8")
        return {
            title: {" and ".join(names): count for names, count in counts.items()} for title, counts in panels.items()
        }

    behind = [made for _, _, steps in found.values() for made in steps]
    return bench.work.step(f"venn-{bench.seed}-{k}", {"k": k}, (read, *behind), make)


def drawn(panels: Mapping[str, Regions], names: Sequence[str]) -> str:
    """Draw a panel for each set of counts; `names` are the three circles in order."""
    parts = [_panel(title, counts, names, place * WIDTH) for place, (title, counts) in enumerate(panels.items())]
    said = "; ".join(f"{title}: {_told(counts)}" for title, counts in panels.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * len(panels)} {HEIGHT + 24}" role="img" '
        f'aria-labelledby="venn-title venn-desc" font-family="Georgia, serif" font-size="13">'
        f'<title id="venn-title">Pairs of a question and a sentence found by each retriever</title>'
        f'<desc id="venn-desc">{escape(said)}</desc><rect width="100%" height="100%" fill="#fff"/>'
        f"{''.join(parts)}</svg>\n"
    )


def _panel(title: str, counts: Regions, names: Sequence[str], left: int) -> str:
    made = [f'<g transform="translate({left} 24)"><text x="{WIDTH / 2:g}" y="-6" {_MIDDLE}>{escape(title)}</text>']
    made += [
        f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="{colour}" fill-opacity="0.25" stroke="{colour}"/>'
        for (x, y), colour in zip(CENTRES, COLOURS, strict=True)
    ]
    made += [
        f'<text x="{x}" y="{y}" {_MIDDLE}>{escape(name)}</text>' for (x, y), name in zip(NAMES, names, strict=True)
    ]
    places = {(number,): place for number, place in enumerate(ALONE)} | PAIRS | {(0, 1, 2): MIDDLE}
    for which, (x, y) in places.items():
        count = counts.get(tuple(names[number] for number in which), 0)
        made.append(f'<text x="{x}" y="{y}" {_MIDDLE}>{count:,}</text>')
    return "".join([*made, "</g>"])


def _told(counts: Regions) -> str:
    return ", ".join(f"{' and '.join(names)} {count:,}" for names, count in counts.items())
