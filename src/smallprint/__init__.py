"""Smallprint finds, reads and questions the privacy policies of the web, on one's own machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from smallprint.shelf import Shelf

# onnxruntime reports to its maker unless this is set before it is imported. This file runs before any other of the
# package, in every process; a value of the user's is overwritten (docs/decisions/0009-no-telemetry.md).
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

__version__ = "0.1.0"
__all__ = ["__version__", "open"]


def open(  # noqa: A001 - read as smallprint.open
    path: str | os.PathLike[str] | None = None, *, create: bool = False, **settings: Any
) -> Shelf:
    """Open a library, by default the one that the settings name; `create` makes it where there is none.

    Other settings may be given by name, such as quality="full" or workers=2.
    """
    from pathlib import Path

    from smallprint.settings import load
    from smallprint.shelf import Shelf

    return Shelf(load(library=None if path is None else Path(path).expanduser(), **settings), create=create)
