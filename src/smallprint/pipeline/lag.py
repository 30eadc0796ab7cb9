"""How far an index is behind its library, counted once for each state of the two."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from smallprint.index.engine import Engine
from smallprint.library import Library
from smallprint.library.findable import findable

# While a library is being filled its state changes with every batch. Counting takes at most this part of the time then:
# a count that took a second holds for the next twenty.
SHARE = 1 / 20


@dataclass(frozen=True, slots=True)
class Lag:
    """How many policies an index lacks, has in an older state, and has although the library has them no more."""

    missing: int = 0
    changed: int = 0
    surplus: int = 0

    @property
    def policies(self) -> int:
        """How many policies an index is behind by."""
        return self.missing + self.changed + self.surplus

    @property
    def note(self) -> str:
        """What is said beside results, for readers who cannot do anything about it; empty where nothing is behind."""
        if not self.policies:
            return ""
        what = "1 policy" if self.policies == 1 else f"{self.policies:,} policies"
        return f"The search index is behind the library by {what}, so some results may be missing."


UP_TO_DATE = Lag()


@dataclass(slots=True)
class _Count:
    """The last count of an engine, the states it is of, and until when it stands in for later ones."""

    states: tuple[str, str] = ("", "")
    lag: Lag = UP_TO_DATE
    until: float = 0.0


class _Counts:
    """Counts by engine; one thread counts at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.by_engine: WeakKeyDictionary[Engine, _Count] = WeakKeyDictionary()


_counts = _Counts()


def lag_of(library: Library, engine: Engine) -> Lag:
    """Say how far an index is behind a library; 30 µs where it is not, or where nothing has changed since the count."""
    state = library.state()
    if engine.library_state() == state:
        return UP_TO_DATE
    with _counts.lock:
        last = _counts.by_engine.setdefault(engine, _Count())
        states = (state, engine.state())
        if last.states != states and time.monotonic() >= last.until:
            began = time.monotonic()
            # By a connection of its own: the count must not be ended by the time limit of a request.
            with Library(library.path) as own:
                last.lag = count_lag(own, engine)
            last.states = states
            last.until = time.monotonic() + (time.monotonic() - began) / SHARE
        return last.lag


def count_lag(library: Library, engine: Engine) -> Lag:
    """Compare every policy of the library with the index."""
    stamps = engine.stamps()
    missing = changed = 0
    for policy in findable(library):
        stamp = stamps.pop(policy.policy_id, None)
        missing += stamp is None
        changed += stamp is not None and stamp != policy.stamp
    return Lag(missing, changed, len(stamps))
