"""What the server remembers for a while, in memory alone: pages that were just fetched, readings of pasted texts."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from threading import Lock
from typing import Generic, TypeVar

from smallprint.limits import MAX_READINGS, MAX_RECENT_BYTES, MAX_RECENT_PAGES
from smallprint.records import Page
from smallprint.shelf.records import Glance

# Long enough to read what a page says and to decide whether to keep it.
SECONDS = 600.0
Thing = TypeVar("Thing")


class Remembered(Generic[Thing]):
    """The things put last, by name: at most `most` of them, and none for longer than `seconds`."""

    def __init__(self, most: int, seconds: float = math.inf, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._things: OrderedDict[str, tuple[float, Thing]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._things)

    def put(self, name: str, thing: Thing) -> None:
        """Remember a thing, and forget what is too old or too much."""
        with self._lock:
            self._things.pop(name, None)
            self._things[name] = (self._clock(), thing)
            self._forget_oldest()

    def get(self, name: str) -> Thing | None:
        """Return a thing; None where it is not remembered."""
        with self._lock:
            self._forget_oldest()
            return self._things[name][1] if name in self._things else None

    def forget(self, name: str) -> None:
        """Forget a thing."""
        with self._lock:
            self._things.pop(name, None)

    def keep_only(self, names: Collection[str]) -> None:
        """Forget whatever has none of these names."""
        with self._lock:
            for name in set(self._things) - set(names):
                del self._things[name]

    def _forget_oldest(self) -> None:
        while self._things:
            since, _ = next(iter(self._things.values()))
            if len(self._things) <= self._most and self._clock() - since < self._seconds:
                break
            self._things.popitem(last=False)


class Recent(Remembered[Page]):
    """The pages fetched last, by address, so that keeping one does not fetch it again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(MAX_RECENT_PAGES, SECONDS, clock)

    def put(self, name: str, thing: Page) -> None:
        """Remember a page, if it is not too large."""
        self.forget(name)
        if len(thing.content) <= MAX_RECENT_BYTES:
            super().put(name, thing)


class Readings(Remembered[Glance]):
    """The readings of pasted texts made last, by the id of their text."""

    def __init__(self) -> None:
        super().__init__(MAX_READINGS)
