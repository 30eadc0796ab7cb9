"""PrivacyQA and smallprint_qa: rankings, chosen sentences, states and confidence; PolicyQA: the words that answer.

Each of PrivacyQA's experts' marks are in the published table alone. Two empty sets of sentences agree wholly, an empty
one with any other not at all. PolicyQA's exact match and F1 are SQuAD's (Rajpurkar et al. 2016): of words in lower
case, without punctuation and articles; the best over all answers that are given for a question.
"""

from __future__ import annotations

import re
import string
from collections import Counter, defaultdict
from collections.abc import Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.answer.decision import State
from smallprint.ask.model_set import kit
from smallprint.ask.ranking.rankers import COMBINED
from smallprint.datasets import policyqa, privacyqa, smallprint_qa
from smallprint.datasets.privacyqa import Experts
from smallprint.datasets.questions import only
from smallprint.datasets.smallprint_qa import ANSWERABLE, Asked
from smallprint.evaluate import measures
from smallprint.evaluate.answering import STATES, Reply, ask_all, measured
from smallprint.evaluate.measures import Figures, Floats, Places, means, with_intervals
from smallprint.evaluate.tasks import Order, Outcome
from smallprint.models.reader import PASSAGE_WINDOW, Read

# What may be said of a question by its true state. Where general words alone cover it, unsure is as good as answered;
# where the policy is silent it is not as good as silent: the two are to be told apart.
RIGHT = {
    "answered": {State.ANSWERED, State.CONFLICTING},
    "partly": {State.ANSWERED, State.CONFLICTING, State.UNSURE},
    "silent": {State.SILENT},
    "off-topic": {State.FOREIGN},
}
# The same where all that counts is that nobody is misled: none of the three claims an answer that is not there.
NO_ANSWER = {State.SILENT, State.UNSURE, State.FOREIGN}
HARMLESS = RIGHT | {"silent": NO_ANSWER, "off-topic": NO_ANSWER}
STILL_ANSWERED = 0.95
# Where no sentence is shown, these many of the best ranked stand for what would have been.
SHOWN_FIRST = 3
ARTICLES = re.compile(r"\b(?:a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)

Agreement = tuple[float, float, float]
Marks = frozenset[int]


def evaluate_privacyqa(order: Order) -> Outcome:
    """Measure on a folder, on the published table, or on the two development policies of the research data."""
    path = order.data
    if not path.is_file() and not (path / "segments.tsv").is_file():
        path = path / privacyqa.PUBLISHED if (path / privacyqa.PUBLISHED).is_file() else path / privacyqa.DEVELOPMENT
    policies, experts = (privacyqa.load(path), Experts()) if path.is_dir() else privacyqa.load_published(path)
    replies = ask_all(order, policies)
    known = [reply for reply in replies if reply.question.relevant is not None]
    relevant = [reply.question.relevant or frozenset() for reply in known]
    outcome = Outcome(
        "/".join(path.resolve().parts[-2:]),
        [(reply.question.id, sorted(true)) for reply, true in zip(known, relevant, strict=True)],
        predictions=(reply.prediction() for reply in replies),
    )
    if known:
        outcome.tables = {"answerable": sum(map(bool, relevant))}
        outcome.systems = dict(measured(known, relevant))
        if known[0].decision is not None:
            outcome.systems[COMBINED] |= silences(known, relevant) | against_experts(known, experts)
        outcome.systems |= human(experts, frozenset(reply.question.id for reply in known))
    return outcome


def silences(replies: Sequence[Reply], relevant: Sequence[Marks]) -> Figures:
    """Measure whether a policy is called silent where nothing is relevant, and only there; unsure is not silent."""
    silent = {State.SILENT, State.FOREIGN}
    called = np.array([reply.decision is not None and reply.decision.state in silent for reply in replies])
    true = np.array([not places for places in relevant])
    figures = means(["silent_accuracy"], (called == true).astype(np.float64)[:, None])
    precision, recall, _ = measures.precision_recall_f1(true, called)
    return figures | {"silent_precision": precision, "silent_recall": recall}


def against_experts(replies: Sequence[Reply], experts: Experts) -> Figures:
    """Compare what was chosen with sets of all experts but one, as the paper does, with the best expert, with all."""
    pairs = [
        (frozenset(reply.decision.bearing) & set(reply.question.candidates), experts[reply.question.id])
        for reply in replies
        if reply.decision is not None and experts.get(reply.question.id)
    ]
    if not pairs:
        return {}
    left_out = [_best_of([chosen] * len(others), others) for chosen, others in pairs]
    f1s = [[agreement(chosen, other)[2] for other in others] for chosen, others in pairs]
    return _mean(left_out) | {
        "max_expert_F1": float(np.mean([max(scores) for scores in f1s])),
        "mean_expert_F1": float(np.mean([np.mean(scores) for scores in f1s])),
    }


def human(experts: Experts, asked: frozenset[str]) -> dict[str, Figures]:
    """Compare each expert with the best of the others, where there are two or more, as a system `human`."""
    rows = [_best_of(marks, marks) for name, marks in experts.items() if name in asked and len(marks) > 1]
    return {"human": {**_mean(rows), "n": len(rows)}} if rows else {}


def agreement(chosen: Marks, truth: Marks) -> Agreement:
    """Return precision, recall and F1 of a set against another; 1 where both are empty."""
    if not chosen or not truth:
        same = float(chosen == truth)
        return same, same, same
    hits = len(chosen & truth)
    return hits / len(chosen), hits / len(truth), 2 * hits / (len(chosen) + len(truth))


def evaluate_smallprint_qa(order: Order) -> Outcome:
    """Measure on all of a folder, or on the policies of the research data that are kept out of training."""
    own = not (order.data / smallprint_qa.POLICIES).is_file()
    folder = order.data / smallprint_qa.FOLDER if own else order.data
    collection = smallprint_qa.load(folder)
    is_split = own and order.ids is None
    replies = ask_all(order, only(collection.policies.values(), smallprint_qa.held() if is_split else None))
    known = [reply for reply in replies if reply.question.relevant is not None]
    asked = {question.id: question for question in collection.questions}
    truth = [asked[reply.question.id] for reply in known]
    outcome = Outcome(
        "smallprint_qa, policies kept out of training" if is_split else folder.resolve().name,
        [(question.id, [question.answers, question.related, question.state]) for question in truth],
        predictions=(reply.prediction() for reply in replies),
    )
    if known:
        outcome.tables = {"policies": len({question.policy for question in truth})}
        relevant = measured(known, [question.relevant for question in truth])
        answers = measured(known, [frozenset(question.answers) for question in truth], "answers/")
        outcome.systems = {system: figures | answers[system] for system, figures in relevant.items()}
        if known[0].decision is not None:
            outcome.systems[COMBINED] |= decision_figures(known, truth)
            outcome.tables["by_state"] = by_state(known, truth)
    return outcome


def decision_figures(replies: Sequence[Reply], truth: Sequence[Asked]) -> Figures:
    """Measure states, how well silence is told from answers, and the confidence."""
    decisions = [reply.decision for reply in replies if reply.decision is not None]
    right, harmless = (
        [decision.state in states[true.state] for decision, true in zip(decisions, truth, strict=True)]
        for states in (RIGHT, HARMLESS)
    )
    correct = np.array([_is_right(reply, true) for reply, true in zip(replies, truth, strict=True)], dtype=np.float64)
    confidence = np.array([decision.first_right for decision in decisions], dtype=np.float64)
    rates = np.array([right, harmless, correct], dtype=np.float64).T

    def overall(which: Places) -> list[float]:
        error = measures.calibration_error(correct[which], confidence[which])
        return [*rates[which].mean(axis=0), error, measures.brier(correct[which], confidence[which])]

    names = ("state_accuracy", "state_harmless", "right", "ECE", "Brier")
    figures = with_intervals(names, overall, len(decisions))
    scores = np.array([decision.answerable for decision in decisions], dtype=np.float64)
    states = np.array([asked.state for asked in truth])
    for state in ("silent", "off-topic"):
        figures |= _told_apart(state, scores, states)
    return figures


def by_state(replies: Sequence[Reply], truth: Sequence[Asked]) -> dict[str, dict[str, int]]:
    """Count what was said of the questions of each true state."""
    pairs = [(true.state, reply.decision.state) for reply, true in zip(replies, truth, strict=True) if reply.decision]
    counts = Counter(true for true, _ in pairs)
    return {
        true: {"n": counts[true], **{state: pairs.count((true, state)) for state in STATES}}
        for true in smallprint_qa.STATES
        if counts[true]
    }


def evaluate_policyqa(order: Order) -> Outcome:
    """Measure on a file, or on the development set of the research data; ids are of questions or policies."""
    order.choose()
    path = order.data / policyqa.DEVELOPMENT if order.data.is_dir() else order.data
    asked = [passage for passage in policyqa.load(path) if order.wants(passage.id, passage.policy)]
    spans = [find_span(passage.question, passage.context) for passage in asked]
    texts = [passage.context[start:end] for passage, (start, end) in zip(asked, spans, strict=True)]
    scores = {place: score(texts[place], passage.answers) for place, passage in enumerate(asked) if passage.answers}
    by_category = defaultdict(list)
    for place, row in scores.items():
        by_category[asked[place].type.partition("|||")[0]].append(row)
    categories = {
        name: {"n": len(rows), **dict(zip(("EM", "F1"), np.mean(rows, axis=0).tolist(), strict=True))}
        for name, rows in sorted(by_category.items())
        if name
    }
    return Outcome(
        "/".join(path.resolve().parts[-2:]),
        [(asked[place].id, asked[place].answers) for place in scores],
        {"default": means(("EM", "F1"), np.array([*scores.values()]))} if scores else {},
        {"by_category": categories} if categories else {},
        (
            {"id": passage.id, "policy": passage.policy, "span": [int(start), int(end)], "text": text}
            for passage, (start, end), text in zip(asked, spans, texts, strict=True)
        ),
    )


def find_span(question: str, context: str) -> tuple[int, int]:
    """Return the half-open range of the answer's characters by the reader alone; an empty one where there is none."""
    (reading,) = kit().reader.read(question, [Read(context)], PASSAGE_WINDOW)
    return reading.span.start, reading.span.end


def score(text: str, answers: Sequence[str]) -> tuple[float, float]:
    """Return exact match and F1 of an answer, each the best over the true ones."""
    return max(exact(text, answer) for answer in answers), max(f1(text, answer) for answer in answers)


def exact(text: str, truth: str) -> float:
    """Return whether two answers are the same but for case, punctuation, articles and blanks."""
    return float(_words(text) == _words(truth))


def f1(text: str, truth: str) -> float:
    """Return the F1 of an answer's words; 1 where both have none."""
    own, true = _words(text), _words(truth)
    if not own or not true:
        return float(own == true)
    return 2 * (Counter(own) & Counter(true)).total() / (len(own) + len(true))


def _words(text: str) -> list[str]:
    return ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split()


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
        below = low < measures.threshold_at(high, STILL_ANSWERED)
        return float(below.mean()), measures.auc(truth, np.concatenate([high, low]))

    return with_intervals((f"{state}_at_95", f"{state}_AUC"), measure, len(states))


def _is_right(reply: Reply, truth: Asked) -> bool:
    """Return whether the policy answers, if partly, and one of the first three sentences shown, or ranked, does so."""
    assert reply.decision is not None
    first = reply.decision.chosen or measures.best_first(next(iter(reply.scores.values()))).tolist()
    return truth.state in ANSWERABLE and bool(set(first[:SHOWN_FIRST]) & set(truth.answers))


def _best_of(chosen: Sequence[Marks], experts: Sequence[Marks]) -> Agreement:
    """Leave out each expert in turn, but never a single one; return the mean of the best agreements with the others."""
    best = []
    for place, own in enumerate(chosen):
        others = [*experts[:place], *experts[place + 1 :]] or experts
        best.append(max((agreement(own, other) for other in others), key=itemgetter(2)))
    precision, recall, f1 = np.mean(best, axis=0).tolist()
    return precision, recall, f1


def _mean(rows: Sequence[Agreement]) -> Figures:
    precision, recall, f1 = np.mean(rows, axis=0).tolist()
    return {
        "leave_one_out_precision": precision,
        "leave_one_out_recall": recall,
        "leave_one_out_F1": measures.harmonic(precision, recall),
        "leave_one_out_mean_F1": f1,
    }
