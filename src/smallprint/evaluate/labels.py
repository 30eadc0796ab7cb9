"""Benchmarks of labels: OPP-115's on segments (practices, polarity) and questions (question-mapping), and vague words.

Segments are of policies that nothing was trained on. Question mapping is CMU's closed QA: which category, attribute and
value a question is about; measured on a table of `datasets.questions`, or on PrivacyQA's flags of six apps held out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.kinds import WINDOWS
from smallprint.annotate.vagueness import Marker, countable, cues
from smallprint.datasets.corpus import listed_ids
from smallprint.datasets.opp115 import FOLDER, passages
from smallprint.datasets.privacyqa import TRAINING, flagged_questions, held_apps
from smallprint.datasets.questions import LEVELS, LabelledQuestion, load_labelled
from smallprint.datasets.vagueness import FILE, Marked, sentences
from smallprint.evaluate.measures import means, precision_recall_f1, rates
from smallprint.evaluate.tasks import Order, Outcome, compare
from smallprint.models.encoder import Encoder
from smallprint.models.labels import COLUMNS, PARENT, STUDENT, Bag, Labeller
from smallprint.models.mapper import Mapper, Nearest
from smallprint.models.windows import Windows
from smallprint.taxonomy import CATEGORIES, LABELS

LABELLERS: dict[str, Callable[[], Labeller]] = {"teacher": Encoder, "student": partial(Bag, STUDENT)}
MAPPERS: dict[str, Callable[[], Mapper | Nearest]] = {
    "mapper": Mapper,
    "bag of words": partial(Nearest, "words"),
    "bag of word clusters": partial(Nearest, "clusters"),
}
MARKERS: dict[str, Callable[[], Marker]] = {"teacher": Encoder, "student": partial(Windows, WINDOWS)}
CUE_WORDS = "cue words"
SEEN = "train.json, which the shipped models have seen: 'smallprint train' gives figures by fold"
_CATEGORIES = np.arange(len(CATEGORIES))
_VALUES = np.arange(len(CATEGORIES), len(LABELS))
_POLARITY = np.arange(len(LABELS), len(COLUMNS))

# From here on a label holds; kept in a byte it does from 128 on, which is the same.
LIKELY = 0.5

Matrix = NDArray[np.float32]
Truth = NDArray[np.bool_]


def labelling(order: Order) -> Outcome:
    """Measure on the test split of the research data, or on all of a folder in OPP-115's layout."""
    own = not (order.data / "sanitized_policies").is_dir()
    folder = order.data / FOLDER if own else order.data
    is_split = own and order.ids is None
    wanted = listed_ids("practices_test") if is_split else order.ids
    every = [passage for passage in passages(folder) if wanted is None or {passage.policy, passage.id} & wanted]
    texts = [passage.text for passage in every]
    measure = practices_measures if order.task == "practices" else polarity_measures

    def predict(row: Matrix) -> dict[str, Any]:
        likely = np.flatnonzero((row >= LIKELY) & (row[PARENT] >= LIKELY))
        return {"scores": _scores(row, 4), "labels": [str(COLUMNS[column]) for column in likely]}

    return compare(
        "OPP-115, PolicyQA's 20 development policies" if is_split else folder.name,
        every,
        {system: list(LABELLERS[system]().labels(texts)) for system in order.choose(LABELLERS)},
        lambda passage: {str(label): n for label, n in passage.votes.items()} if passage.annotators else None,
        lambda known, rows: measure(np.array([[p.holds(label) for label in COLUMNS] for p in known]), np.array(rows)),
        lambda _, rows: {"systems": {system: predict(row) for system, row in rows.items()}},
    )


def practices_measures(truth: Truth, probabilities: Matrix) -> dict[str, Any]:
    """Measure categories over all segments, and values where the truth has their category."""
    chosen = probabilities >= LIKELY
    by_category = {category.id: _row(truth[:, place], chosen[:, place]) for place, category in enumerate(CATEGORIES)}
    with_category = truth[:, PARENT][:, _VALUES]
    whole = chosen & chosen[:, PARENT]
    return {
        "micro_F1": precision_recall_f1(truth[:, _CATEGORIES], chosen[:, _CATEGORIES])[2],
        "macro_F1": _macro_f1(by_category.values()),
        "values_micro_F1": precision_recall_f1(truth[:, _VALUES][with_category], chosen[:, _VALUES][with_category])[2],
        "values_with_category_micro_F1": precision_recall_f1(truth[:, _VALUES], whole[:, _VALUES])[2],
        "by_category": by_category,
        "by_attribute": {
            f"{category.id} / {attribute.name}": _attribute(category.id, attribute.name, truth, chosen)
            for category in CATEGORIES
            for attribute in category.attributes
        },
    }


def polarity_measures(truth: Truth, probabilities: Matrix) -> dict[str, Any]:
    """Measure affirming and denying where the truth has a statement on collecting or sharing with either."""
    chosen = probabilities >= LIKELY
    rows: dict[str, tuple[list[bool], list[bool]]] = {"does": ([], []), "does not": ([], [])}
    for place in _POLARITY:
        stated = truth[:, [p for p in _POLARITY if PARENT[p] == PARENT[place]]].any(axis=1)
        true, picked = rows["does" if COLUMNS[place].value == "Does" else "does not"]
        true.extend(truth[stated, place].tolist())
        picked.extend(chosen[stated, place].tolist())
    by_answer = {name: _row(np.array(true), np.array(picked)) for name, (true, picked) in rows.items()}
    does, does_not = rows.values()
    return {
        "F1": precision_recall_f1(does[0] + does_not[0], does[1] + does_not[1])[2],
        "macro_F1": float(np.mean([row["F1"] for row in by_answer.values()])),
        "by_answer": by_answer,
    }


