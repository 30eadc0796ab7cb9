"""An engine's failures as lines that say what to do: whatever tantivy cannot read is a damaged index."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from smallprint.errors import BadIndex, LibraryFull

_NO_ROOM = os.strerror(errno.ENOSPC)
_Method = TypeVar("_Method", bound=Callable[..., Any])


def guarded(method: _Method) -> _Method:
    """Make a method of an engine raise BadIndex where its files are damaged, and LibraryFull where there is no room."""

    @wraps(method)
    def called(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return method(self, *arguments, **named)
        except BaseException as error:
            # A panic of the engine's own language is no Exception, and its class has no name to import.
            if not isinstance(error, ValueError | OSError) and type(error).__name__ != "PanicException":
                raise
            raise failure(self.folder.parent, error) from None

    return called  # type: ignore[return-value]  # the same signature


def failure(folder: Path, error: BaseException) -> BadIndex | LibraryFull:
    """Return the error that tells a failure of an index in a folder."""
    detail = " ".join(str(error).split())[:200]
    if _NO_ROOM in detail:
        return LibraryFull(f"no room on the disk for the index at {folder}; free some and run 'smallprint index'")
    return BadIndex(f"the index at {folder} is damaged ({detail}); 'smallprint index --anew' mends it")
