"""Scores as probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Beyond this a float32 is 0 or 1 anyhow, and its exponential overflows.
MOST = 60.0


def sigmoid(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    """Turn scores into probabilities."""
    return np.asarray(1 / (1 + np.exp(-np.clip(scores, -MOST, MOST))), dtype=np.float32)
