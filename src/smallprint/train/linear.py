"""Logistic models of many columns at once, over vectors and words, with shares as targets and a weight for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

from smallprint.models.logistic import sigmoid
from smallprint.models.mapper import Words, grams

STEPS = 200


def matrix(words: Words, texts: Sequence[str]) -> Any:
    """Give a sparse row of length 1 a text, as the mapper weighs its words."""
    rows = []
    for text in texts:
        places, weights = words.weigh(text)
        rows.append(sparse.csr_matrix((weights, places, [0, len(places)]), shape=(1, len(words.known))))
    return sparse.vstack(rows, format="csr")


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
        """Give the probability of each thing, a row a text."""
        return sigmoid(vectors @ self.of_vector + words @ self.of_words + self.bias)


def fit(
    vectors: NDArray[np.float32],
    words: Any,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32],
    hold: float,
) -> Linear:
    """Learn to tell all columns; `hold` says how strongly weights, but not the bias, are held back to 0."""
    width, known, columns = vectors.shape[1], words.shape[1], targets.shape[1]
    backwards = words.T.tocsr()

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        layers = flat.reshape(-1, columns).astype(np.float32)
        said = vectors @ layers[:width] + words @ layers[width:-1] + layers[-1]
        off = weights * (sigmoid(said) - targets)
        slope = np.concatenate([vectors.T @ off, backwards @ off, off.sum(axis=0, keepdims=True)])
        slope[:-1] += hold * layers[:-1]
        value = float((weights * (np.logaddexp(0, said) - targets * said)).sum(dtype=np.float64))
        return value + 0.5 * hold * float((layers[:-1] ** 2).sum(dtype=np.float64)), slope.ravel().astype(np.float64)

    begin = np.zeros((width + known + 1) * columns)
    found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    layers = found.reshape(-1, columns).astype(np.float32)
    return Linear(layers[:width], layers[width:-1], layers[-1])
