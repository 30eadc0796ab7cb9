"""Train the combiner on policies that no scorer has seen: how to weigh the scorers, and when to trust the outcome.

Weights are linear, on a few dozen features: for a yes or no, and for the order of a policy's sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from smallprint.ask.answer.decision import (
    AT_FIRST,
    MOST_CHOSEN,
    QUESTION_FEATURES,
    SAYS,
    form,
    question_features,
    smoothed,
)
from smallprint.ask.model_set import Kit, kit
from smallprint.ask.question.analysis import Asked, ask
from smallprint.ask.ranking.evidence import Evidence, gather
from smallprint.ask.ranking.features import CHEAP, CHEAP_SCORERS, FULL, PARTS, cheap_features, full_features
from smallprint.ask.ranking.rankers import RANKERS, RESCORED, read
from smallprint.datasets import verdicts
from smallprint.datasets.verdicts import AskedItem
from smallprint.models.combiner import NAME, UNREAD_DROP, Combiner, weighing
from smallprint.models.logistic import sigmoid
from smallprint.models.reader import Reading
from smallprint.train.frame import Rows as Places
from smallprint.train.frame import at, out_of_fold, split, write_model

# A sentence that answers counts so much more than one that is related.
ANSWER_WEIGHT = 2.0
# So many of the questions that a policy answers are answered; and of so few it is said that the policy is silent. What
# lies between is unsure: to be told wrongly that nothing is said is worse than to be shown what comes closest.
STILL_ANSWERED, NOT_SILENCED = 0.87, 0.05
# A yes or no is said where three in four of those said are right, and it is likelier than not; else the words speak.
SAID_RIGHT = 0.75
# A feature that varies less is taken for one that is the same everywhere.
LEAST_SPREAD = 0.05
# The logit of what was never met.
NEVER = -60.0
FOLDS = 5
STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
HOLDS = (3.0, 10.0, 30.0, 100.0)
# The yes or no of one sentence counts so much, beside its place among the sentences of its policy.
SINGLY = 0.03


@dataclass(slots=True)
class _Case:
    """A question on a tuning policy, and by sentence what the reader said, where it read, and the final score."""

    asked: Asked
    evidence: Evidence
    truth: AskedItem
    cheap: NDArray[np.float32]
    readings: list[Reading | None]
    scores: NDArray[np.float32]

    @property
    def bears(self) -> NDArray[np.bool_]:
        return np.isin(np.arange(len(self.evidence)), [*self.truth.answers, *self.truth.related])

    @property
    def was_read(self) -> NDArray[np.bool_]:
        return np.array([reading is not None for reading in self.readings])

    @property
    def best(self) -> NDArray[np.intp]:
        return np.argsort(-self.scores, kind="stable")[:MOST_CHOSEN]

    @property
    def full(self) -> NDArray[np.float32]:
        return full_features(self.cheap, self.readings)


def train(data: Path, where: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Fit all weights and thresholds; write weights and card."""
    labels = verdicts.load_all(data).only(verdicts.tuning())
    questions = [*labels.asked, *labels.narrow]
    say(f"{len(questions)} questions on {len(labels.policies)} policies")
    models = kit()
    evidence = {name: gather(own, models.labeller, models.finder) for name, own in labels.policies.items()}
    cases = [_case(question, evidence[question.policy], models) for question in questions]
    arrays = _looks("first", CHEAP, _rows(cases, [(case.cheap, np.ones(len(case.evidence), bool)) for case in cases]))
    for case in cases:
        first = case.cheap @ arrays["first_weights"] + arrays["first_bias"]
        best = np.argsort(-first, kind="stable")[:RESCORED]
        readings = read(case.asked.question.text, case.evidence, best, models)
        for place, reading in zip(best.tolist(), readings, strict=True):
            case.readings[place] = reading
    say("read")
    arrays |= _looks("full", FULL, _rows(cases, [(case.full, case.was_read) for case in cases]))
    for case in cases:
        full = case.full @ arrays["full_weights"] + arrays["full_bias"]
        case.scores = np.asarray(np.where(case.was_read, full, full - UNREAD_DROP), dtype=np.float32)
    arrays["chosen_from"] = np.array(_best_cut(cases), dtype=np.float32)
    arrays |= _forms(cases)
    models.combiner = Combiner(arrays=arrays)  # what follows asks whether a question is open
    arrays |= _states(cases, float(arrays["chosen_from"]), models)
    thresholds = ("chosen_from", "bearing_from", "answered_from", "silent_below", "said_from", "foreign_from")
    facts = {
        "data": "asked and narrow questions on the policies in datasets/splits/ask_tuning.tsv and verdicts_tuning.tsv, "
        "which no scorer was trained on",
        "questions": len(questions),
        "full": _told(FULL, arrays["full_weights"]),
        "answerable": _told(QUESTION_FEATURES, arrays["answerable_weights"]),
        "confidence": _told(QUESTION_FEATURES, arrays["confidence_weights"]),
        "thresholds": {name: round(float(arrays[name]), 3) for name in thresholds},
        "first look": _told(CHEAP, arrays["first_weights"]),
    }
    return write_model(NAME, where, arrays, facts)


