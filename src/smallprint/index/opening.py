"""The indexes of a library, opened as its settings say: today each is a folder beside the library."""

from __future__ import annotations

import shutil
import threading
from contextlib import suppress
from pathlib import Path
from typing import Literal

from smallprint.index.engine import Engine
from smallprint.library.storage import FOLDER_MODE, tighten
from smallprint.settings import Settings

# "policy" has the policies' own texts, "page" the whole pages with menus and footers.
Which = Literal["policy", "page"]
WHICH: tuple[Which, ...] = ("policy", "page")


def index_folder(library: Path, which: Which) -> Path:
    """Return the folder of an embedded index."""
    return library.with_name(f"{library.name}.index") / which


def open_engine(settings: Settings, which: Which = "policy", *, create: bool = False) -> Engine:
    """Open one of the indexes of the library that settings name; BadIndex where there is none, unless `create`."""
    from smallprint.index.embedded import EmbeddedEngine

    folder = index_folder(settings.library, which)
    if create:
        with suppress(OSError):  # the engine says what is wrong
            folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        tighten(settings.library)
    return EmbeddedEngine(folder, create=create)


def delete_indexes(settings: Settings) -> None:
    """Delete a library's indexes; they can be made again."""
    folder = index_folder(settings.library, "policy").parent
    if folder.is_dir():
        shutil.rmtree(folder)


class Engines:
    """The indexes of one library, for any number of threads. One that is not there is looked for again each time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._opened: dict[Which, Engine] = {}

    def engine(self, which: Which = "policy", *, create: bool = False) -> Engine:
        """Return an index, opened when it is first asked for; BadIndex where there is none, unless it is to be made."""
        with self._lock:
            if which not in self._opened:
                self._opened[which] = open_engine(self._settings, which, create=create)
            return self._opened[which]
