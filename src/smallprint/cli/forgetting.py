"""The command that deletes pasted texts which a server keeps for a while."""

from __future__ import annotations

from typing import Annotated

import typer

from smallprint.cli.options import JsonOption, LibraryOption
from smallprint.cli.output import counted, print_json


def forget(
    paste: Annotated[
        str | None, typer.Argument(help="The text: the last part of the address of its page, or the whole address.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Forget every text.")] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete pasted texts that the server still keeps for their readers."""
    from smallprint.errors import NoSuchPaste
    from smallprint.library.pastes import Pastes
    from smallprint.settings import load

    settings = load(library=library)
    if every == bool(paste):
        raise NoSuchPaste("say which text to forget, by its id or address, or --all of them")
    pastes = Pastes(settings.library, settings.paste_minutes)
    if paste:
        paste_id = paste.rstrip("/").rpartition("/")[2]
        if not pastes.forget(paste_id):
            raise NoSuchPaste(f"no text is kept by the id {paste_id[:60]!r}: it was forgotten, or its time is over")
    number = 1 if paste else pastes.forget_all()
    print_json({"forgotten": number}) if as_json else typer.echo(f"Forgotten: {counted(number, 'text')}.")
