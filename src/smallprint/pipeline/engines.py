"""A library's indexes for those who search it again and again: each is opened when first asked for, and kept open."""

from __future__ import annotations

import threading
from pathlib import Path

from smallprint.index.engine import Engine
from smallprint.pipeline.indexing import Which, open_index


class Engines:
    """The indexes of one library, for any number of threads. One that is not there is looked for again each time."""

    def __init__(self, library: Path) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._opened: dict[Which, Engine] = {}

    def engine(self, which: Which = "policy", *, create: bool = False) -> Engine:
        """Give an index; BadIndex where there is none, unless it is to be made."""
        with self._lock:
            if which not in self._opened:
                self._opened[which] = open_index(self._library, which, create=create)
            return self._opened[which]
