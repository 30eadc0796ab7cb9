"""What a run has come to so far, for progress bars and for the line at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from smallprint.library.packing import Packed
from smallprint.records import Rejection

# Told after every batch: the tally, and the part of the work that is done (0-1).
Watch = Callable[["Tally", float], None]


@dataclass(slots=True)
class Tally:
    """Pages read, kept and turned away, and addresses put on the frontier."""

    read: int = 0
    kept: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    passed_over: int = 0
    addresses: int = 0
    unchanged: int = 0

    def count(self, results: Iterable[Packed | Rejection]) -> None:
        """Count a batch in."""
        for result in results:
            self.read += 1
            if isinstance(result, Rejection):
                self.rejected[str(result.reason)] += 1
            else:
                self.kept += 1


def unwatched(tally: Tally, fraction: float) -> None:
    """Watch nothing."""
