"""What an attack came to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """How much was tried and how much of it held; `broken` says what did not, a line each."""

    tried: int
    broken: tuple[str, ...] = ()

    @property
    def held(self) -> int:
        """How many of the tries did no harm."""
        return self.tried - len(self.broken)
