"""Which of the sentences found for a question are looked at: of the first k ten by chance, or the first of a kind.

A training has room for one or two sentences a question. To filter all of a hundred would take ten times as long, and
nearly all that it keeps would be left out afterwards.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from smallprint.text import words
from smallprint.train.era.bench import DEPTH
from smallprint.train.era.rows import DEFAULT_K, Row

Found = NDArray[np.int64]
# Two sentences are nearly the same if they share so many of all their words.
ALIKE = 0.7
# To find k of a kind, so many times k are gone through.
REACH = 5
# How whole sentences end, and what may follow that: headings end with a word, questions and what leads into a list
# with a sign of their own.
ENDS, AFTER = (".", "!", ";"), "\"'”’)> "


def candidates(found: Found, row: Row, texts: Sequence[str], seed: int) -> Found:
    """Give what a row looks at, a line a question, with -1 where there is nothing left."""
    further = found[:, : min(DEPTH, row.k * REACH)]
    if row.unlike:
        return unlike(further, texts, row.k)
    if row.whole:
        return whole(further, texts, row.k)
    return drawn(found[:, : row.k], seed)


def kind_of(row: Row) -> str:
    """Name the way in which a row chooses what it looks at."""
    return f"{row.k}{'-unlike' if row.unlike else '-whole' if row.whole else ''}"


def drawn(found: Found, seed: int, most: int = DEFAULT_K) -> Found:
    """Draw so many of each question's sentences by chance, in the order in which they were found."""
    if found.shape[1] <= most:
        return found
    luck = random.Random(seed)  # noqa: S311 - not for secrets
    made = np.full((len(found), most), -1, dtype=found.dtype)
    for question, rows in enumerate(found):
        there = np.flatnonzero(rows >= 0).tolist()
        chosen = sorted(luck.sample(there, min(most, len(there))))
        made[question, : len(chosen)] = rows[chosen]
    return made


def unlike(found: Found, texts: Sequence[str], most: int) -> Found:
    """Give the first so many of each question's sentences that have not nearly the words of one before."""
    made = np.full((len(found), most), -1, dtype=found.dtype)
    for question, rows in enumerate(found):
        before: list[frozenset[str]] = []
        for row in rows[rows >= 0].tolist():
            own = frozenset(words(texts[row]))
            if len(before) < most and own and all(len(own & other) < ALIKE * len(own | other) for other in before):
                made[question, len(before)] = row
                before.append(own)
    return made


def whole(found: Found, texts: Sequence[str], most: int) -> Found:
    """Give the first so many of each question's sentences that are neither headings nor questions themselves."""
    made = np.full((len(found), most), -1, dtype=found.dtype)
    for question, rows in enumerate(found):
        fit = [row for row in rows[rows >= 0].tolist() if texts[row].rstrip(AFTER).endswith(ENDS)][:most]
        made[question, : len(fit)] = fit
    return made
