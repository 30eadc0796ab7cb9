"""Train the is-policy classifier: a linear model a zone, stacked with counts into one linear, calibrated model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.clean.policyhood import MODEL, ZONES, Features, features
from smallprint.errors import MissingExtra
from smallprint.evaluate import corpus
from smallprint.evaluate.corpus import Sample
from smallprint.evaluate.is_policy import evidence
from smallprint.evaluate.measures import classified
from smallprint.models import store

SEED = 20_261_115
FOLDS = 5
# How strongly weights are held back, chosen by cross-validation over the training pages.
LOOSENESS = {"body": 10.0, "url": 3.0, "title": 3.0, "lead": 3.0, "headings": 3.0}
STACK_LOOSENESS = 0.3
# Unlabelled DMOZ pages of which a first model is this sure teach the second, each a tenth of a labelled one.
SURE, SURE_WEIGHT, MOST_SURE = 0.95, 0.1, 6000
LEAST_WORDS = 10


@dataclass(frozen=True, slots=True)
class Set:
    """Pages as numbers: a sparse matrix a zone, the counts, the truth (-1 where there is none), and their groups."""

    ids: list[str]
    zones: dict[str, Any]
    counts: NDArray[np.float64]
    truth: NDArray[np.int64]
    groups: list[str]

    def at(self, places: NDArray[np.int64]) -> Set:
        """Give some of the pages."""
        picked = places.tolist()
        return Set(
            [self.ids[place] for place in picked],
            {name: matrix[places] for name, matrix in self.zones.items()},
            self.counts[places],
            self.truth[places],
            [self.groups[place] for place in picked],
        )


def train(data: Path, where: Path, say: Callable[[str], None], folds: int = FOLDS) -> dict[str, Any]:
    """Train on everything but the test split and what is kept for evaluation; write weights, card and predictions."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "training needs scikit-learn; run 'make train-install' or pip install 'smallprint[train]'"
        ) from None
    say("reading pages")
    every = _numbers(list(training_pages(data)))
    labelled, unlabelled = every.at(np.flatnonzero(every.truth >= 0)), every.at(np.flatnonzero(every.truth < 0))
    say(f"{len(labelled.ids):,} labelled pages, {len(unlabelled.ids):,} without a label")
    first = _fit(labelled, None, _split(labelled, folds))
    said = _probabilities(first, unlabelled)
    sure = np.random.default_rng(SEED).permutation(np.flatnonzero((said > SURE) | (said < 1 - SURE)))[:MOST_SURE]
    taught = unlabelled.at(sure)
    taught = Set(taught.ids, taught.zones, taught.counts, (said[sure] > 0.5).astype(np.int64), taught.groups)
    say(f"{len(sure):,} of those, clear to the first model, teach the second")
    model = _fit(labelled, taught, _split(labelled, folds))
    out_of_fold = _out_of_fold(labelled, folds)
    measured = classified((labelled.truth == 1).tolist(), out_of_fold.tolist(), 0.5)
    store.save(MODEL, _packed(model), where)
    card = {
        "model": MODEL,
        "data": "ota_pages_html, other_pages_html, opp115_pages_html and dmoz_policies, without the test split and what is "
        "kept for evaluation; labels of 1,000 DMOZ pages are our own (evaluate/splits/dmoz_train_labels.tsv)",
        "labelled": len(labelled.ids),
        "policies": int((labelled.truth == 1).sum()),
        "self-taught": len(sure),
        "seed": SEED,
        f"{folds}-fold by site": measured,
    }
    (where / f"{MODEL}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    lines = (json.dumps({"id": i, "score": round(float(p), 6)}) for i, p in zip(labelled.ids, out_of_fold, strict=True))
    (where / f"{MODEL}.out-of-fold.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return card


def training_pages(data: Path) -> Iterator[Sample]:
    """Give every page that may be trained on: nothing of the test split's sites and services, nothing kept for evaluation."""
    names = corpus.excluded(data)
    tested = _tested(data)
    mended = {row["id"]: row["label"] for row in corpus.listed("is_policy_mended")}
    labels = corpus.dmoz_labels("dmoz_train_labels")
    for sample in chain(
        corpus.ota_pages(data), corpus.other_pages(data), corpus.opp115_pages(data), corpus.dmoz_pages(data, labels)
    ):
        if corpus.is_excluded(sample, names) or tested & {sample.id, sample.group, corpus.site(sample.url)}:
            continue
        label = mended.get(sample.id, sample.label)
        yield Sample(sample.id, sample.url, sample.html, sample.text, label, sample.group)


def _tested(data: Path) -> frozenset[str]:
    ids = {row["id"] for row in corpus.listed("is_policy_test")}
    found = set(ids)
    for sample in chain(corpus.ota_pages(data), corpus.other_pages(data)):
        if sample.id in ids:
            found |= {sample.group, corpus.site(sample.url)}
    held = corpus.dmoz_labels("dmoz_test_labels")
    for sample in corpus.dmoz_pages(data, held):
        if sample.label:
            found |= {sample.id, sample.group, corpus.site(sample.url)}
    return frozenset(found - {""})


def _read(sample: Sample) -> tuple[str, str, str, Features, int] | None:
    found, spoken = evidence(sample)
    if spoken != "en" or len(found.hashes) < LEAST_WORDS:
        return None
    return sample.id, sample.label, corpus.site(sample.url) or sample.group, features(found), len(found.hashes)


def _numbers(samples: list[Sample]) -> Set:
    from scipy.sparse import csr_matrix

    with ProcessPoolExecutor() as pool:
        found = [row for row in pool.map(_read, samples, chunksize=50) if row is not None]
    zones = {}
    for name, bits in ZONES.items():
        vectors = [row[3].zones[name] for row in found]
        ends = np.cumsum([0, *(len(vector.places) for vector in vectors)])
        values, places = (np.concatenate([getattr(v, part) for v in vectors]) for part in ("values", "places"))
        zones[name] = csr_matrix((values, places, ends), shape=(len(found), 1 << bits))
    truth = np.array([{"policy": 1, "other": 0}.get(row[1], -1) for row in found], dtype=np.int64)
    return Set(
        [row[0] for row in found], zones, np.stack([row[3].counts for row in found]), truth, [row[2] for row in found]
    )


@dataclass(frozen=True, slots=True)
class _Model:
    zones: dict[str, NDArray[np.float64]]
    counts: NDArray[np.float64]
    bias: float


def _split(pages: Set, folds: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    from sklearn.model_selection import GroupKFold

    return list(GroupKFold(folds, shuffle=True, random_state=SEED).split(pages.counts, pages.truth, pages.groups))


def _zone_models(pages: Set, taught: Set | None) -> dict[str, tuple[NDArray[np.float64], float]]:
    from scipy.sparse import vstack
    from sklearn.linear_model import LogisticRegression

    found = {}
    for name, looseness in LOOSENESS.items():
        matrix, truth, weight = pages.zones[name], pages.truth, np.ones(len(pages.truth))
        if taught is not None:
            matrix = vstack([matrix, taught.zones[name]])
            truth = np.concatenate([truth, taught.truth])
            weight = np.concatenate([weight, np.full(len(taught.truth), SURE_WEIGHT)])
        fitted = LogisticRegression(C=looseness, max_iter=3000).fit(matrix, truth, sample_weight=weight)
        found[name] = (fitted.coef_[0], float(fitted.intercept_[0]))
    return found


def _scores(models: dict[str, tuple[NDArray[np.float64], float]], pages: Set) -> NDArray[np.float64]:
    return np.stack([pages.zones[name] @ weights + bias for name, (weights, bias) in models.items()], axis=1)


def _fit(pages: Set, taught: Set | None, split: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> _Model:
    """Fit zones, then weigh them by scores that each page got from models that had not seen its site."""
    from sklearn.linear_model import LogisticRegression

    unseen = np.zeros((len(pages.ids), len(ZONES)))
    for seen, held in split:
        unseen[held] = _scores(_zone_models(pages.at(seen), taught), pages.at(held))
    stacked = np.concatenate([unseen, pages.counts], axis=1)
    mean, spread = stacked.mean(axis=0), stacked.std(axis=0) + 1e-9
    stack = LogisticRegression(C=STACK_LOOSENESS, max_iter=5000).fit((stacked - mean) / spread, pages.truth)
    factors = stack.coef_[0] / spread
    bias = float(stack.intercept_[0] - (factors * mean).sum())
    zones = {}
    for place, (name, (weights, zone_bias)) in enumerate(_zone_models(pages, taught).items()):
        zones[name] = factors[place] * weights
        bias += float(factors[place] * zone_bias)
    return _Model(zones, factors[len(ZONES) :], bias)


def _probabilities(model: _Model, pages: Set) -> NDArray[np.float64]:
    score = pages.counts @ model.counts + model.bias
    for name, weights in model.zones.items():
        score = score + pages.zones[name] @ weights
    return np.asarray(1 / (1 + np.exp(-score)), dtype=np.float64)


def _out_of_fold(pages: Set, folds: int) -> NDArray[np.float64]:
    """Judge every page by a model of labelled pages that had not seen its site."""
    said = np.zeros(len(pages.ids))
    for seen, held in _split(pages, folds):
        part = pages.at(seen)
        said[held] = _probabilities(_fit(part, None, _split(part, folds)), pages.at(held))
    return said


def _packed(model: _Model) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {name: weights.astype(np.float16) for name, weights in model.zones.items()}
    return {**arrays, "counts": model.counts.astype(np.float32), "bias": np.array(model.bias, dtype=np.float32)}
