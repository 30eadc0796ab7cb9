"""smallprint_qa: our own questions on real policies, every sentence labelled, with the state of each answer.

A folder holds `policies.jsonl.zst` (policy, service, date, sentences with index, heading, text) and
`questions.jsonl.zst` (id, policy, question, source, answers, related, state); without labels the last three are absent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.sentences import Sentence
from smallprint.errors import NoData
from smallprint.evaluate.answering import (
    ANSWERED,
    CONFLICTING,
    NOT_PRIVACY,
    SILENT,
    STATES,
    UNSURE,
    Answerer,
    Question,
    Reply,
    Sheet,
    answerer,
    ask,
    chosen_systems,
    measured,
    only,
    sentences,
    write,
)
from smallprint.evaluate.corpus import listed, rows
from smallprint.evaluate.measures import auc, brier, calibration_error
from smallprint.evaluate.ranked import Figures, Floats, Places, best_first, threshold_at, with_intervals

TASK = "smallprint-qa"
POLICIES, QUESTIONS = "policies.jsonl.zst", "questions.jsonl.zst"
SPLIT = "ask_test"
TRUE_STATES = ("answered", "partly", "silent", "off-topic")
ANSWERABLE = frozenset({"answered", "partly"})
# What may be said of a question by its true state. Where general words alone cover it, unsure is as good as answered;
# where the policy is silent it is not as good as silent: the two are to be told apart.
RIGHT = {
    "answered": {ANSWERED, CONFLICTING},
    "partly": {ANSWERED, CONFLICTING, UNSURE},
    "silent": {SILENT},
    "off-topic": {NOT_PRIVACY},
}
# The same where all that counts is that nobody is misled: none of the three claims an answer that is not there.
HARMLESS = {
    **RIGHT,
    "silent": {SILENT, UNSURE, NOT_PRIVACY},
    "off-topic": {SILENT, UNSURE, NOT_PRIVACY},
}
STILL_ANSWERED = 0.95
# Where no sentence is shown, these many of the best ranked stand for what would have been.
SHOWN_FIRST = 3


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy of the collection; places of sentences are their indices."""

    id: str
    service: str
    date: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the places that answer it and those that bear on it; `state` is "" where nobody said.

    `source` is "real" for a crowd worker's question and "own" for one written from the service's name.
    """

    id: str
    policy: str
    text: str
    source: str
    answers: tuple[int, ...]
    related: tuple[int, ...]
    state: str

    @property
    def relevant(self) -> frozenset[int]:
        """All places that one of several experts might mark."""
        return frozenset(self.answers) | frozenset(self.related)


@dataclass(frozen=True, slots=True)
class Collection:
    """Policies by id, and the questions on them in the file's order."""

    policies: dict[str, Policy]
    questions: tuple[Asked, ...]


def load(folder: Path) -> Collection:
    """Read a folder."""
    policies = {}
    for number, row in enumerate(rows(folder / POLICIES), 1):
        try:
            policies[row["policy"]] = _policy(row)
        except (KeyError, TypeError, ValueError) as error:
            raise NoData(f"line {number} of {folder / POLICIES} is no policy ({error!r})") from None
    questions = []
    for number, row in enumerate(rows(folder / QUESTIONS), 1):
        try:
            questions.append(_asked(row, len(policies[row["policy"]].sentences)))
        except (KeyError, TypeError, ValueError) as error:
            raise NoData(f"line {number} of {folder / QUESTIONS} is no question on them ({error!r})") from None
    return Collection(policies, tuple(questions))


def held() -> frozenset[str]:
    """Give the ids of the policies that are kept out of all training."""
    return frozenset(row["id"] for row in listed(SPLIT))


def sheets(collection: Collection) -> list[Sheet]:
    """Give the policies with their questions, to be asked."""
    by_policy: dict[str, list[Question]] = defaultdict(list)
    for one in collection.questions:
        every = tuple(range(len(collection.policies[one.policy].sentences)))
        by_policy[one.policy].append(Question(one.id, one.text, every, one.relevant if one.state else None))
    return [
        Sheet(name, policy.sentences, tuple(range(len(policy.sentences))), tuple(by_policy[name]))
        for name, policy in collection.policies.items()
    ]


