"""Commands that lay policies out beside one another: diff, two versions of one; compare, several."""

from __future__ import annotations

from dataclasses import asdict
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smallprint.cli.options import JsonOption, LibraryOption
from smallprint.cli.output import counted, print_facts, print_json, print_table
from smallprint.controls import shown

if TYPE_CHECKING:
    from smallprint.library.reading import VersionEntry
    from smallprint.view.changes import Change, Summary
    from smallprint.view.comparison import Cell, Comparison, Row
    from smallprint.view.quotes import Quote
    from smallprint.view.revisions import Paragraph, Revision

QUOTE = 240
STATES = {
    "says": "says so",
    "denies": "says it does not",
    "both": "says it does, and says it does not",
    "silent": "silent",
    "unknown": "not annotated yet",
}
SILENT = "Silent: nothing of the kind was found in the policy. Not saying something is not the same as not doing it."


def diff(
    policy: Annotated[str, typer.Argument(help="A policy's id, its address, or its domain.")],
    old: Annotated[
        str | None,
        typer.Argument(
            help="The older version: its id, the beginning of it or of its hash, or a date, for the version seen last "
            "until then.",
            show_default="the one before NEW",
        ),
    ] = None,
    new: Annotated[
        str | None, typer.Argument(help="The newer version, in the same ways.", show_default="the current one")
    ] = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what changed between two versions of a policy, by sentences and by words."""
    from smallprint.library import Library, reading
    from smallprint.settings import load
    from smallprint.view.revisions import revision

    with Library(load(library=library).library) as store:
        found = revision(store, reading.find_policy(store, policy), old, new)
    if as_json:
        print_json(_revision_json(found))
        return
    print_facts({"address": found.url, "old": _dated(found.old), "new": _dated(found.new)}, found.new.title)
    typer.echo(f"  {_in_short(found.summary)}")
    if found.recleaned:
        typer.echo("  The two were read by different versions of Smallprint: some of this may be our reading.")
    _print_paragraphs(found)


def compare(
    policies: Annotated[list[str], typer.Argument(help="Two to four policies, each by id, address or domain.")],
    everything: Annotated[
        bool, typer.Option("--all", help="Also show the details on which the policies do not differ.")
    ] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put two to four policies side by side: what each says, denies or is silent about, with quotations."""
    from smallprint.library import Library, reading
    from smallprint.settings import load
    from smallprint.view.comparison import compare as compared

    with Library(load(library=library).library) as store:
        found = compared(store, [reading.find_policy(store, policy) for policy in policies])
    if as_json:
        print_json(_comparison_json(found))
        return
    names = _names(found)
    _print_measures(found, names)
    for row in found.rows:
        if everything or row.is_category or len({cell.state for cell in row.cells}) > 1:
            _print_row(row, names)
    typer.echo(f"\n{SILENT}")


def _print_paragraphs(found: Revision) -> None:
    unchanged = 0
    above: tuple[str, ...] | None = None
    for paragraph in found.paragraphs:
        if paragraph.is_same:
            unchanged += 1
            continue
        if unchanged:
            typer.secho(f"\n… {counted(unchanged, 'paragraph')} unchanged", dim=True)
            unchanged, above = 0, None
        if paragraph.headings and paragraph.headings != above:
            typer.secho(shown(f"\n{' › '.join(paragraph.headings)}"), bold=True)
        above = paragraph.headings
        typer.echo(f"\n{_written(paragraph, found.new_text)}")
    if unchanged:
        typer.secho(f"\n… {counted(unchanged, 'paragraph')} unchanged", dim=True)


def _written(paragraph: Paragraph, new: str) -> str:
    """Write a paragraph with marks around what went and what came, so that it can be read without colours too."""
    parts = []
    for change in paragraph.changes:
        for piece in change.pieces:
            if piece.kind == "removed":
                parts.append(_marked(change, shown(piece.removed), gone=True))
            elif piece.kind == "added":
                parts.append(_marked(change, shown(piece.added), gone=False))
            elif piece.new:
                parts.append(shown(new[piece.new.start : piece.new.end]))
    bullet = {"heading": "# ", "item": "• "}.get(paragraph.kind, "")
    return bullet + " ".join("".join(parts).split())


def _marked(change: Change, words: str, *, gone: bool) -> str:
    bare = words.strip()
    moved = "" if change.twin is None else "moved away: " if gone else "moved here: "
    shown = typer.style(f"[-{moved}{bare}-]", fg="red") if gone else typer.style(f"{{+{moved}{bare}+}}", fg="green")
    start = len(words) - len(words.lstrip())
    return f"{words[:start]}{shown}{words[start + len(bare) :]}"


def _in_short(summary: Summary) -> str:
    if summary.is_empty:
        return "Nothing changed but blanks and the shape of quotes and dashes."
    kinds = [
        f"{count:,} {kind}"
        for kind, count in (
            ("added", summary.added), ("removed", summary.removed), ("changed", summary.changed),
            ("moved", summary.moved), ("unchanged", summary.same),
        )
        if count
    ]  # fmt: skip
    return f"sentences: {', '.join(kinds)}; words: {summary.words_added:,} added, {summary.words_removed:,} removed"


def _dated(version: VersionEntry) -> str:
    seen = (
        version.first_seen
        if version.first_seen == version.last_seen
        else f"{version.first_seen} to {version.last_seen}"
    )
    dated = version.updated_on or version.effective_on
    return f"{version.version_id}, seen {seen or 'on an unknown date'}" + (f", dated {dated}" if dated else "")


def _revision_json(found: Revision) -> dict[str, Any]:
    return {
        "policy_id": found.policy_id,
        "url": found.url,
        "old": asdict(found.old),
        "new": asdict(found.new),
        "recleaned": found.recleaned,
        "summary": asdict(found.summary),
        "paragraphs": [asdict(paragraph) for paragraph in found.paragraphs],
    }


def _names(found: Comparison) -> list[str]:
    """Call the policies by their domains, or by their ids where two are of one domain."""
    domains = [column.entry.domain for column in found.columns]
    return domains if len(set(domains)) == len(domains) else [column.entry.policy_id for column in found.columns]


def _print_measures(found: Comparison, names: list[str]) -> None:
    from smallprint.sectors import sector

    columns = found.columns
    rows: list[tuple[str, ...]] = [
        ("title", *(shorten(column.version.title, 40, placeholder=" …") for column in columns)),
        ("sector", *(sector(column.sector.sector).name for column in columns)),
        ("words", *(f"{column.version.words:,}" for column in columns)),
        ("reading grade", *("unknown" if column.grade is None else f"{column.grade:.1f}" for column in columns)),
        ("vagueness", *("unknown" if column.vagueness is None else f"{column.vagueness:.2f}" for column in columns)),
        (
            "last updated",
            *(column.version.updated_on or column.version.effective_on or "not stated" for column in columns),
        ),
        ("last seen", *(column.version.last_seen or "unknown" for column in columns)),
    ]
    rows += [
        (f"names {row.name.plain}", *(f"{count}×" if count else "no" for count in row.counts)) for row in found.mentions
    ]
    print_table(("", *names), rows)


def _print_row(row: Row, names: list[str]) -> None:
    indent = "" if row.is_category else "  "
    typer.secho(f"\n{indent}{row.name[0].upper()}{row.name[1:]}", bold=row.is_category)
    width = max(map(len, names))
    for name, cell in zip(names, row.cells, strict=True):
        typer.echo(f"{indent}  {name:<{width}}  {_state(cell)}")
        for quote in (cell.affirmed, cell.denied):
            if quote:
                typer.echo(f"{indent}  {'':<{width}}  {_quotation(quote)}")


def _state(cell: Cell) -> str:
    return STATES[cell.state] + ("" if cell.probability is None else f", {cell.probability:.0%}")


def _quotation(quote: Quote) -> str:
    lead = f"{shorten(quote.lead_in, QUOTE // 2, placeholder=' …')} … " if quote.lead_in else ""
    return shown(f"“{lead}{shorten(quote.text, QUOTE, placeholder=' …')}” (s{quote.ordinal})")


def _comparison_json(found: Comparison) -> dict[str, Any]:
    from smallprint.sectors import sector

    return {
        "policies": [
            {**asdict(column), "sector": {**asdict(column.sector), "name": sector(column.sector.sector).name}}
            for column in found.columns
        ],
        "rows": [
            {
                "category": row.label.category,
                "attribute": row.label.attribute,
                "value": row.label.value,
                "name": row.name,
                "cells": [asdict(cell) for cell in row.cells],
            }
            for row in found.rows
        ],
        "mentions": [{**row.name._asdict(), "counts": row.counts} for row in found.mentions],
    }
