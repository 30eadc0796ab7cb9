"""The command for what readers said of answers: to read it, to take it out, to forget it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from textwrap import shorten
from typing import Annotated

import typer

from smallprint.cli.options import JsonOption, LibraryOption
from smallprint.cli.output import counted, print_facts, print_json, print_table

QUESTION, NOTE = 60, 60


def feedback(
    out: Annotated[Path | None, typer.Option("--out", help="Write it to a file: .csv or .jsonl.")] = None,
    clear: Annotated[
        bool, typer.Option("--clear", help="Throw it away afterwards, as before a library is handed on.")
    ] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what readers said of answers on the pages: right, wrong, or that something is missing."""
    from smallprint.library import Library
    from smallprint.library.feedback import VERDICTS, forget_feedback
    from smallprint.library.feedback import feedback as given
    from smallprint.settings import load
    from smallprint.shelf.feedback import write_feedback

    with Library(load(library=library).library) as store:
        found = tuple(given(store))
        if out is not None:
            write_feedback(out, found)
        if clear:
            forget_feedback(store, len(found))  # and nothing that came meanwhile
    if as_json:
        entries = [asdict(one) for one in found]
        print_json(entries if out is None else {"file": str(out), "entries": len(entries)})
        return
    if out is not None:
        print_facts({"file": str(out), "entries": len(found)})
    else:
        counts = Counter(one.verdict for one in found)
        print_facts({verdict: counts[verdict] for verdict in VERDICTS}, counted(len(found), "answer"))
        rows = [
            (one.given_at[:16], one.verdict, one.policy_id or "many", one.state,
             shorten(one.question, QUESTION, placeholder=" …"), shorten(one.note, NOTE, placeholder=" …"))
            for one in found
        ]  # fmt: skip
        print_table(("given", "verdict", "policy", "state", "question", "note"), rows) if rows else None
    if clear:
        typer.echo(f"Forgotten: {len(found):,}.")
