"""How answers look in a terminal: the line, the policy's sentences with their places, marks without colours."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import typer

from smallprint.cli.output import counted
from smallprint.controls import shown

if TYPE_CHECKING:
    from smallprint.shelf.answers import PolicyAnswer, QuoteSaid

WIDTH = 100
INDENT = "    "
# Before the sentences that the line rests on.
EARNS = "→ "


def print_answer(answer: PolicyAnswer, *, more: bool) -> None:
    """Print an answer with its policy; `more` adds the sentences beyond the first."""
    typer.secho(shown(answer.title), bold=True)
    typer.echo(shown(f"  {answer.url}"))
    for note in answer.notes:
        typer.secho(shown(f"  {note}"), dim=True)
    typer.echo()
    print_said(answer)
    if answer.rest and more:
        typer.secho("\nFurther:", bold=True)
        print_quotes(answer.rest)
    elif answer.rest:
        typer.secho(f"\n{counted(len(answer.rest), 'further sentence')}: add --more.", dim=True)
    if answer.summary:
        typer.secho("\nThe passages that bear on it most:", bold=True)
        for passage in answer.summary:
            typer.echo(f"\n{filled(f'{passage.text} (s{passage.ordinal})', INDENT)}")


def print_said(answer: PolicyAnswer) -> None:
    """Print what an answer comes to, and the sentences shown at first."""
    from smallprint.view.chances import chance

    typer.secho(filled(answer.line, ""), bold=True)
    if answer.quotes:
        typer.secho(f"({answer.state}; {chance(answer.confidence)} sure that these answer it)", dim=True)
    print_quotes(answer.quotes)


def print_quotes(quotes: tuple[QuoteSaid, ...]) -> None:
    """Print sentences of a policy under their headings."""
    above: tuple[str, ...] | None = None
    for quote in quotes:
        typer.echo()
        if quote.headings != above and quote.headings:
            typer.secho(shown(f"  {' › '.join(quote.headings)}"), dim=True)
        above = quote.headings
        about = f"; {quote.practice}" if quote.practice else ""
        if quote.before:
            typer.secho(filled(f"{quote.before} …", INDENT), dim=True)
        typer.echo(filled(f"{EARNS if quote.earns else ''}“{_marked(quote)}” (s{quote.segment}{about})", INDENT))


def _marked(quote: QuoteSaid) -> str:
    """Put marks around the part that answers, so that it can be seen without colours too."""
    if quote.answer is None:
        return quote.text
    start, end = quote.answer.start - quote.start, quote.answer.end - quote.start
    return f"{quote.text[:start]}[{quote.text[start:end]}]{quote.text[end:]}"


def filled(text: str, indent: str) -> str:
    """Break a text into lines that fit, with nothing in it that a terminal would obey."""
    return fill(shown(" ".join(text.split())), WIDTH, initial_indent=indent, subsequent_indent=indent)
