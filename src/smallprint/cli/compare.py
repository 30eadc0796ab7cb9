"""The commands `compare` and `diff`: policies side by side, and what changed between two versions of one."""

from __future__ import annotations

from itertools import groupby
from textwrap import shorten
from typing import TYPE_CHECKING

import typer
from typer import Argument, Option

from smallprint.cli.options import PolicyArgument, Run
from smallprint.cli.output import counted, fields_of, print_facts, print_table, say
from smallprint.controls import printable

if TYPE_CHECKING:
    from smallprint.shelf.records import Comparison, Paragraph, Revision, Row, Summary, VersionEntry

QUOTE = 240
STATES = {
    "says": "says so",
    "denies": "says it does not",
    "both": "says it does, and says it does not",
    "silent": "silent",
    "unknown": "not annotated yet",
}
SILENT = "Silent: the policy says nothing about it. Not saying something is not the same as not doing it."


def compare(
    run: Run,
    policies: list[str] = Argument(..., help="Two to four policies, each by id, address or domain."),
    everything: bool = Option(False, "--all", help="Also show the details on which the policies do not differ."),
) -> None:
    """Put two to four policies side by side: what each says, denies or is silent about, with quotations."""
    with run.open_shelf() as shelf:
        comparison = shelf.compare(policies)
    mentions = [{**row.name._asdict(), "counts": row.counts} for row in comparison.mentions]
    run.exit_if_json({"policies": comparison.columns, "rows": comparison.rows, "mentions": mentions})
    domains = [column.domain for column in comparison.columns]
    distinct = len(set(domains)) == len(domains)
    names = domains if distinct else [column.policy_id for column in comparison.columns]
    _print_measures(comparison, names)
    for row in comparison.rows:
        if everything or row.is_category or len({cell.state for cell in row.cells}) > 1:
            _print_row(row, names)
    say(f"\n{SILENT}")


def diff(
    run: Run,
    policy: PolicyArgument,
    old: str | None = Argument(
        None,
        help="The older version: its id, the beginning of it or of its hash, or a date, for the last version seen "
        "until then.",
        show_default="the one before NEW",
    ),
    new: str | None = Argument(None, help="The newer version, in the same ways.", show_default="the current one"),
) -> None:
    """Show what changed between two versions of a policy, by sentences and by words."""
    with run.open_shelf() as shelf:
        revision = shelf.diff(policy, old, new)
    names = ("policy_id", "url", "old", "new", "recleaned", "summary", "paragraphs")
    run.exit_if_json(fields_of(revision, *names))
    versions = {"old": _dated(revision.old), "new": _dated(revision.new)}
    print_facts({"address": revision.url, **versions}, revision.new.title)
    say(f"  {_summary(revision.summary)}")
    if revision.recleaned:
        say("  Different versions of Smallprint read the two, so some of these changes may not be the policy's.")
    _print_paragraphs(revision)


def _print_measures(comparison: Comparison, names: list[str]) -> None:
    columns = [
        (
            shorten(column.version.title, 40, placeholder=" …"),
            column.sector.name,
            f"{column.version.words:,}",
            "unknown" if column.measures.grade is None else f"{column.measures.grade:.1f}",
            "unknown" if column.measures.vagueness is None else f"{column.measures.vagueness:.2f}",
            column.version.updated_on or column.version.effective_on or "not stated",
            column.version.last_seen or "unknown",
        )
        for column in comparison.columns
    ]
    labels = ("title", "sector", "words", "reading grade", "vagueness", "last updated", "last seen")
    rows = list(zip(labels, *columns, strict=True))
    rows += [
        (f"names {row.name.plain}", *(f"{count}×" if count else "no" for count in row.counts))
        for row in comparison.mentions
    ]
    print_table(("", *names), rows)


def _print_row(row: Row, names: list[str]) -> None:
    indent = "" if row.is_category else "  "
    say(f"\n{indent}{row.name[0].upper()}{row.name[1:]}", bold=row.is_category)
    width = max(map(len, names))
    for name, cell in zip(names, row.cells, strict=True):
        sure = "" if cell.probability is None else f", {cell.probability:.0%}"
        say(f"{indent}  {name:<{width}}  {STATES[cell.state]}{sure}")
        for quote in filter(None, (cell.affirmed, cell.denied)):
            lead = f"{shorten(quote.lead_in, QUOTE // 2, placeholder=' …')} … " if quote.lead_in else ""
            text = f"“{lead}{shorten(quote.text, QUOTE, placeholder=' …')}” (s{quote.segment})"
            say(f"{indent}  {'':<{width}}  {text}")


def _print_paragraphs(revision: Revision) -> None:
    for is_same, paragraphs in groupby(revision.paragraphs, lambda paragraph: paragraph.is_same):
        if is_same:
            say(f"\n… {counted(len(list(paragraphs)), 'paragraph')} unchanged", dim=True)
            continue
        above: tuple[str, ...] = ()
        for paragraph in paragraphs:
            if paragraph.headings and paragraph.headings != above:
                say(f"\n{' › '.join(paragraph.headings)}", bold=True)
            above = paragraph.headings
            typer.echo(f"\n{_with_marks(paragraph, revision.new_text)}")


def _with_marks(paragraph: Paragraph, new: str) -> str:
    """Return a paragraph with marks around what was removed and added, so that it can be read without colours too."""
    parts = []
    for change in paragraph.changes:
        is_here = change.twin is None
        for piece in change.pieces:
            if piece.kind == "removed":
                parts.append(_marked(printable(piece.removed), "[-", "-]", "" if is_here else "moved away: ", "red"))
            elif piece.kind == "added":
                parts.append(_marked(printable(piece.added), "{+", "+}", "" if is_here else "moved here: ", "green"))
            elif piece.new:
                parts.append(printable(new[piece.new.start : piece.new.end]))
    bullet = {"heading": "# ", "item": "• "}.get(paragraph.kind, "")
    return bullet + " ".join("".join(parts).split())


def _marked(words: str, opening: str, closing: str, moved: str, colour: str) -> str:
    """Put marks around words, but not around the blanks at their ends."""
    bare = words.strip()
    return words.replace(bare, typer.style(f"{opening}{moved}{bare}{closing}", fg=colour), 1)


def _summary(summary: Summary) -> str:
    if summary.is_empty:
        return "Nothing changed except blanks and the shape of quotes and dashes."
    counts = {"added": summary.added, "removed": summary.removed, "changed": summary.changed, "moved": summary.moved,
              "unchanged": summary.same}  # fmt: skip
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)
    return f"sentences: {kinds}; words: {summary.words_added:,} added, {summary.words_removed:,} removed"


def _dated(version: VersionEntry) -> str:
    seen = " to ".join(dict.fromkeys(filter(None, (version.first_seen, version.last_seen))))
    dated = version.updated_on or version.effective_on
    return f"{version.version_id}, seen {seen or 'on an unknown date'}" + (f", dated {dated}" if dated else "")
