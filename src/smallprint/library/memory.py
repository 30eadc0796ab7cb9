"""What is dear to count is counted once for each state of the library, and only so many results are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from smallprint.library.file import Library
from smallprint.library.pool import Pool, State

ENTRIES = 64

_Result = TypeVar("_Result")


@dataclass(slots=True)
class _Slot:
    """A result with the state it holds for; whoever counts holds the lock, so that nobody counts the same beside."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    state: State | None = None
    result: Any = None


class Memory:
    """Results by key, the least recently asked for forgotten first; safe to use from many threads."""

    def __init__(self, pool: Pool, entries: int = ENTRIES) -> None:
        self._pool = pool
        self._entries = entries
        self._lock = threading.Lock()
        self._slots: OrderedDict[Hashable, _Slot] = OrderedDict()

    def recall(self, key: Hashable, count: Callable[[Library], _Result]) -> _Result:
        """Give what `count` makes of the library as it is now; the count itself has no time limit."""
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
            while len(self._slots) > self._entries:
                self._slots.popitem(last=False)
        with slot.lock:
            # Asked before counting: what is written meanwhile makes a new state.
            state = self._pool.state()
            if slot.state != state:
                with self._pool.library(seconds=0) as library:
                    slot.result = count(library)
                slot.state = state
            result: _Result = slot.result
        return result
