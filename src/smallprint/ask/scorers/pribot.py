"""PriBot: a question and a sentence are near where they are about the same practices, by their probabilities.

Of labels, `p(c|x)` is a category's probability and `p(v|x)` a value's given its category, as the practice models say.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.practices import PARENT
from smallprint.taxonomy import CATEGORIES, LABELS

_CATEGORIES = len(CATEGORIES)
_VALUES = slice(_CATEGORIES, len(LABELS))


def practice_vector(labels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give α of a sentence or β of a question: p(c|x)² · p(v|x) for every value v under each category c."""
    found: NDArray[np.float32] = labels[..., PARENT[_VALUES]] ** 2 * labels[..., _VALUES]
    return found


def certainty(labels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give cer: 1 less the entropy of the normalised probabilities of categories, as a share of the greatest one."""
    said = labels[..., :_CATEGORIES].astype(np.float64)
    total = said.sum(axis=-1, keepdims=True)
    shares = np.divide(said, total, out=np.full_like(said, 1 / _CATEGORIES), where=total > 0)
    entropy = -(shares * np.log(shares, out=np.zeros_like(shares), where=shares > 0)).sum(axis=-1)
    return np.asarray(1 - entropy / np.log(_CATEGORIES), dtype=np.float32)


def scores(question: NDArray[np.float32], sentences: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give s(q, a) for each sentence: what it covers of the question's practices, by how certain it is itself."""
    asked, said = practice_vector(question), practice_vector(sentences)
    total = float((asked**2).sum())
    if not total:
        return np.zeros(len(sentences), dtype=np.float32)
    covered = (asked * np.minimum(asked, said)).sum(axis=-1) / total
    return np.asarray(covered * certainty(sentences), dtype=np.float32)


def confidence(found: NDArray[np.float32], question: NDArray[np.float32], known: float) -> NDArray[np.float32]:
    """Give conf(q, a) from s(q, a); `known` is the share of the question's words that policies use."""
    return np.asarray(found * (certainty(question) + known) / 2, dtype=np.float32)
