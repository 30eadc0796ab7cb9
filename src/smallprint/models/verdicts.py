"""The rule of verdicts: from what a policy's sentences say on a question to what the policy says. Linear, in numpy.

Weights are shared by all questions, and each question adds its own to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.card import CODES, VERDICTS
from smallprint.models import store

NAME = "verdicts"


class VerdictRule:
    """A multinomial regression."""

    def __init__(
        self, where: Path | None = None, name: str = NAME, arrays: Mapping[str, NDArray[Any]] | None = None
    ) -> None:
        parts = ("mean", "spread", "weights", "bias")
        arrays = store.load(name, where, only=parts) if arrays is None else arrays
        self._mean, self._spread, self._weights, self._bias = (arrays[part].astype(np.float32) for part in parts)

    def probabilities(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probability of every verdict, a row a question of the card."""
        scaled = (features - self._mean) / self._spread
        logits = np.einsum("qf,qfv->qv", scaled, self._weights) + self._bias
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True), dtype=np.float32)


def card_majority(where: Path | None = None) -> dict[str, tuple[str, float]]:
    """Return the commonest verdict of each question of the card in the training data, and its share."""
    pairs = store.load(NAME, where, only=("majority",))["majority"].tolist()
    return {code: (VERDICTS[int(verdict)], share) for code, (verdict, share) in zip(CODES, pairs, strict=True)}


def majority_of(kind: str, where: Path | None = None) -> tuple[str, float]:
    """Return the commonest verdict of asked or of narrow questions in the training data, and its share."""
    name = f"majority_{kind}"
    verdict, share = store.load(NAME, where, only=(name,))[name].tolist()
    return VERDICTS[int(verdict)], share