def _case(truth: AskedItem, evidence: Evidence, models: Kit) -> _Case:
    asked = ask(truth.question, models)
    cheap = cheap_features(evidence, {name: RANKERS[name](asked, evidence, models) for name in CHEAP_SCORERS})
    return _Case(asked, evidence, truth, cheap, [None] * len(evidence), np.zeros(len(evidence), dtype=np.float32))


def _rows(cases: Sequence[_Case], looks: Sequence[tuple[NDArray[np.float32], NDArray[np.bool_]]]) -> Rows:
    """Put cases into rows, each with the features and the sentences that a look has of it."""
    rows = []
    for number, (case, (features, kept)) in enumerate(zip(cases, looks, strict=True)):
        places = np.flatnonzero(kept)
        weights = np.where(np.isin(places, case.truth.answers), ANSWER_WEIGHT, 1.0)
        of_case = (np.repeat(value, len(places)) for value in (number, case.truth.policy))
        rows.append((features[kept], case.bears[kept], weights, *of_case))
    return Rows(*map(np.concatenate, zip(*rows, strict=True)))


def _looks(name: str, columns: Sequence[str], rows: Rows) -> dict[str, NDArray[Any]]:
    """Fit a look at sentences, and one without each part: what is left out weighs nothing."""
    looks = ordered(name, rows)
    for part, left_out in PARTS.items():
        kept = np.array([column not in left_out for column in columns])
        whole = weighing(name, part)
        own = ordered(whole, replace(rows, features=rows.features[:, kept]))
        spread = np.zeros(len(columns), dtype=np.float32)
        spread[kept] = own[f"{whole}_weights"]
        looks |= own | {f"{whole}_weights": spread}
    return looks


def _best_cut(cases: Sequence[_Case]) -> float:
    """Return the logit from which sentences are chosen so that F1 over all pairs is best."""
    true = sum(int(case.bears.sum()) for case in cases)
    scores, bears = (np.concatenate([getattr(case, of)[case.best] for case in cases]) for of in ("scores", "bears"))
    return _best_threshold(scores, bears, [step / 10 for step in range(-25, 25)], true)


def _forms(cases: Sequence[_Case]) -> dict[str, NDArray[Any]]:
    """Learn which questions are open, as "how long" is; off-topic ones are neither."""
    told = [case for case in cases if case.truth.kind != "off-topic"]
    facts = np.stack([form(case.asked) for case in told])
    is_open = np.array([case.truth.kind == "open" for case in told])
    return logistic("open", facts, is_open, np.array([case.truth.policy for case in told])).arrays


