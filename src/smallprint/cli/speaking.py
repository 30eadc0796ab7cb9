"""Commands for who speaks with the library through another program: alexa-model, mcp."""

from __future__ import annotations

from typing import Annotated

import typer

from smallprint.cli.options import JsonOption, LibraryOption
from smallprint.cli.output import print_json


def alexa_model(
    locale: Annotated[str, typer.Option("--locale", help="The language: 'en-US' or 'en-GB'.")] = "en-US",
    as_json: JsonOption = True,
) -> None:
    """Print what the Alexa skill listens for, as the JSON that its developer console takes."""
    from smallprint.voice.models import interaction_model

    print_json(interaction_model(locale))


def mcp(
    library: LibraryOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the tools with what they take as JSON, and end.")
    ] = False,
) -> None:
    """Give a language model the library as tools (MCP), over standard input and output."""
    from smallprint.errors import MissingExtra
    from smallprint.library import Library
    from smallprint.settings import load

    settings = load(library=library)
    Library(settings.library).close()  # so that a library that cannot be used is told of now
    try:
        from smallprint.tools.server import described, run
    except ModuleNotFoundError as error:
        raise MissingExtra(f"tools for a language model need {error.name}; run 'make mcp-install'") from None
    if as_json:
        print_json(described(settings))
    else:
        run(settings)
