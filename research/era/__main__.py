"""Run the study: `python -m research.era table|venn|sample [--row NAME]... [--seed N]... [--out FOLDER]`."""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

from research.era import retrieved, tables
from research.era.tables import ROWS, row
from smallprint.settings import load
from smallprint.train.era import material
from smallprint.train.era.bench import SEED, SMALL, WORK, Bench, Sizes


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    """Make a table, the diagram or the sample, and whatever it stands on; print and return its figures."""
    parser = argparse.ArgumentParser(prog="python -m research.era", description=__doc__)
    parser.add_argument("part", choices=("table", "venn", "sample"))
    parser.add_argument("--row", action="append", help=f"a row of the tables, else all: {'; '.join(ROWS)}")
    parser.add_argument("--seed", action="append", type=int, help="a seed of final readers, else 1 and 2")
    parser.add_argument("--parts-seed", type=int, default=SEED, help="the seed of base models, retrievers and filters")
    parser.add_argument("--data", type=Path, help="the folder of research data; else the setting 'data_dir'")
    parser.add_argument("--out", type=Path, default=Path(), help="where the folder of steps, 'era.work', is")
    parser.add_argument("--small", action="store_true", help="a little of everything, to try it out")
    chosen = parser.parse_args(arguments)
    say = partial(print, file=sys.stderr)
    sizes = SMALL if chosen.small else Sizes()
    bench = Bench(chosen.data or load().data_dir, chosen.out / WORK, say, sizes, chosen.parts_seed)
    rows = [row(name) for name in chosen.row or ROWS]
    if chosen.part != "table" or any(of.models or of.base == "adapted" for of in rows):
        material.sentences_step(bench)  # first: pages are read by forked processes, and torch's threads do not fork
    if chosen.part == "table":
        figures = tables.write(bench, rows, chosen.seed or (1, 2))
    else:
        figures = {"venn": retrieved.draw_overlap, "sample": retrieved.draw_sample}[chosen.part](bench).counts
    print(json.dumps(figures, indent=2))
    return figures


if __name__ == "__main__":
    main()