def _states(cases: Sequence[_Case], cut: float, models: Kit) -> dict[str, NDArray[Any]]:
    """Learn whether a policy answers, what it says if it does, and how sure one has to be to say so."""
    facts = np.stack(
        [question_features(case.asked, case.evidence, case.scores, case.readings, models) for case in cases]
    )
    groups = np.array([case.truth.policy for case in cases])
    answerable = np.array([bool(case.truth.answers) for case in cases])
    foreign = np.array([case.truth.kind == "off-topic" for case in cases])
    right = np.array([_is_right(case, cut) for case in cases])
    truths = {"answerable": answerable, "foreign": foreign, "confidence": answerable & right}
    fitted = {name: logistic(name, facts, truth, groups) for name, truth in truths.items()}
    arrays = {name: array for model in fitted.values() for name, array in model.arrays.items()}
    is_said = np.array([case.truth.verdict in SAYS and bool(case.truth.answers) for case in cases])
    verdict = np.array(
        [SAYS.index(case.truth.verdict) if told else -1 for case, told in zip(cases, is_said, strict=True)]
    )
    says = multinomial("says", facts[is_said], verdict[is_said], groups[is_said], len(SAYS))
    probabilities = fitted["answerable"].predicted
    of_said = probabilities[is_said] * says.predicted.max(axis=1)
    flat = says.predicted.argmax(axis=1) < 2
    is_right = says.predicted.argmax(axis=1) == verdict[is_said]
    thresholds = {
        "answered_from": np.quantile(probabilities[answerable], 1 - STILL_ANSWERED),
        "silent_below": np.quantile(probabilities[answerable], NOT_SILENCED),
        "said_from": _least_sure(of_said[flat], is_right[flat]),
        "foreign_from": _best_threshold(fitted["foreign"].predicted, foreign, [step / 20 for step in range(4, 18)]),
        "bearing_from": _best_bearing(cases),
    }
    return arrays | says.arrays | {name: np.array(value, dtype=np.float32) for name, value in thresholds.items()}


