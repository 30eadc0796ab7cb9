"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

LibraryOption = Annotated[
    Path | None, typer.Option("--library", "-l", help="The library file.", show_default="the setting 'library'")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", "-w", min=0, help="Processes that work; 0 means one for each core.")
]
PrivateOption = Annotated[
    bool | None, typer.Option("--allow-private", help="Also visit private and loopback addresses.")
]
QualityOption = Annotated[
    str | None,
    typer.Option("--quality", help="How to annotate: 'fast', 'full' or 'none'.", show_default="the setting 'quality'"),
]
