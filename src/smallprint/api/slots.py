"""How many exports are made at once: so many in all, and fewer for any one client."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from smallprint.errors import TooManyExports


class Slots:
    """Places for exports; whoever finds none is told to come back."""

    def __init__(self, most: int, most_for_client: int) -> None:
        self._most = most
        self._most_for_client = most_for_client
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._taken.total()

    def check(self, client: str) -> None:
        """Raise TooManyExports where there is no place for a client."""
        if self._taken[client] >= self._most_for_client:
            raise TooManyExports(
                f"{self._most_for_client} exports are being made for you; try again when one of them is done"
            )
        if len(self) >= self._most:
            raise TooManyExports(f"{self._most} exports are being made; try again when one of them is done")

    @contextmanager
    def place(self, client: str) -> Iterator[None]:
        """Hold a place for a client; TooManyExports where there is none."""
        with self._lock:
            self.check(client)
            self._taken[client] += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken[client] -= 1
                self._taken += Counter()  # which drops those at zero
