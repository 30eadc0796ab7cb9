"""Options that commands share, and the library that they open."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from smallprint.cli.output import print_json
from smallprint.errors import MissingExtra
from smallprint.index.fields import KEYED

if TYPE_CHECKING:
    from smallprint.settings import Settings
    from smallprint.shelf import Shelf

WorkersOption = Annotated[
    int | None, Option("--workers", "-w", min=0, help="Number of processes; 0 means one for each core.")
]
PrivateOption = Annotated[bool | None, Option("--allow-private", help="Also visit private and loopback addresses.")]
QualityOption = Annotated[
    str | None,
    Option("--quality", help="How to annotate: 'fast', 'full' or 'none'.", show_default="the setting 'quality'"),
]
LibraryOption = Annotated[
    Path | None, Option("--library", "-l", help="The library file.", show_default="the setting 'library'")
]
JsonOption = Annotated[bool, Option("--json", help="Print JSON instead of text.")]
_JSON_OPTIONS = {
    "chat": Annotated[
        bool, Option("--json", help="For each line, print the reply and the conversation as a line of JSON.")
    ],
    "mcp": Annotated[bool, Option("--json", help="Print the tools and their inputs as JSON, and exit.")],
}
PolicyArgument = Annotated[str, Argument(help="A policy's id, its address, or its domain.")]


@dataclass(frozen=True, slots=True)
class Run:
    """What every command on a library is told: which one by --library, and by --json whether to print JSON."""

    library: Path | None
    as_json: bool

    def settings(self, **settings: Any) -> Settings:
        """Return the settings with the library that is named; others may be given by name."""
        from smallprint.settings import load

        return load(library=self.library, **settings)

    def open_shelf(self, *, create: bool = False, lazy: bool = False, **settings: Any) -> Shelf:
        """Open the library that is named, or the one of the settings."""
        from smallprint.shelf import Shelf

        return Shelf(self.settings(**settings), create=create, lazy=lazy)

    def exit_if_json(self, value: Any) -> None:
        """Print a value and end the command, if JSON is asked for."""
        if self.as_json:
            print_json(value)
            raise typer.Exit


def import_from_extra(extra: str, module: str, need: str) -> Any:
    """Import a module that works only with an extra; MissingExtra says how to install that."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtra(f"{need} {error.name}; run 'make {extra}-install'") from None


def with_shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that is given a `Run` by --library and --json, and as `filters` an option for each filter."""
    own = list(inspect.signature(command, eval_str=True).parameters.values())
    if own[0].name != "run":
        return command
    has_filters = own[-1].kind is inspect.Parameter.VAR_KEYWORD
    shared = [("library", LibraryOption, None), ("as_json", _JSON_OPTIONS.get(command.__name__, JsonOption), False)]
    shared += _filters() if has_filters else ()
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = own[1 : -1 if has_filters else None]
    parameters += [inspect.Parameter(name, keyword, default=usual, annotation=kind) for name, kind, usual in shared]

    @wraps(command)
    def called(library: Path | None, as_json: bool, **options: Any) -> None:
        command(Run(library, as_json), **options)

    # Both are what typer reads.
    called.__signature__ = inspect.Signature(parameters, return_annotation=None)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def _filters() -> Iterator[tuple[str, Any, Any]]:
    """Yield an option for every field of the index that results are narrowed by: its name, its kind, its default."""
    for field in KEYED:
        many = field.kind != "range"
        how = "may be repeated" if many else f"such as {field.example}"
        option = Option(f"--{field.key}", help=f"{field.description}; {how}.")
        yield field.key, Annotated[list[str] | None, option] if many else Annotated[str, option], None if many else ""
