"""Draw the figures of docs/results.md from a library. Run: python docs/figures.py LIBRARY.

PrivaSeer's figure 4: how policies are spread by the share of their sentences that are candidates, and that are vague.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from smallprint.library import Library
from smallprint.library.statistics import Spread, statistics

WIDTH, HEIGHT, GAP, LEFT = 560, 150, 58, 8
FOLDER = Path(__file__).parent / "figures"


def main() -> None:
    """Write `figures/vague_sentences.svg`."""
    with Library(Path(sys.argv[1])) as library:
        counted = statistics(library)
    rows = {"candidate sentences (with a cue word)": counted.candidates, "vague sentences": counted.vagueness}
    parts = [
        panel(name, spread, 24 + place * (HEIGHT + GAP))
        for place, (name, spread) in enumerate(rows.items())
        if spread is not None
    ]
    summary = "; ".join(f"{name}: median {spread.median:.2f}" for name, spread in rows.items() if spread is not None)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "vague_sentences.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {2 * (HEIGHT + GAP)}" role="img" '
        f'font-family="Georgia, serif" font-size="13"><title>Policies by their share of candidate and of vague '
        f"sentences</title><desc>{escape(summary)}</desc>"
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n',
        encoding="utf-8",
    )


def panel(name: str, spread: Spread, top: float) -> str:
    """Draw one histogram with its axis and its median."""
    width, highest = (WIDTH - 2 * LEFT) / len(spread.bins), max(spread.bins)
    parts = [f'<text x="{LEFT}" y="{top - 8}">A policy\'s share of {escape(name)}; {spread.n:,} policies</text>']
    for number, count in enumerate(spread.bins):
        height = (HEIGHT - 20) * count / highest
        parts.append(
            f'<rect x="{LEFT + number * width + 1:.1f}" y="{top + HEIGHT - 20 - height:.1f}" '
            f'width="{width - 2:.1f}" height="{height:.1f}" fill="#5b6f86"/>'
        )
    base = top + HEIGHT - 20
    parts.append(f'<path d="M{LEFT} {base}H{WIDTH - LEFT}" stroke="#333"/>')
    for tick in (0, 0.25, 0.5, 0.75, 1):
        anchor = "start" if tick == 0 else "end" if tick == 1 else "middle"
        parts.append(
            f'<text x="{LEFT + tick * (WIDTH - 2 * LEFT):.1f}" y="{base + 16}" text-anchor="{anchor}">{tick:g}</text>'
        )
    middle = LEFT + spread.median * (WIDTH - 2 * LEFT)
    parts.append(f'<path d="M{middle:.1f} {top}V{base}" stroke="#9c2f2f" stroke-width="2"/>')
    parts.append(f'<text x="{middle + 5:.1f}" y="{top + 12}" fill="#9c2f2f">median {spread.median:.2f}</text>')
    return "".join(parts)


if __name__ == "__main__":
    main()
