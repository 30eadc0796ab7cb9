"""The combiner: what all scorers say of a sentence, weighed into one logit, and what that says of the whole policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.logistic import sigmoid, softmax

NAME = "combiner"
# Below whatever the reader has read stands what it has not, in the order of the first look.
UNREAD_DROP = 20.0


def weighing(look: str, without: str) -> str:
    """Return the name of the weights of a look that leaves a part out."""
    return f"{look} without {without}" if without else look


class Combiner:
    """Linear weights over standardised features, for each of the things to be told."""

    def __init__(self, where: Path | None = None, arrays: dict[str, NDArray[Any]] | None = None) -> None:
        self._arrays = store.load(NAME, where) if arrays is None else arrays

    def first_look(self, cheap: NDArray[np.float32], without: str = "") -> NDArray[np.float32]:
        """Score sentences by what costs little; some part of it may be left out."""
        return self._linear(weighing("first", without), cheap)

    def combine(self, full: NDArray[np.float32], read: NDArray[np.intp], without: str = "") -> NDArray[np.float32]:
        """Return the logit that a sentence bears on the question; what was not read comes after what was."""
        logits = self._linear(weighing("full", without), full)
        logits[np.setdiff1d(np.arange(len(full)), read)] -= UNREAD_DROP
        return logits

    def tell(self, name: str, features: NDArray[np.float32]) -> float:
        """Return the probability of something about the whole question, from its features."""
        return float(sigmoid(self._linear(name, features[None]))[0])

    def shares(self, name: str, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probabilities of several things of which one holds."""
        return np.asarray(softmax(self._linear(name, features[None]))[0])

    def number(self, name: str) -> float:
        """Return a threshold."""
        return float(self._arrays[name])

    def _linear(self, name: str, features: NDArray[np.float32]) -> NDArray[np.float32]:
        weights, bias = self._arrays[f"{name}_weights"], self._arrays[f"{name}_bias"]
        return np.asarray(features @ weights + bias, dtype=np.float32)
