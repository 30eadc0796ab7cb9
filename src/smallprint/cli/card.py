"""The command `card`: what a policy says on the questions that every policy is asked, with the sentences behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from typer import Argument, Option

from smallprint.cli.options import PolicyArgument, Run
from smallprint.cli.output import say, wrapped
from smallprint.controls import printable
from smallprint.errors import BadSetting

if TYPE_CHECKING:
    from smallprint.shelf.records import CardAnswer

# From so likely on a verdict is sure, from so likely on fairly sure.
SURE, FAIRLY_SURE = 0.9, 0.7


def card(
    run: Run,
    policy: PolicyArgument,
    codes: list[str] | None = Argument(None, help="Only these questions, by their codes, such as 'sells'."),
    version: str | None = Option(
        None, help="The card of this version, by id or by a date, instead of the current one."
    ),
    fast: bool = Option(
        False,
        "--fast",
        help="Show the card in fast quality if the policy was not read in full yet, instead of waiting.",
    ),
    more: bool = Option(False, "--more", help="Show every sentence behind a verdict, not only the best."),
) -> None:
    """Show what a policy says on 28 questions: yes, no, depends or silent, how sure that is, and a sentence for it."""
    from smallprint.card import CODES

    for code in codes or ():
        if code not in CODES:
            raise BadSetting(f"{code!r} is not a question of the card; choose from: {', '.join(CODES)}")
    with run.open_shelf() as shelf:
        shown = shelf.card(policy, version, fast=fast)
    shown = replace(shown, answers=tuple(own for own in shown.answers if not codes or own.code in codes))
    run.exit_if_json(shown)
    say(printable(shown.title), bold=True)
    say(f"  {printable(shown.url)}")
    by = f"{shown.model} {shown.model_version}"
    say(f"  Read in {shown.quality} quality by {by} on {shown.made_on}. Not legal advice.")
    for answer in shown.answers:
        _print(answer, more=more)


def _print(answer: CardAnswer, *, more: bool) -> None:
    say(f"\n{answer.question} ({answer.code})")
    say(f"  {in_words(answer.verdict, answer.confidence)}", bold=True)
    for quote in answer.quotes[: None if more else 1]:
        # The words that introduce a sentence may stand elsewhere: only the sentence is quoted.
        lead_in = f"{quote.lead_in} " if quote.lead_in else ""
        say(wrapped(f"{lead_in}“{quote.text}” (s{quote.segment})", "    "))


def in_words(verdict: str, confidence: float) -> str:
    """Say a verdict and how sure it is."""
    sure = "sure" if confidence >= SURE else "fairly sure" if confidence >= FAIRLY_SURE else "not sure"
    return f"{verdict.capitalize()} ({sure})."
