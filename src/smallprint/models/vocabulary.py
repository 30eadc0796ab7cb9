"""The words that policies are made of: a passage of other words is in another language, or in none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from smallprint.text import word_hashes

# Of OPP-115's segments 99 % have at least seven in ten known words; German, French, Spanish, Dutch, Italian and
# Portuguese passages have at most a third, figures and keys none.
LEAST_KNOWN = 0.5
LONGEST = 20_000
_DIGITS = np.uint64(0xFFFFFFFF)


class Vocabulary:
    """The hashes of known words, sorted."""

    def __init__(self, known: NDArray[np.uint32]) -> None:
        self._known = known

    def share(self, hashes: NDArray[np.uint64]) -> float:
        """Give the share of words that are known, 0 where there are none."""
        if not len(hashes) or not len(self._known):
            return 0.0
        folded = (hashes & _DIGITS).astype(np.uint32)
        places = np.minimum(np.searchsorted(self._known, folded), len(self._known) - 1)
        return float((self._known[places] == folded).mean())

    def can_read(self, text: str) -> bool:
        """Tell whether a text is made of words that policies use."""
        return self.share(word_hashes(text[:LONGEST])) >= LEAST_KNOWN
