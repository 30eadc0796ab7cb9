"""How commands speak: JSON or text on standard output, progress on standard error."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from smallprint.controls import escaped, shown

if TYPE_CHECKING:
    from smallprint.pipeline.tally import Tally, Watch


def print_json(value: Any) -> None:
    """Print one JSON document."""
    typer.echo(escaped(json.dumps(value, ensure_ascii=False, indent=2, default=str)))


def print_json_line(value: Any) -> None:
    """Print one JSON document on a line of its own."""
    typer.echo(escaped(json.dumps(value, ensure_ascii=False, default=str)))


def print_facts(facts: Mapping[str, Any], title: str | None = None) -> None:
    """Print names and values in two columns."""
    if title:
        typer.secho(shown(title), bold=True)
    width = max((len(name) for name in facts), default=0)
    for name, value in facts.items():
        typer.echo(f"  {name:<{width}}  {_shown(value)}")


def print_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table; numbers stand to the right."""
    cells = [[_shown(cell) for cell in row] for row in rows]
    widths = [max(len(row[place]) for row in [list(head), *cells]) for place in range(len(head))]
    numeric = [all(isinstance(row[place], int | float) for row in rows) for place in range(len(head))]
    for number, row in enumerate([list(head), *cells]):
        shown = (c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True))
        typer.secho("  ".join(shown).rstrip(), bold=number == 0)


@contextmanager
def progress(what: str) -> Iterator[Watch]:
    """Show a bar with rate, kept, rejected by reason and time left; nothing where no one looks."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(), TextColumn("{task.fields[counts]}"),
        console=console, disable=not console.is_terminal, transient=True,
    )  # fmt: skip
    started = time.monotonic()
    with bar:
        task = bar.add_task(what, total=1.0, counts="")

        def watch(tally: Tally, fraction: float) -> None:
            rate = tally.read / max(0.001, time.monotonic() - started)
            bar.update(task, completed=fraction, counts=f"{rate:.0f}/s · {in_short(tally)}")

        yield watch


def counted(number: int, noun: str) -> str:
    """Say how many there are of something: "1 page", "2 pages"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def in_short(tally: Tally) -> str:
    """Say in one line what a run has come to."""
    rejected = ", ".join(f"{reason} {count:,}" for reason, count in tally.rejected.most_common())
    return f"kept {tally.kept:,} · rejected {sum(tally.rejected.values()):,}" + (f" ({rejected})" if rejected else "")


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else shown(str(value))
