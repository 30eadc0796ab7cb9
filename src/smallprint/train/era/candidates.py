"""Which of the sentences found for a question are looked at: of the first k ten by chance.

A training has room for one or two sentences a question. To filter all of a hundred would take ten times as long, and
nearly all that it keeps would be left out afterwards.
"""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from smallprint.train.era.rows import DEFAULT_K

Found = NDArray[np.int64]


def candidates(found: Found, k: int, seed: int, most: int = DEFAULT_K) -> Found:
    """Draw so many of each question's first k, in the order in which they were found; -1 is where none is left."""
    found = found[:, :k]
    if found.shape[1] <= most:
        return found
    luck = random.Random(seed)  # noqa: S311 - not for secrets
    made = np.full((len(found), most), -1, dtype=found.dtype)
    for question, rows in enumerate(found):
        there = np.flatnonzero(rows >= 0).tolist()
        chosen = sorted(luck.sample(there, min(most, len(there))))
        made[question, : len(chosen)] = rows[chosen]
    return made