def evaluate(
    data: Path,
    systems: Sequence[str] | None = None,
    ids: frozenset[str] | None = None,
    predictions: Path | None = None,
    by: Answerer | None = None,
) -> dict[str, Any]:
    """Measure on all of a folder, or on the policies of the research data that are kept out of training."""
    own = not (data / POLICIES).is_file()
    folder = data / "labelled" / "smallprint_qa" if own else data
    collection = load(folder)
    wanted = ids if ids is not None else held() if own else None
    by = by or answerer()
    names = chosen_systems(TASK, systems, by.systems)
    replies = list(ask(by, only(sheets(collection), wanted), names))
    if predictions is not None:
        write(predictions, replies)
    known = [one for one in replies if one.question.relevant is not None]
    result: dict[str, Any] = {
        "task": TASK,
        "data": "smallprint_qa, policies kept out of training" if own and ids is None else folder.resolve().name,
        "n": len(known),
    }
    if known:
        asked = {one.id: one for one in collection.questions}
        truth = [asked[one.question.id] for one in known]
        result["policies"] = len({one.policy for one in truth})
        all_relevant = measured(known, names, [one.relevant for one in truth])
        answers = measured(known, names, [frozenset(one.answers) for one in truth], "answers/")
        result["systems"] = {name: all_relevant[name] | answers[name] for name in names}
        if known[0].decided is not None:
            result["systems"][names[0]] |= decisions(known, truth)
            result["by_state"] = by_state(known, truth)
    return result


def decisions(replies: Sequence[Reply], truth: Sequence[Asked]) -> dict[str, Any]:
    """Measure states, how well silence is told from answers, and the confidence.

    An answer is right where the policy answers, wholly or partly, and one of the three sentences shown at first is an
    answer; where none is shown, one of the three best ranked.
    """
    decided = [one.decided for one in replies if one.decided is not None]
    right = [one.state in RIGHT[true.state] for one, true in zip(decided, truth, strict=True)]
    harmless = [one.state in HARMLESS[true.state] for one, true in zip(decided, truth, strict=True)]
    correct = np.array([_is_right(one, true) for one, true in zip(replies, truth, strict=True)], dtype=np.float64)
    confidence = np.array([one.confidence for one in decided], dtype=np.float64)
    rates = np.array([right, harmless, correct], dtype=np.float64).T

    def overall(which: Places) -> list[float]:
        error = calibration_error(correct[which], confidence[which])
        return [*rates[which].mean(axis=0), error, brier(correct[which], confidence[which])]

    names = ("state_accuracy", "state_harmless", "right", "ECE", "Brier")
    figures = with_intervals(names, overall, len(decided))
    scores = np.array([one.answerable for one in decided], dtype=np.float64)
    states = np.array([one.state for one in truth])
    for state in ("silent", "off-topic"):
        figures |= _told_apart(state, scores, states)
    return dict(figures)


def by_state(replies: Sequence[Reply], truth: Sequence[Asked]) -> dict[str, dict[str, int]]:
    """Count what was said of the questions of each true state."""
    said = [(true.state, one.decided.state) for one, true in zip(replies, truth, strict=True) if one.decided]
    return {
        true: {"n": sum(one[0] == true for one in said), **{state: said.count((true, state)) for state in STATES}}
        for true in TRUE_STATES
        if any(one[0] == true for one in said)
    }


def _told_apart(state: str, scores: Floats, states: NDArray[np.str_]) -> Figures:
    """Measure the share below the threshold that 95 % of the answerable questions still reach, and the AUC."""
    answerable, negative = np.isin(states, sorted(ANSWERABLE)), states == state
    if not answerable.any() or not negative.any():
        return {}

    def measure(which: Places) -> tuple[float, float]:
        high, low = scores[which][answerable[which]], scores[which][negative[which]]
        if not len(high) or not len(low):
            return float("nan"), float("nan")
        truth = np.concatenate([np.ones(len(high)), np.zeros(len(low))])
        return float((low < threshold_at(high, STILL_ANSWERED)).mean()), auc(truth, np.concatenate([high, low]))

    return with_intervals((f"{state}_at_95", f"{state}_AUC"), measure, len(states))


def _is_right(reply: Reply, truth: Asked) -> bool:
    assert reply.decided is not None
    shown = reply.decided.chosen or best_first(next(iter(reply.scores.values()))).tolist()
    return truth.state in ANSWERABLE and bool(set(shown[:SHOWN_FIRST]) & set(truth.answers))


def _policy(row: dict[str, Any]) -> Policy:
    ordered = sorted(row["sentences"], key=lambda one: int(one["index"]))
    if [one["index"] for one in ordered] != list(range(len(ordered))):
        raise ValueError("indices that do not count from 0")
    texts = sentences((str(one.get("heading") or ""), str(one["text"])) for one in ordered)
    return Policy(str(row["policy"]), str(row.get("service", "")), str(row.get("date", "")), texts)


def _asked(row: dict[str, Any], count: int) -> Asked:
    answers, related = (tuple(int(place) for place in row.get(name) or ()) for name in ("answers", "related"))
    state = str(row.get("state") or "")
    if state not in ("", *TRUE_STATES):
        raise ValueError(f"the state {state!r}")
    if not all(0 <= place < count for place in answers + related):
        raise ValueError("places that are no sentences")
    source = str(row.get("source", ""))
    return Asked(str(row["id"]), str(row["policy"]), str(row["question"]), source, answers, related, state)
