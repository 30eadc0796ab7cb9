"""Train the combiner on policies that no scorer has seen: how to weigh the scorers, and when to trust the outcome."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.asked import Asked, ask
from smallprint.ask.deciding import AT_FIRST, MOST_CHOSEN, QUESTION_FEATURES, question_features
from smallprint.ask.evidence import Evidence, gather
from smallprint.ask.features import CHEAP, CHEAP_SCORERS, FULL, PARTS, READ, cheap_features, full_features
from smallprint.ask.kit import Kit, kit
from smallprint.ask.rankers import RANKERS, RESCORED, read
from smallprint.evaluate import smallprint_qa
from smallprint.models import store
from smallprint.models.combiner import NAME, UNREAD_DROP, weighing
from smallprint.models.reader import Reading
from smallprint.train import pairs
from smallprint.train.weighing import Rows, logistic, ordered

SEED = 1
# A sentence that answers counts so much more than one that is related.
ANSWER_WEIGHT = 2.0
# So many of the questions that a policy answers are answered; and of so few it is said that the policy is silent. What
# lies between is unsure: to be told wrongly that nothing is said is worse than to be shown what comes closest.
STILL_ANSWERED, NOT_SILENCED = 0.95, 0.02
# What the reader says of relevance counts so much more than it is worth on the tuning policies: their questions were
# written as those were that finder and reader learnt from, and on people's own the reader holds its ground better.
# Chosen on PrivacyQA's development questions; of 1 to 4 all above 1 are better there (docs/decisions/0006-answers.md).
LEANING = 1.5
LEANT_ON = frozenset(READ) - {"informativeness"}


@dataclass(slots=True)
class _Seen:
    """A question on a tuning policy, and what was made of it."""

    asked: Asked
    evidence: Evidence
    truth: smallprint_qa.Asked
    cheap: NDArray[np.float32]
    readings: list[Reading | None]

    @property
    def bears(self) -> NDArray[np.bool_]:
        return np.isin(np.arange(len(self.evidence)), list(self.truth.relevant))

    @property
    def weights(self) -> NDArray[np.float64]:
        return np.where(np.isin(np.arange(len(self.evidence)), self.truth.answers), ANSWER_WEIGHT, 1.0)


def train(data: Path, where: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Fit all weights and thresholds; write weights and card."""
    collection = smallprint_qa.load(data / "labelled" / "smallprint_qa")
    chosen = pairs.tuning()
    questions = [one for one in collection.questions if one.policy in chosen]
    say(f"{len(questions)} questions on {len(chosen)} policies")
    models = kit()
    evidence = {name: gather(collection.policies[name].sentences, models.labeller, models.finder) for name in chosen}
    seen = [_look(one, evidence[one.policy], models) for one in questions]
    arrays = _looks("first", CHEAP, _rows(seen, lambda one: one.cheap, _every))
    for one in seen:
        first = one.cheap @ arrays["first_weights"] + arrays["first_bias"]
        best = np.argsort(-first, kind="stable")[:RESCORED]
        for place, reading in zip(
            best.tolist(), read(one.asked.question.text, one.evidence, best, models), strict=True
        ):
            one.readings[place] = reading
    say("read")
    arrays |= _looks("full", FULL, _rows(seen, lambda one: full_features(one.cheap, one.readings), _was_read))
    scores = [_combined(one, arrays, _was_read(one)) for one in seen]
    arrays["chosen_from"] = np.array(_best_cut(seen, scores), dtype=np.float32)
    arrays |= _states(seen, scores, float(arrays["chosen_from"]))
    path = store.save(NAME, arrays, where)
    card = {
        "model": NAME,
        "version": store.version(NAME, where),
        "made": datetime.now(tz=UTC).date().isoformat(),
        "data": "the policies of smallprint_qa in evaluate/splits/ask_tuning.tsv, which no scorer was trained on",
        "questions": len(questions),
        "first look": _told(CHEAP, arrays["first_weights"]),
        "full": _told(FULL, arrays["full_weights"]),
        "answerable": _told(QUESTION_FEATURES, arrays["answerable_weights"]),
        "confidence": _told(QUESTION_FEATURES, arrays["confidence_weights"]),
        "thresholds": {
            name: round(float(arrays[name]), 3)
            for name in ("chosen_from", "answered_from", "silent_below", "foreign_from")
        },
        "bytes": path.stat().st_size,
    }
    (where / f"{NAME}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return card


def _every(one: _Seen) -> NDArray[np.bool_]:
    return np.ones(len(one.evidence), dtype=bool)


def _was_read(one: _Seen) -> NDArray[np.bool_]:
    return np.array([reading is not None for reading in one.readings])


def _look(truth: smallprint_qa.Asked, evidence: Evidence, models: Kit) -> _Seen:
    asked = ask(truth.text, models)
    cheap = cheap_features(evidence, {name: RANKERS[name](asked, evidence, models) for name in CHEAP_SCORERS})
    return _Seen(asked, evidence, truth, cheap, [None] * len(evidence))


def _rows(
    seen: Sequence[_Seen],
    features: Callable[[_Seen], NDArray[np.float32]],
    where: Callable[[_Seen], NDArray[np.bool_]],
) -> Rows:
    kept = [where(one) for one in seen]
    sizes = [int(one.sum()) for one in kept]
    return Rows(
        np.concatenate([features(one)[rows] for one, rows in zip(seen, kept, strict=True)]),
        np.concatenate([one.bears[rows] for one, rows in zip(seen, kept, strict=True)]),
        np.concatenate([one.weights[rows] for one, rows in zip(seen, kept, strict=True)]),
        np.repeat(np.arange(len(seen)), sizes),
        np.repeat(np.array([one.truth.policy for one in seen]), sizes),
    )


def _looks(name: str, columns: Sequence[str], rows: Rows) -> dict[str, NDArray[Any]]:
    """Fit a look at sentences, and one without each part: what is left out weighs nothing."""
    found = ordered(name, rows)
    for part, left_out in PARTS.items():
        kept = np.array([column not in left_out for column in columns])
        whole = weighing(name, part)
        own = ordered(whole, rows.only(kept))
        spread = np.zeros(len(columns), dtype=np.float32)
        spread[kept] = own[f"{whole}_weights"]
        found |= own | {f"{whole}_weights": spread}
    leant_on = np.array([column in LEANT_ON for column in columns])
    return leaning(found, np.where(leant_on, LEANING, 1.0).astype(np.float32), rows.features.mean(axis=0))


def leaning(
    looks: dict[str, NDArray[Any]], times: NDArray[np.float32], mean: NDArray[np.float32]
) -> dict[str, NDArray[Any]]:
    """Let features count so many times as much in every look; what is said of a middling sentence stays."""
    found = dict(looks)
    for name in [name.removesuffix("_weights") for name in looks if name.endswith("_weights")]:
        before = looks[f"{name}_weights"]
        found[f"{name}_weights"] = before * times
        found[f"{name}_bias"] = looks[f"{name}_bias"] - np.float32(mean @ (before * (times - 1)))
    return found


def _combined(one: _Seen, arrays: dict[str, NDArray[Any]], was_read: NDArray[np.bool_]) -> NDArray[np.float32]:
    found = full_features(one.cheap, one.readings) @ arrays["full_weights"] + arrays["full_bias"]
    return np.asarray(np.where(was_read, found, found - UNREAD_DROP), dtype=np.float32)


def _best_cut(seen: Sequence[_Seen], scores: Sequence[NDArray[np.float32]]) -> float:
    """Give the logit from which sentences are chosen so that F1 over all pairs is best."""

    def f1(cut: float) -> float:
        hits = chosen = true = 0
        for one, found in zip(seen, scores, strict=True):
            best = np.argsort(-found, kind="stable")[:MOST_CHOSEN]
            picked = best[found[best] >= cut]
            hits, chosen, true = hits + int(one.bears[picked].sum()), chosen + len(picked), true + int(one.bears.sum())
        return 2 * hits / max(1, chosen + true)

    return max((step / 10 for step in range(-25, 25)), key=f1)


def _states(seen: Sequence[_Seen], scores: Sequence[NDArray[np.float32]], cut: float) -> dict[str, NDArray[Any]]:
    facts = np.stack([
        question_features(one.asked, one.evidence, found, one.readings)
        for one, found in zip(seen, scores, strict=True)
    ])  # fmt: skip
    groups = np.array([one.truth.policy for one in seen])
    answerable = np.array([one.truth.state in smallprint_qa.ANSWERABLE for one in seen])
    foreign = np.array([one.truth.state == "off-topic" for one in seen])
    right = np.array([_is_right(one, found, cut) for one, found in zip(seen, scores, strict=True)])
    fitted = {
        "answerable": logistic("answerable", facts, answerable, groups),
        "foreign": logistic("foreign", facts, foreign, groups),
        "confidence": logistic("confidence", facts, answerable & right, groups),
    }
    arrays = {name: array for one in fitted.values() for name, array in one.arrays.items()}
    said = fitted["answerable"].said[answerable]
    thresholds = {
        "answered_from": np.quantile(said, 1 - STILL_ANSWERED),
        "silent_below": np.quantile(said, NOT_SILENCED),
        "foreign_from": _best_threshold(fitted["foreign"].said, foreign, [step / 20 for step in range(4, 18)]),
    }
    return arrays | {name: np.array(value, dtype=np.float32) for name, value in thresholds.items()}


def _is_right(one: _Seen, scores: NDArray[np.float32], cut: float) -> bool:
    """Tell whether one of the sentences that would be shown at first answers the question."""
    best = np.argsort(-scores, kind="stable")[:MOST_CHOSEN]
    shown = [int(place) for place in best if scores[place] >= cut] or best.tolist()
    return bool(set(shown[:AT_FIRST]) & set(one.truth.answers))


def _best_threshold(said: NDArray[np.float64], truth: NDArray[np.bool_], cuts: Sequence[float]) -> float:
    """Give the cut from which on F1 is best."""

    def f1(cut: float) -> float:
        picked = said >= cut
        return 2 * float((picked & truth).sum()) / max(1.0, float(picked.sum() + truth.sum()))

    return max(cuts, key=f1)


def _told(names: Sequence[str], weights: NDArray[Any]) -> dict[str, float]:
    return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}