def question_mapping(order: Order) -> Outcome:
    """Measure on a TSV, or on PrivacyQA's questions on the apps that are held out; ids are of questions or apps."""
    own = order.data.is_dir()
    is_split = own and order.ids is None
    wanted = held_apps() if is_split else order.ids
    every = flagged_questions(order.data / TRAINING) if own else load_labelled(order.data)
    asked = [question for question in every if wanted is None or {question.id, question.group} & wanted]
    mappers = {system: MAPPERS[system]() for system in order.choose(MAPPERS)}
    return compare(
        "PrivacyQA's questions on six apps held out" if is_split else order.data.name,
        asked,
        {system: [mapper.map(question.text) for question in asked] for system, mapper in mappers.items()},
        lambda question: [sorted(level) for level in question.levels] if any(question.levels) else None,
        lambda known, rows: accuracy(known, np.array(rows)),
        lambda _, rows: {
            "labels": {system: dict(zip(LEVELS, top(row), strict=True)) for system, row in rows.items()},
            "scores": {system: _scores(row, 5) for system, row in rows.items()},
        },
    )


def accuracy(asked: Sequence[LabelledQuestion], probabilities: Matrix) -> dict[str, Any]:
    """Return the share of questions whose best category, attribute and value is acceptable, each with its number."""
    best = [top(row) for row in probabilities]
    figures: dict[str, Any] = {}
    for place, level in enumerate(LEVELS):
        pairs = [(names[place], q.levels[place]) for q, names in zip(asked, best, strict=True)]
        right = [name in acceptable for name, acceptable in pairs if acceptable]
        if right:
            figures |= means((level,), np.array(right, dtype=np.float64)[:, None])
            figures[f"{level}_n"] = len(right)
    return figures


def top(probabilities: Matrix) -> tuple[str, str, str]:
    """Return the best category, and the attribute and value of the best value over all categories."""
    # A value's probability is given its category, so the two are multiplied; what affirms or denies is no value.
    best = LABELS[_VALUES[(probabilities[_VALUES] * probabilities[PARENT[_VALUES]]).argmax()]]
    return LABELS[int(probabilities[_CATEGORIES].argmax())].category, best.attribute or "", best.value or ""


def vagueness(order: Order) -> Outcome:
    """Measure on a file; for the research data, which the shipped models have seen, the card has figures by fold."""
    path = order.data / FILE if order.data.is_dir() else order.data
    every = [sentence for sentence in sentences(path) if order.wants(sentence.id, sentence.document)]
    return compare(
        SEEN if order.data.is_dir() else path.name,
        every,
        {system: vague_words(every, system) for system in order.choose((*MARKERS, CUE_WORDS))},
        lambda sentence: None if sentence.votes is None else sentence.votes.tolist(),
        lambda known, rows: vagueness_measures([sentence.vague for sentence in known], rows),
        lambda sentence, rows: {
            "document": sentence.document,
            "vague_words": {system: np.flatnonzero(row).tolist() for system, row in rows.items()},
        },
    )


def vagueness_measures(truth: Sequence[Truth], chosen: Sequence[Truth]) -> dict[str, float]:
    """Return precision, recall and F1 over words, and over sentences with at least one vague word."""
    whole = rates([words.any() for words in truth], [words.any() for words in chosen], "sentence_")
    return rates(np.concatenate(truth), np.concatenate(chosen)) | whole


def vague_words(marked: Sequence[Marked], system: str) -> list[Truth]:
    """Return which words of each sentence a system calls vague."""
    if system == CUE_WORDS:
        alone = {cue for cue in cues() if " " not in cue}
        return [np.array([word.lower() in alone for word in sentence.words], dtype=bool) for sentence in marked]
    marker = MARKERS[system]()
    return [(marker.mark(s.words) >= marker.threshold) & countable(s.words) for s in marked]


def _attribute(category: str, name: str, truth: Truth, chosen: Truth) -> dict[str, float]:
    own = [place for place in _VALUES if (LABELS[place].category, LABELS[place].attribute) == (category, name)]
    rows = truth[:, PARENT[own[0]]]
    true, picked = truth[rows][:, own], chosen[rows][:, own]
    return {
        "micro_F1": precision_recall_f1(true, picked)[2],
        "macro_F1": _macro_f1(_row(true[:, place], picked[:, place]) for place in range(len(own))),
        "n": float(true.sum()),
    }


def _macro_f1(rows: Iterable[dict[str, float]]) -> float:
    """Return the mean F1 of what the truth has at all."""
    met = [row["F1"] for row in rows if row["n"]]
    return float(np.mean(met)) if met else 0.0


def _row(truth: Truth, chosen: Truth) -> dict[str, float]:
    return {**rates(truth, chosen), "n": int(truth.sum())}


def _scores(row: Matrix, digits: int) -> dict[str, float]:
    return {str(label): round(float(p), digits) for label, p in zip(COLUMNS, row, strict=True)}
