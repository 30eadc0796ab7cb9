"""Near-duplicates: band hashes that find candidates, exact likeness that decides, groups that depend on no order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

# 16 bands of 8 rows: two texts that are 0.9 alike share a band with probability 0.9999, two that are 0.5 with 0.06.
BANDS, ROWS = 16, 8
_BINS = BANDS * ROWS
_EMPTY = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


def bands(shingles: NDArray[np.uint64]) -> tuple[bytes, ...]:
    """Return the hash of each band of a text's MinHash signature; none for a text without shingles.

    One permutation, cut into bins (https://arxiv.org/abs/1208.1259); an empty bin borrows from the next full one.
    """
    if not len(shingles):
        return ()
    mixed = (shingles ^ (shingles >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(29)
    signature = np.full(_BINS, _EMPTY, dtype=np.uint64)
    np.minimum.at(signature, mixed % np.uint64(_BINS), mixed >> np.uint64(8))
    full = np.flatnonzero(signature != _EMPTY)
    lender = full[np.searchsorted(full, np.arange(_BINS)) % len(full)]
    rows = (signature[lender] + (lender - np.arange(_BINS)) % _BINS).astype(np.uint64).reshape(BANDS, ROWS)
    return tuple(hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in rows)


def groups(pairs: Iterable[tuple[str, str]]) -> list[frozenset[str]]:
    """Return the sets of texts that hang together by pairs of near-duplicates, in the order of their least member."""
    above: dict[str, str] = {}

    def root(member: str) -> str:
        while above.setdefault(member, member) != member:
            above[member] = member = above[above[member]]
        return member

    for pair in pairs:
        first, second = sorted(map(root, pair))
        above[second] = first
    members: dict[str, set[str]] = {}
    for member in above:
        members.setdefault(root(member), set()).add(member)
    return [frozenset(members[least]) for least in sorted(members)]
