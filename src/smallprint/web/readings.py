"""First readings of pasted texts, remembered for the page that shows them: a few, in memory alone."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from threading import Lock

from smallprint.limits import MAX_READINGS
from smallprint.pipeline.glance import Glance


class Readings:
    """The readings made last, by the id of their text."""

    def __init__(self) -> None:
        self._readings: OrderedDict[str, Glance] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._readings)

    def put(self, paste_id: str, reading: Glance) -> None:
        """Remember a reading, and let go of the oldest where there are too many."""
        with self._lock:
            self._readings[paste_id] = reading
            self._readings.move_to_end(paste_id)
            while len(self._readings) > MAX_READINGS:
                self._readings.popitem(last=False)

    def get(self, paste_id: str) -> Glance | None:
        """Return a reading, if it is remembered."""
        with self._lock:
            return self._readings.get(paste_id)

    def forget(self, paste_id: str) -> None:
        """Let go of a reading."""
        with self._lock:
            self._readings.pop(paste_id, None)

    def keep_only(self, paste_ids: Collection[str]) -> None:
        """Let go of every reading whose text is not kept any more."""
        with self._lock:
            for paste_id in set(self._readings) - set(paste_ids):
                del self._readings[paste_id]
