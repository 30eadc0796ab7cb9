"""Pages that were just fetched to be read, remembered for a while, so that keeping one does not fetch it again."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from smallprint import limits
from smallprint.records import Page

# Long enough to read what a page says and to decide.
SECONDS = 600.0


class Recent:
    """The pages fetched last, by address, in memory alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pages: OrderedDict[str, tuple[float, Page]] = OrderedDict()
        self._lock = Lock()

    def put(self, address: str, page: Page) -> None:
        """Remember a page, if it is not too large, and forget what is too old or too much."""
        with self._lock:
            self._pages.pop(address, None)
            if len(page.content) <= limits.MAX_RECENT_BYTES:
                self._pages[address] = (self._clock(), page)
            self._forget()

    def get(self, address: str) -> Page | None:
        """Give the page of an address; None where it is not remembered."""
        with self._lock:
            self._forget()
            found = self._pages.get(address)
            return found[1] if found else None

    def _forget(self) -> None:
        """Let go of the oldest, which stand first."""
        while self._pages:
            put, _ = next(iter(self._pages.values()))
            if len(self._pages) <= limits.MAX_RECENT_PAGES and self._clock() - put < SECONDS:
                break
            self._pages.popitem(last=False)
