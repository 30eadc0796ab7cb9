"""The command that talks: chat, a conversation with the library in a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smallprint import limits
from smallprint.cli.answers import INDENT, filled, print_said
from smallprint.cli.options import LibraryOption
from smallprint.cli.output import print_json_line
from smallprint.controls import shown

if TYPE_CHECKING:
    from smallprint.ask.conversation import Conversation
    from smallprint.library import Library
    from smallprint.pipeline.engines import Engines
    from smallprint.settings import Settings
    from smallprint.shelf.assistant import Assistant, Fetch
    from smallprint.shelf.gathering import PolicySaid
    from smallprint.shelf.replies import Reply

PROMPT = "> "
GREETING = "Ask what a policy says, or which policies do something. “help” says how, “bye” ends."


def chat(
    policy: Annotated[str | None, typer.Argument(help="A policy's id, address or domain to begin with.")] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep", help="Keep the conversation in this file, and go on from what is there.", metavar="FILE"
        ),
    ] = None,
    library: LibraryOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="For each line read, print the reply and the conversation as a line of JSON.")
    ] = False,
) -> None:
    """Talk with the library: questions and follow-ups, over one policy or many, answered with their own sentences.

    Reads lines until there are no more, or until "bye". An address is fetched only if you say yes to it.
    """
    from smallprint.ask.desk import Desk
    from smallprint.library import Library
    from smallprint.pipeline.engines import Engines
    from smallprint.settings import load
    from smallprint.shelf.assistant import Assistant

    settings = load(library=library)
    with Library(settings.library) as store:
        engines = Engines(settings.library)
        assistant = Assistant(Desk(), engines.engine, _fetch(settings, engines))
        now = _begun(assistant, store, policy, keep)
        if not as_json:
            typer.secho(GREETING, dim=True)
            _print_past(now)
        for said in _lines(quiet=as_json):
            now, reply = assistant.reply(store, now, said)
            if keep is not None:
                _write(keep, now)
            if as_json:
                print_json_line({"reply": asdict(reply), "conversation": now.to_json()})
            else:
                print_reply(reply, said)
            if reply.ends:
                break


def print_reply(reply: Reply, said: str) -> None:
    """Print a reply: whose policy was asked what, what it comes to, the sentences, what may be said next."""
    typer.echo()
    if reply.policy is not None:
        typer.secho(shown(f"{reply.policy.name} ({reply.policy.domain}){_asked(reply, said)}"), dim=True)
    if reply.answer is not None and reply.kind == "answer":
        print_said(reply.answer)
    else:
        for number, line in enumerate(reply.lines):
            typer.secho(filled(line, ""), bold=number == 0)
    for column in reply.compared:
        if column.line:
            typer.echo(filled(f"{column.name}: {column.line}", ""))
    whose = reply.policy.policy_id if reply.policy else None
    for one in reply.policies:
        _print_policy(one, named=one.policy_id != whose)
    for number, option in enumerate(reply.options, 1):
        typer.echo(filled(f"{number}. {option}", INDENT))
    if reply.more:
        typer.secho("\nSay “more” for the rest.", dim=True)
    elif reply.suggestions:
        typer.secho(filled(f"You could ask: {' · '.join(reply.suggestions)}", ""), dim=True)
    typer.echo()


def _asked(reply: Reply, said: str) -> str:
    """Give the question that was answered, where it is not what was said: a follow-up is made whole."""
    asked = reply.answer.question if reply.answer is not None and reply.kind == "answer" else ""
    return f": {asked}" if asked and asked != " ".join(said.split()) else ""


def _print_policy(one: PolicySaid, *, named: bool) -> None:
    typer.echo()
    if named:
        typer.secho(shown(f"  {one.name} ({one.domain})"), bold=True)
    if one.before:
        typer.secho(filled(f"{one.before} …", INDENT), dim=True)
    typer.echo(filled(f"“{one.text}” (s{one.segment})", INDENT))
    if one.contrary:
        typer.secho(filled(f"But also: “{one.contrary}”", INDENT), dim=True)


def _print_past(now: Conversation) -> None:
    for one in now.past:
        typer.secho(shown(f"{PROMPT}{one.asked}"), dim=True)
        typer.secho(filled(one.said, INDENT), dim=True)


def _begun(assistant: Assistant, library: Library, policy: str | None, keep: Path | None) -> Conversation:
    """Begin a conversation, or go on with the one that was kept; a policy that is named is spoken of next."""
    from smallprint.ask.conversation import from_json
    from smallprint.errors import BadSource

    begun = assistant.begin(library, policy)
    if keep is None or not keep.exists():
        return begun
    try:
        kept = from_json(keep.read_text("utf-8")[: limits.MAX_CONVERSATION + 1])
    except (OSError, UnicodeDecodeError) as error:
        raise BadSource(f"{keep} cannot be read ({error}); name another file with --keep") from None
    return replace(kept, policy_id=begun.policy_id or kept.policy_id, ended=False)


def _write(keep: Path, now: Conversation) -> None:
    """Write a conversation so that whoever reads the file finds a whole one."""
    new = keep.with_name(f"{keep.name}.new")
    new.write_text(json.dumps(now.to_json(), ensure_ascii=False, indent=2), "utf-8")
    new.replace(keep)


def _lines(*, quiet: bool) -> Iterator[str]:
    """Give what is typed, line by line; a terminal is shown where to type."""
    shows = sys.stdin.isatty() and not quiet
    if shows:
        with suppress(ImportError):  # not every system has it
            import readline  # noqa: F401 - lets lines be edited and found again
    while True:
        try:
            yield input(PROMPT if shows else "")
        except EOFError:
            if shows:
                typer.echo()
            return


def _fetch(settings: Settings, engines: Engines) -> Fetch:
    from smallprint.pipeline.keeping import keep

    return lambda address: keep(address, replace(settings, candidates="any"), engines)
