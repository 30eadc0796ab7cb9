"""Fit linear weights on a few dozen features: for a yes or no, and for the order of a policy's sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from smallprint.models.logistic import sigmoid

FOLDS = 5
STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
HOLDS = (3.0, 10.0, 30.0, 100.0)
# The yes or no of one sentence counts so much, beside its place among the sentences of its policy.
SINGLY = 0.03


@dataclass(frozen=True, slots=True)
class Rows:
    """Sentences with their features, those of a question together."""

    features: NDArray[np.float32]
    truth: NDArray[np.bool_]
    weights: NDArray[np.float64]
    questions: NDArray[np.intp]
    policies: NDArray[Any]

    def only(self, columns: NDArray[np.bool_]) -> Rows:
        """Leave features out."""
        return Rows(self.features[:, columns], self.truth, self.weights, self.questions, self.policies)

    def at(self, places: NDArray[np.intp]) -> Rows:
        """Leave rows out."""
        return Rows(
            self.features[places],
            self.truth[places],
            self.weights[places],
            self.questions[places],
            self.policies[places],
        )


class Fitted(NamedTuple):
    """Weights for the features as they are, and what was said of each row by weights that had not seen its policy."""

    arrays: dict[str, NDArray[Any]]
    said: NDArray[np.float64]


def logistic(name: str, features: NDArray[np.float32], truth: NDArray[np.bool_], groups: NDArray[Any]) -> Fitted:
    """Fit weights for a yes or no, held back as strongly as is best on policies left out."""
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-6
    scaled = (features - mean) / spread

    def left_out(strength: float) -> NDArray[np.float64]:
        said = np.zeros(len(truth))
        for seen, unseen in _folds(groups):
            model = LogisticRegression(C=strength, max_iter=2000).fit(scaled[seen], truth[seen])
            said[unseen] = np.clip(model.predict_proba(scaled[unseen])[:, 1], 1e-6, 1 - 1e-6)
        return said

    every = {strength: left_out(strength) for strength in STRENGTHS}
    best = max(every, key=lambda strength: np.log(np.where(truth, every[strength], 1 - every[strength])).sum())
    model = LogisticRegression(C=best, max_iter=2000).fit(scaled, truth)
    return Fitted(_as_they_are(name, np.append(model.coef_[0], model.intercept_[0]), mean, spread), every[best])


def ordered(name: str, rows: Rows) -> dict[str, NDArray[Any]]:
    """Fit weights that put a question's sentences in order, and whose sum is the logit that a sentence bears on it."""
    mean, spread = rows.features.mean(axis=0), rows.features.std(axis=0) + 1e-6
    scaled = Rows((rows.features - mean) / spread, rows.truth, rows.weights, rows.questions, rows.policies)

    def left_out(hold: float) -> float:
        return sum(
            _loss(_least(scaled.at(seen), hold), scaled.at(unseen), 0.0)[0] for seen, unseen in _folds(rows.policies)
        )

    return _as_they_are(name, _least(scaled, min(HOLDS, key=left_out)), mean, spread)


def _least(rows: Rows, hold: float) -> NDArray[np.float64]:
    start = np.zeros(rows.features.shape[1] + 1)
    return np.asarray(minimize(_loss, start, (rows, hold), jac=True, method="L-BFGS-B").x)


def _loss(found: NDArray[np.float64], rows: Rows, hold: float) -> tuple[float, NDArray[np.float64]]:
    """Give the loss and its slope.

    It is the cross-entropy between the softmax of a question's sentences and those that bear on it, to which each
    sentence's own cross-entropy is added: the first puts in order, the second tells a policy that says something from
    one that is silent.
    """
    weights, bias = found[:-1], found[-1]
    logits = rows.features @ weights
    starts = np.flatnonzero(np.diff(rows.questions, prepend=rows.questions[0] - 1))
    sizes = np.diff(starts, append=len(logits))

    def over(values: NDArray[np.float64], how: np.ufunc = np.add) -> NDArray[np.float64]:
        return np.repeat(how.reduceat(values, starts), sizes)

    bears = np.where(rows.truth, rows.weights, 0.0)
    shares = bears / np.maximum(over(bears), 1e-9)
    raised = np.exp(logits - over(logits, np.maximum))
    softmax = raised / over(raised)
    single = logits + bias
    loss = (
        0.5 * hold * weights @ weights
        - shares @ np.log(np.maximum(softmax, 1e-300))
        + SINGLY * rows.weights @ (np.logaddexp(0, single) - rows.truth * single)
    )
    apart = SINGLY * rows.weights * (sigmoid(single) - rows.truth)
    pull = softmax * over(shares) - shares + apart
    return float(loss), np.append(hold * weights + rows.features.T @ pull, apart.sum())


def _folds(groups: NDArray[Any]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    return list(GroupKFold(min(FOLDS, len(set(groups.tolist())))).split(groups, groups=groups))


def _as_they_are(
    name: str, found: NDArray[np.float64], mean: NDArray[np.float32], spread: NDArray[np.float32]
) -> dict[str, NDArray[Any]]:
    """Turn weights for scaled features into such for features as they are."""
    own = found[:-1] / spread
    return {f"{name}_weights": own.astype(np.float32), f"{name}_bias": np.array(found[-1] - mean @ own, np.float32)}
