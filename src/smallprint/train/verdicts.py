"""Train the rule of verdicts: from what is said in a policy's sentences, out of fold, to what the policy says.

All questions share weights, and each has its own beside them, held back more strongly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from smallprint.ask.verdict.card import stances_of
from smallprint.ask.verdict.features import card_features
from smallprint.card import CODES, STANCES, VERDICTS
from smallprint.datasets.verdicts import AskedItem, Labels
from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.card import NAME as CARD
from smallprint.models.card import TOWER
from smallprint.models.verdicts import NAME
from smallprint.train.card import OUT_OF_FOLD
from smallprint.train.card_material import DATA, learnt_from
from smallprint.train.frame import Rows, out_of_fold, split, write_model

SEED = 1
FOLDS = 6
# How strongly weights are held back, and how much less a question's own weights count than the shared ones.
STRENGTHS, OWN = (0.03, 0.1, 0.3), 0.3


def train(data: Path, where: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Fit the rule; write weights and card."""
    labels = learnt_from(data)
    logits = []
    for reader in (CARD, TOWER):
        path = where / f"{reader}.work" / OUT_OF_FOLD
        if not path.is_file():
            raise NoModel(f"{path} is not there; run 'smallprint train {reader}' first, into the same folder")
        logits.append(np.load(path).reshape(-1, len(CODES), len(STANCES)))
    arrays, figures = fit(labels, np.stack([stances_of(own) for own in logits]), say)
    facts = {
        "data": f"what the card's readers say out of fold of the policies that it learns from: {DATA}",
        "card readers": [store.version(reader, where) for reader in (CARD, TOWER)],
        "seed": SEED,
        f"{FOLDS} folds by policy": {name: round(value, 4) for name, value in figures.items()},
    }
    commonest_ones = {"majority": majority(labels)}
    commonest_ones |= {f"majority_{kind}": commonest(getattr(labels, kind)) for kind in ("asked", "narrow")}
    return write_model(NAME, where, arrays | commonest_ones, facts)


def fit(
    labels: Labels, stances: NDArray[np.float32], say: Callable[[str], None]
) -> tuple[dict[str, NDArray[Any]], dict[str, float]]:
    """Fit weights to stances; also return how good they are on policies left out."""
    features = features_of(labels, stances)
    cards = np.array([CODES.index(item.card) for item in labels.card])
    truth = np.array([VERDICTS.index(item.verdict) for item in labels.card])
    rows = np.stack([features[item.policy][card] for item, card in zip(labels.card, cards.tolist(), strict=True)])
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    design = _design((rows - mean) / spread, cards)
    folds = split([item.policy for item in labels.card], FOLDS, SEED)

    def predicted(strength: float) -> NDArray[np.float64]:
        def predict(seen: Rows, unseen: Rows) -> NDArray[np.float64]:
            return _told(_fitted(design[seen], truth[seen], strength), design[unseen])

        return out_of_fold(folds, predict, len(truth), len(VERDICTS))

    every = {strength: predicted(strength) for strength in STRENGTHS}
    places = np.arange(len(truth))
    best = max(every, key=lambda strength: np.log(np.maximum(every[strength][places, truth], 1e-6)).sum())
    figures = measured(every[best], truth) | {"strength": best}
    say(", ".join(f"{name} {value:.3f}" for name, value in figures.items()))
    weights, bias = _spread(_fitted(design, truth, best), rows.shape[1])
    return {"mean": mean, "spread": spread, "weights": weights, "bias": bias}, figures


def features_of(labels: Labels, stances: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """Return each policy's features from the probabilities of stances by reader, sentences policy by policy."""
    features, start = {}, 0
    for name, own in labels.policies.items():
        features[name] = card_features(stances[:, start : start + len(own)])
        start += len(own)
    return features


def measured(told: NDArray[np.float64], truth: NDArray[np.intp]) -> dict[str, float]:
    """Return accuracy and the share of yes for no and no for yes."""
    given = told.argmax(axis=1)
    polar = (given < 2) & (truth < 2)
    return {"accuracy": float((given == truth).mean()), "opposed": float((polar & (given != truth)).mean())}


def majority(labels: Labels) -> NDArray[np.float32]:
    """Return the commonest verdict of each question of the card, and its share."""
    pairs = []
    for code in CODES:
        verdicts = [item.verdict for item in labels.card if item.card == code]
        ((verdict, count),) = Counter(verdicts).most_common(1)
        pairs.append((VERDICTS.index(verdict), count / len(verdicts)))
    return np.array(pairs, dtype=np.float32)


def commonest(items: Sequence[AskedItem]) -> NDArray[np.float32]:
    """Return the commonest verdict of questions, and its share; open ones that nobody settled are left out."""
    counts = Counter(item.verdict for item in items if item.verdict in VERDICTS)
    ((verdict, count),) = counts.most_common(1)
    return np.array([VERDICTS.index(verdict), count / counts.total()], dtype=np.float32)


def _design(scaled: NDArray[np.float32], cards: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return the shared features, then each question's own and its bias, which are 0 in the rows of others."""
    own = np.zeros((len(scaled), len(CODES), scaled.shape[1] + 1), dtype=np.float32)
    own[np.arange(len(scaled)), cards, :-1] = scaled * OWN
    own[np.arange(len(scaled)), cards, -1] = 1.0
    return np.concatenate([scaled, own.reshape(len(scaled), -1)], axis=1)


def _fitted(design: NDArray[np.float32], truth: NDArray[np.intp], strength: float) -> LogisticRegression:
    return LogisticRegression(C=strength, max_iter=400).fit(design, truth)


def _told(model: LogisticRegression, design: NDArray[np.float32]) -> NDArray[np.float64]:
    told = np.zeros((len(design), len(VERDICTS)))
    told[:, model.classes_] = model.predict_proba(design)
    return told


def _spread(model: LogisticRegression, width: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return weights and bias by question, feature and verdict; a verdict that was never met is never given."""
    coefficients = model.coef_.T
    own = coefficients[width:].reshape(len(CODES), width + 1, -1)
    weights = np.zeros((len(CODES), width, len(VERDICTS)), dtype=np.float32)
    bias = np.full((len(CODES), len(VERDICTS)), -60.0, dtype=np.float32)
    weights[:, :, model.classes_] = coefficients[:width] + OWN * own[:, :-1]
    bias[:, model.classes_] = model.intercept_ + own[:, -1]
    return weights, bias