def _least_sure(stated: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Return the confidence from which on a yes or no is right as often as is wanted."""
    cuts = [step / 50 for step in range(25, 48)]
    return next((cut for cut in cuts if right[stated >= cut].sum() >= SAID_RIGHT * (stated >= cut).sum()), cuts[-1])


def _best_bearing(cases: Sequence[_Case]) -> float:
    """Return the smoothed score from which on all that bears on a question is shown, so that F1 is best."""
    scores = np.concatenate([smoothed(case.scores, case.readings) for case in cases])
    bears = np.concatenate([case.bears for case in cases])
    return _best_threshold(scores, bears, [step / 10 for step in range(-35, 25)])


def _is_right(case: _Case, cut: float) -> bool:
    """Return whether one of the sentences that would be shown at first answers the question."""
    first = [int(place) for place in case.best if case.scores[place] >= cut] or case.best.tolist()
    return not set(first[:AT_FIRST]).isdisjoint(case.truth.answers)


def _best_threshold(
    scores: NDArray[Any], truth: NDArray[np.bool_], cuts: Sequence[float], true: int | None = None
) -> float:
    """Return the cut from which on F1 is best; `true` is how many there are in all, if more than were scored."""
    total = float(truth.sum()) if true is None else true

    def f1(cut: float) -> float:
        picked = scores >= cut
        return 2 * float((picked & truth).sum()) / max(1.0, float(picked.sum() + total))

    return max(cuts, key=f1)


def _told(names: Sequence[str], weights: NDArray[Any]) -> dict[str, float]:
    return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}


@dataclass(frozen=True, slots=True)
class Rows:
    """Sentences with their features, those of a question together."""

    features: NDArray[np.float32]
    truth: NDArray[np.bool_]
    weights: NDArray[np.float64]
    questions: NDArray[np.intp]
    policies: NDArray[Any]


def spread_of(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how far features are spread; one that hardly varies where it is learnt is to weigh next to nothing."""
    spread = features.std(axis=0)
    return np.asarray(np.where(spread < LEAST_SPREAD, 1 / LEAST_SPREAD, spread), dtype=np.float32)


class Fitted(NamedTuple):
    """Weights for the features as they are, and what was said of each row by weights that had not seen its policy."""

    arrays: dict[str, NDArray[Any]]
    predicted: NDArray[np.float64]


def logistic(name: str, features: NDArray[np.float32], truth: NDArray[np.bool_], groups: NDArray[Any]) -> Fitted:
    """Fit weights for a yes or no, held back as strongly as is best on policies left out."""
    mean, spread = features.mean(axis=0), spread_of(features)
    scaled = (features - mean) / spread

    def predicted(strength: float, seen: Places, unseen: Places) -> NDArray[np.float64]:
        model = LogisticRegression(C=strength, max_iter=2000).fit(scaled[seen], truth[seen])
        return np.asarray(np.clip(model.predict_proba(scaled[unseen])[:, 1], 1e-6, 1 - 1e-6))

    folds = split(groups, FOLDS)
    every = {strength: out_of_fold(folds, partial(predicted, strength), len(truth)) for strength in STRENGTHS}
    best = max(every, key=lambda strength: np.log(np.where(truth, every[strength], 1 - every[strength])).sum())
    model = LogisticRegression(C=best, max_iter=2000).fit(scaled, truth)
    return Fitted(_as_they_are(name, np.append(model.coef_[0], model.intercept_[0]), mean, spread), every[best])


def multinomial(
    name: str, features: NDArray[np.float32], truth: NDArray[np.intp], groups: NDArray[Any], classes: int
) -> Fitted:
    """Fit weights for one of several things, held back as strongly as is best; what was never met is never told."""
    mean, spread = features.mean(axis=0), spread_of(features)
    scaled = (features - mean) / spread

    def predicted(strength: float, seen: Places, unseen: Places) -> NDArray[np.float64]:
        model = LogisticRegression(C=strength, max_iter=2000).fit(scaled[seen], truth[seen])
        told = np.full((len(unseen), classes), 1e-6)
        told[:, model.classes_] = model.predict_proba(scaled[unseen])
        return told

    folds, places = split(groups, FOLDS), np.arange(len(truth))
    every = {
        strength: out_of_fold(folds, partial(predicted, strength), len(truth), classes)
        for strength in (strength / 10 for strength in STRENGTHS)
    }
    best = max(every, key=lambda strength: np.log(np.maximum(every[strength][places, truth], 1e-6)).sum())
    model = LogisticRegression(C=best, max_iter=2000).fit(scaled, truth)
    weights = np.zeros((len(mean), classes))
    bias = np.full(classes, NEVER)
    weights[:, model.classes_] = model.coef_.T / spread[:, None]
    bias[model.classes_] = model.intercept_ - mean @ weights[:, model.classes_]
    arrays = {f"{name}_weights": weights.astype(np.float32), f"{name}_bias": bias.astype(np.float32)}
    return Fitted(arrays, every[best])


def ordered(name: str, rows: Rows) -> dict[str, NDArray[Any]]:
    """Fit weights that put a question's sentences in order, and whose sum is the logit that a sentence bears on it."""
    mean, spread = rows.features.mean(axis=0), rows.features.std(axis=0) + 1e-6
    scaled = replace(rows, features=(rows.features - mean) / spread)

    def least(rows: Rows, hold: float) -> NDArray[np.float64]:
        start = np.zeros(rows.features.shape[1] + 1)
        return np.asarray(minimize(_loss, start, (rows, hold), jac=True, method="L-BFGS-B").x)

    def left_out(hold: float) -> float:
        return sum(_loss(least(at(scaled, seen), hold), at(scaled, unseen), 0.0)[0] for seen, unseen in folds)

    folds = split(rows.policies, FOLDS)
    return _as_they_are(name, least(scaled, min(HOLDS, key=left_out)), mean, spread)


def _loss(point: NDArray[np.float64], rows: Rows, hold: float) -> tuple[float, NDArray[np.float64]]:
    """Return the loss and its slope: the cross-entropy of each question's softmax, and that of each sentence alone.

    The first puts sentences in order, the second tells a policy that says something from one that is silent.
    """
    weights, bias = point[:-1], point[-1]
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


def _as_they_are(
    name: str, scaled: NDArray[np.float64], mean: NDArray[np.float32], spread: NDArray[np.float32]
) -> dict[str, NDArray[Any]]:
    """Turn weights for scaled features into such for features as they are."""
    own = scaled[:-1] / spread
    return {f"{name}_weights": own.astype(np.float32), f"{name}_bias": np.array(scaled[-1] - mean @ own, np.float32)}
