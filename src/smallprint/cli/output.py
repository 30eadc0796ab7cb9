"""How commands print: JSON, facts or a table on standard output, progress on standard error."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

import typer

from smallprint.controls import escaped, printable

if TYPE_CHECKING:
    from smallprint.shelf.records import AnnotatedVersions, OnProgress, Tally
    from smallprint.shelf.records import Progress as RunProgress

WIDTH, INDENT = 100, "    "


def say(text: str = "", *, err: bool = False, **style: Any) -> None:
    """Print a text without control characters, in a style (bold, dim) if one is named."""
    typer.echo(typer.style(printable(text), **style) if style else printable(text), err=err)


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print a record, or anything made of records, as one JSON document; without `indent` on one line."""
    typer.echo(escaped(json.dumps(value, ensure_ascii=False, indent=indent, default=_jsonable)))


def fields_of(record: Any, *names: str) -> dict[str, Any]:
    """Return the fields of a record by name, all or these, to be printed together with others."""
    return {name: getattr(record, name) for name in names or (field.name for field in fields(record))}


def print_facts(facts: Mapping[str, Any], title: str | None = None) -> None:
    """Print names and values in two columns."""
    if title:
        say(title, bold=True)
    width = max((len(name) for name in facts), default=0)
    for name, value in facts.items():
        say(f"  {name:<{width}}  {_in_words(value)}")


def print_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table, numbers aligned to the right; nothing if there are no rows."""
    if not rows:
        return
    lines = [list(head), *([_in_words(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numeric = [all(isinstance(cell, int | float) for cell in column) for column in zip(*rows, strict=True)]
    for number, line in enumerate(lines):
        cells = (c.rjust(w) if n else c.ljust(w) for c, w, n in zip(line, widths, numeric, strict=True))
        say("  ".join(cells).rstrip(), bold=number == 0)


def wrapped(text: str, indent: str = "") -> str:
    """Return a text in lines that fit a terminal, without control characters."""
    return fill(flat(text), WIDTH, initial_indent=indent, subsequent_indent=indent)


def flat(text: str) -> str:
    """Return a text on one line, without control characters."""
    return printable(" ".join(text.split()))


@contextmanager
def progress() -> Iterator[OnProgress]:
    """Show a bar for each step of a run, with rate, counts and time left, if standard error is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(), TextColumn("{task.fields[counts]}"),
        console=console, disable=not console.is_terminal, transient=True,
    )  # fmt: skip
    started = time.monotonic()
    tasks: dict[str, Any] = {}
    with bar:

        def show(run: RunProgress) -> None:
            if run.step not in tasks:
                tasks[run.step] = bar.add_task(run.step, total=1.0, counts="")
            counts = ""
            if run.tally is not None:
                rate = run.tally.read / max(0.001, time.monotonic() - started)
                counts = f"{rate:.0f}/s · {in_short(run.tally)}"
            bar.update(tasks[run.step], completed=run.fraction, counts=counts)

        yield show


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 page", "2 pages", "3 policies"."""
    return f"{number:,} {noun if number == 1 else noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def print_annotated(annotated: AnnotatedVersions, quality: str) -> None:
    """Print how many versions were annotated, and how many could not be, if any."""
    if annotated.versions:
        say(f"Annotated {counted(annotated.versions, 'version')} in {quality} quality.")
    if annotated.set_aside:
        say(f"{counted(annotated.set_aside, 'version')} could not be annotated; 'smallprint status' lists them.")


def in_short(tally: Tally) -> str:
    """Return the counts of a run in one line."""
    rejected = ", ".join(f"{reason} {count:,}" for reason, count in tally.rejected.most_common())
    return f"kept {tally.kept:,} · rejected {sum(tally.rejected.values()):,}" + (f" ({rejected})" if rejected else "")


def _jsonable(value: Any) -> Any:
    return fields_of(value) if is_dataclass(value) else str(value)


def _in_words(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else printable(str(value))
