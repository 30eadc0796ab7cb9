"""Logistic models over vectors and words of texts: what makes the vectors, which words count, and the fit.

A model has many columns at once, with shares as targets and a weight for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.finder import NAME, Finder
from smallprint.models.logistic import sigmoid
from smallprint.models.mapper import Words, grams
from smallprint.models.towers import HOLDER, Base
from smallprint.train.frame import sparse

Read = Callable[[Sequence[str]], NDArray[np.float32]]
UNTRAINED = "the untrained all-MiniLM-L6-v2"
STEPS = 200


def reader(where: Path, say: Callable[[str], None]) -> tuple[Read, str]:
    """Return what turns texts into vectors, and its name: the finder in a folder, the shipped, or an untrained one."""
    for folder in (where, store.folder()):
        try:
            version = store.version(NAME, folder)
        except NoModel:
            continue
        holder = folder if (folder / f"{HOLDER}.npz").is_file() else None
        return Finder(Base(holder), folder).vectors, f"{NAME} {version}"
    say(f"no finder is trained yet, so vectors are of {UNTRAINED}; train again when there is one")
    return _untrained(), UNTRAINED


def _untrained() -> Read:
    from smallprint.train.fitting import vectors
    from smallprint.train.network import Tower, pieces, pretrained

    network = pretrained(Tower({}, each_token=True))
    return lambda texts: vectors(network, [pieces(text) for text in texts])


def matrix(words: Words, texts: Sequence[str]) -> Any:
    """Return a sparse row of length 1 a text, as the mapper weighs its words."""
    return sparse([words.weigh(text) for text in texts], len(words.known))


def learn_words(texts: Sequence[str], least: int) -> Words:
    """Keep the words and pairs that stand in `least` texts or more, with their idf."""
    counts = Counter(gram for text in texts for gram in grams(text).tolist())
    known = np.array(sorted(gram for gram, count in counts.items() if count >= least), dtype=np.uint32)
    often = np.array([counts[gram] for gram in known.tolist()], dtype=np.float64)
    return Words(known, (np.log((1 + len(texts)) / (1 + often)) + 1).astype(np.float32))


class Linear(NamedTuple):
    """What was learnt: weights of the vector, of the words, and a bias, with a column for each thing to be told."""

    of_vector: NDArray[np.float32]
    of_words: NDArray[np.float32]
    bias: NDArray[np.float32]

    def tell(self, vectors: NDArray[np.float32], words: Any) -> NDArray[np.float32]:
        """Return the probability of each thing, a row a text."""
        return sigmoid(vectors @ self.of_vector + words @ self.of_words + self.bias)


def fit(
    vectors: NDArray[np.float32], words: Any, targets: NDArray[np.float32], weights: NDArray[np.float32], hold: float
) -> Linear:
    """Learn to tell all columns; `hold` says how strongly weights, but not the bias, are held back to 0."""
    width, columns = vectors.shape[1], targets.shape[1]
    backwards = words.T.tocsr()

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        layers = flat.reshape(-1, columns).astype(np.float32)
        logits = vectors @ layers[:width] + words @ layers[width:-1] + layers[-1]
        off = weights * (sigmoid(logits) - targets)
        slope = np.concatenate([vectors.T @ off, backwards @ off, off.sum(axis=0, keepdims=True)])
        slope[:-1] += hold * layers[:-1]
        value = float((weights * (np.logaddexp(0, logits) - targets * logits)).sum(dtype=np.float64))
        return value + 0.5 * hold * float((layers[:-1] ** 2).sum(dtype=np.float64)), slope.ravel().astype(np.float64)

    begin = np.zeros((width + words.shape[1] + 1) * columns)
    best = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    layers = best.reshape(-1, columns).astype(np.float32)
    return Linear(layers[:width], layers[width:-1], layers[-1])
