"""Chance: the least that any way of scoring has to beat."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray


def scores(question: str, count: int) -> NDArray[np.float32]:
    """Give random scores, always the same for the same question."""
    return np.random.default_rng(zlib.crc32(question.encode())).random(count, dtype=np.float32)
