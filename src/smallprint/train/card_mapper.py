"""Train the card mapper: which question of the card a question means, from wordings, answers and other questions.

Weights are those of a ridge regression, solved at once. An invented sentence that speaks on a question of the card
teaches what the question means, as if it were a wording that counts less: learnt from the collection's wordings by
vectors alone, 78 % of our own first 2,100 are right with such sentences and 76 % without. Questions that mean none of
the card's are policies' narrow ones, everyday ones, and near misses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression

from smallprint.card import CODES, STANCES
from smallprint.datasets.corpus import table
from smallprint.datasets.verdicts import Contrast, Labels, Wording
from smallprint.models import store
from smallprint.models.card_mapper import (
    COLUMNS,
    MANY,
    MEANT,
    NAME,
    NAMELESS,
    NEAREST,
    NONE,
    OF_MANY,
    POLARITIES,
    SERVICE,
    TURNED,
    Views,
    evidence,
)
from smallprint.models.finder import NAME as FINDER
from smallprint.models.finder import Finder
from smallprint.models.towers import HOLDER, Base
from smallprint.models.vectors import NAME as VECTORS
from smallprint.models.vectors import Vectors, shipped
from smallprint.train.card_material import learnt_from
from smallprint.train.frame import at, split, write_model

SEED, FOLDS = 1, 4
# Wordings are held out by likeness of style: so many clusters of what their vectors have beyond their question's mean.
CLUSTERS = 40
# How strongly weights are held back.
HOLD = 0.3
# The group of a narrow question begins so.
NARROW = "narrow of"
# How much a twin counts, where a question counts 1.
TWIN = 0.3
# So large a share of narrow questions is taken for one of the card's: some do mean one ("do you obey my browser's
# don't-follow-me switch"). At 0.05 one is sure, and right, of 54 % of the wordings on one policy in a style
# not seen, at 0.08 of 63 %.
FALSE = 0.08
# The places of what a question may mean, the last being none.
MEANINGS = np.eye(len(CODES) + 1, dtype=np.float32)
NOTHING = len(CODES)
DATA = (
    "wordings without those of datasets/splits/wordings_test.tsv, wordings and near misses of our own, twins as the "
    "card reader learns from them; as what is none: the narrow questions of verdicts and verdicts_2026 on policies "
    "that may be learnt from, and everyday questions"
)


@dataclass(frozen=True, slots=True)
class Rows:
    """Questions and sentences by row: their features, what each column of the weights should say, how much that counts.

    `group` is what is held out together; `code` is the place of the question of the card, NOTHING for none. A column
    that has nothing to say of a row is NaN there.
    """

    features: NDArray[np.float32]
    targets: NDArray[np.float32]
    counts: NDArray[np.float32]
    group: NDArray[np.str_]
    code: NDArray[np.intp]


def train(data: Path, where: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Train on all, and out of fold to learn how sure one can be; write weights and card."""
    labels = learnt_from(data)
    finder, word_vectors = _models(where)
    near = [row["question"] for row in table(resources.files("smallprint.train") / "card_near_misses.tsv", ("near",))]
    everyday = (resources.files("smallprint.train") / "everyday.txt").read_text(encoding="utf-8").split("\n")
    texts = [wording.text.replace(NAMELESS, SERVICE) for wording in labels.wordings]
    centre: NDArray[np.float32] = np.stack([finder.embedding(text) for text in texts]).mean(axis=0)
    views = Views(finder, word_vectors, centre)

    def read(own: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([views.row(text, vector) for text, vector in zip(own, finder.vectors(own), strict=True)])

    asked = of_wordings(labels.wordings, read(texts))
    others = of_others(labels, [text for text in (*near, *everyday) if text], read)
    spoken = [twin for twin in labels.contrast if twin.stance != STANCES[0]]
    twins = of_twins(spoken, read([twin.sentence for twin in spoken]))
    say(f"{len(texts):,} wordings, {len(twins.code):,} twins, {len(others.code):,} questions that are none")
    scores = out_of_fold(stacked(asked, others), twins)
    weights = fit(stacked(asked, others, twins))
    certainty, polarity, sure_from, measured = calibrated(scores, asked, others)
    say(", ".join(f"{name} {value}" for name, value in measured.items()))
    facts = {
        "data": DATA,
        "vectors": {name: store.version(name, _folder(name, where)) for name in (FINDER, VECTORS)},
        "seed": SEED,
        "wordings": len(texts),
        "twins": len(twins.code),
        "none": len(others.code),
        f"{FOLDS} folds by style": measured,
    }
    arrays: dict[str, NDArray[Any]] = {
        "weights": weights.astype(np.float16), "centre": centre.astype(np.float16), "certainty": certainty,
        "polarity": polarity, "sure_from": np.array(sure_from, dtype=np.float32),
    }  # fmt: skip
    return write_model(NAME, where, arrays, facts)


def of_wordings(wordings: Sequence[Wording], features: NDArray[np.float32]) -> Rows:
    """Return the rows of wordings."""
    code = np.array([CODES.index(own.card) for own in wordings])
    targets = _targets(code)
    for row, own in enumerate(wordings):
        targets[row, MANY] = 1 if own.scope == "many" else -1
        # How people turn a question round is the same for one policy and for many.
        targets[row, TURNED] = {"-": 1, "+": -1}.get(own.polarity, np.nan)
        if own.scope == "many":
            targets[row, OF_MANY] = [own.polarity == polarity for polarity in POLARITIES]
    return Rows(features, targets, np.ones(len(wordings), dtype=np.float32), _styles(features, code), code)


def of_others(labels: Labels, others: Sequence[str], read: Callable[[Sequence[str]], NDArray[np.float32]]) -> Rows:
    """Return the rows of questions that mean none of the card's: narrow ones, held out by policy, and others."""
    narrow = [item.question for item in labels.narrow]
    code = np.full(len(narrow) + len(others), NOTHING)
    targets = _targets(code)
    targets[:, NEAREST] = np.nan
    groups = [f"{NARROW} {item.policy}" for item in labels.narrow] + [f"other {place}" for place in range(len(others))]
    return Rows(read([*narrow, *others]), targets, np.ones(len(code), dtype=np.float32), np.array(groups), code)


def of_twins(twins: Sequence[Contrast], features: NDArray[np.float32]) -> Rows:
    """Return the rows of invented sentences that speak on a question of the card, of which they tell the code alone."""
    code = np.array([CODES.index(twin.card) for twin in twins], dtype=np.intp)
    counts = np.full(len(twins), TWIN, dtype=np.float32)
    return Rows(features, _targets(code), counts, np.array(["twin"] * len(twins)), code)


def _targets(code: NDArray[np.intp]) -> NDArray[np.float32]:
    targets = np.full((len(code), COLUMNS), np.nan, dtype=np.float32)
    meanings = MEANINGS[code]
    targets[:, NEAREST], targets[:, MEANT], targets[:, NONE] = meanings[:, :-1], meanings[:, :-1], meanings[:, -1]
    return targets


def stacked(*parts: Rows) -> Rows:
    """Return the rows of all parts."""
    return Rows(*(np.concatenate([getattr(part, name) for part in parts]) for name in Rows.__slots__))


def fit(rows: Rows) -> NDArray[np.float32]:
    """Return the weights of a ridge regression, a column each; rows of which a column does not speak are left out."""
    weights = np.zeros((rows.features.shape[1], COLUMNS), dtype=np.float32)
    speaks = ~np.isnan(rows.targets)
    for pattern in np.unique(speaks, axis=1).T:
        columns = np.flatnonzero((speaks == pattern[:, None]).all(axis=0))
        features, counts = rows.features[pattern], rows.counts[pattern, None]
        system = features.T @ (features * counts) + HOLD * np.eye(features.shape[1], dtype=np.float32)
        weights[:, columns] = np.linalg.solve(system, (features * counts).T @ rows.targets[pattern][:, columns])
    return weights


def out_of_fold(rows: Rows, twins: Rows) -> NDArray[np.float32]:
    """Return of each row what weights say that have not seen its group."""
    scores = np.zeros((len(rows.code), COLUMNS), dtype=np.float32)
    for seen, unseen in split(rows.group, FOLDS, SEED):
        scores[unseen] = rows.features[unseen] @ fit(stacked(at(rows, seen), twins))
    return scores


def calibrated(
    scores: NDArray[np.float32], asked: Rows, others: Rows
) -> tuple[NDArray[np.float32], NDArray[np.float32], float, dict[str, Any]]:
    """Return how sure one can be of the code and of the polarity, from where one is sure, and what was measured."""
    own, count = scores[: len(asked.code)], len(asked.code)
    is_right = own[:, NEAREST].argmax(axis=1) == asked.code
    seen, known = evidence(scores), np.concatenate([is_right, np.zeros(len(others.code), dtype=bool)])
    rule = LogisticRegression(C=10.0, max_iter=1000).fit(seen, known)
    certainty = np.append(rule.coef_[0], rule.intercept_[0]).astype(np.float32)
    probabilities = rule.predict_proba(seen)[:, 1]
    is_narrow = np.char.startswith(others.group, NARROW)
    sure_from = float(np.quantile(probabilities[count:][is_narrow], 1 - FALSE))
    is_many = asked.targets[:, MANY] > 0
    is_mapped = is_right & (probabilities[:count] >= sure_from)
    turned, of_many = asked.targets[:, TURNED] > 0, asked.targets[is_many][:, OF_MANY].argmax(axis=1)
    one = LogisticRegression(C=10.0, fit_intercept=False).fit(own[~is_many, TURNED][:, None], turned[~is_many])
    polarity = np.array([one.coef_[0, 0], _sharpness(own[is_many][:, OF_MANY], of_many)], dtype=np.float32)
    measured = {
        "right of one": _share(is_right[~is_many]),
        "right of many": _share(is_right[is_many]),
        "right and sure of one": _share(is_mapped[~is_many]),
        "right and sure of many": _share(is_mapped[is_many]),
        "scope": _share((own[:, MANY] > 0) == is_many),
        "polarity of one": _share((own[~is_many, TURNED] > 0) == turned[~is_many]),
        "polarity of many": _share(own[is_many][:, OF_MANY].argmax(axis=1) == of_many),
        "others taken for the card's": _share(probabilities[count:][~is_narrow] >= sure_from),
    }
    return certainty, polarity, sure_from, measured


def _sharpness(scores: NDArray[np.float32], truth: NDArray[np.intp]) -> float:
    """Return by what scores are multiplied, so that their softmax is as sure as it is right."""

    def loss(by: float) -> float:
        logits = by * scores
        return float((np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(len(truth)), truth]).mean())

    return min((float(by) for by in np.arange(1, 21)), key=loss)


def _styles(features: NDArray[np.float32], code: NDArray[np.intp]) -> NDArray[np.str_]:
    means = np.stack(
        [features[code == place].mean(axis=0) if (code == place).any() else features[0] for place in range(NOTHING)]
    )
    count = min(CLUSTERS, len(features))
    found = KMeans(count, n_init=1, max_iter=20, random_state=SEED).fit_predict(features - means[code])
    return np.array([f"style {cluster}" for cluster in found])


def _models(where: Path) -> tuple[Finder, Vectors]:
    """Return finder and word vectors: those in the folder that is trained into, else the shipped."""
    holder = where if (where / f"{HOLDER}.npz").is_file() else None
    finder = Finder(Base(holder), _folder(FINDER, where))
    return finder, Vectors(where) if (where / f"{VECTORS}.npz").is_file() else shipped()


def _folder(name: str, where: Path) -> Path:
    return where if (where / f"{name}.npz").is_file() else store.folder()


def _share(truth: NDArray[np.bool_]) -> float:
    return round(float(truth.mean()), 4)
