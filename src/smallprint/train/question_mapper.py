"""Train the question mapper: categories and values of a question from its vector and its words; and CMU's mappings.

It learns from four kinds of questions, without what is kept for evaluation: PrivacyQA's, which people put and experts
sorted into seven categories; PolicyQA's, few wordings, each with its labels; our own, whose answers carry practices;
and everyday ones, which are on anything but privacy.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib import resources
from operator import contains
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from smallprint.datasets import policyqa, privacyqa, smallprint_qa
from smallprint.datasets.opp115 import Span, spans
from smallprint.datasets.privacyqa import FLAGS
from smallprint.datasets.questions import LabelledQuestion, load_labelled
from smallprint.datasets.smallprint_qa import Asked, Collection
from smallprint.evaluate.labels import accuracy
from smallprint.models.labels import Labeller, student
from smallprint.models.logistic import sigmoid
from smallprint.models.mapper import COLUMNS, FOREIGN, KINDS, NAME, Words, kind, spread
from smallprint.taxonomy import CATEGORIES, VALUE_LABELS, Label
from smallprint.text import words as words_of
from smallprint.train import baselines
from smallprint.train.frame import Rows, split, write_model
from smallprint.train.frame import out_of_fold as predicted_out_of_fold
from smallprint.train.heads import Linear, Read, fit, learn_words, matrix, reader

SEED = 1
FOLDS = 7
# How strongly weights are held back. For categories 0.1, 0.2 and 0.4 are alike over 7 folds by app (83.4, 83.2 and
# 83.5 % right), and the weakest tells best what is foreign; values have too few wordings to choose by.
HOLD, VALUE_HOLD = 0.1, 0.1
# Words and pairs of words in fewer questions are not learnt.
LEAST_QUESTIONS = 5
# What annotators marked teaches how a value is called; it is no question, so that it counts little, and a column apart
# takes up what all of it has in common. Of wordings left out 53 % get their value with it, 50 % without.
SPAN, SPANS_A_KIND, SPAN_WORDS, APART = 0.03, 150, 30, 3.0
WORDING_FOLDS = 3
_ATTRIBUTES = np.array([attribute for attribute, _ in KINDS])
_FIRST_KIND = FOREIGN + 1
# How much a question counts, by its kind: those that people put count most. With PrivacyQA's alone 81 % of categories
# are right over 7 folds by app, with all of them 84 %; without words and pairs of words, by the vector alone, 83 %.
REAL, POOL, OWN, EVERYDAY = 1.0, 0.3, 0.3, 1.0
# The same for whether one is foreign: short wordings and everyday questions teach that best, and of PrivacyQA's
# questions without a category many are on privacy ("do you sell any of my data?").
REAL_FOREIGN, POOL_FOREIGN, OWN_FOREIGN, EVERYDAY_FOREIGN = 0.3, 2.0, 1.0, 2.0
# What an answer's sentences say of practices is turned to how sure one is that the question is about them.
SHARPNESS = 8.0
# A question of so many words that has all of another's but one is the same one, put of another app.
LONG = 4
_PLACE = {category.id: place for place, category in enumerate(CATEGORIES)}


def train(data: Path, where: Path, say: Callable[[str], None], folds: int = FOLDS) -> dict[str, Any]:
    """Train the mapper and the baselines; write weights, card and out-of-fold predictions."""
    read, name = reader(where, say)
    material = Material(data, read)
    people, others = material.people, material.others
    say(f"{len(people):,} questions by people, {len(others):,} others; vectors of {name}")
    predictions = out_of_fold(material, folds)
    # The share of questions with a category whose likeliest one is among theirs.
    targets = np.stack([question.targets[:FOREIGN] for question in people])
    known = np.flatnonzero(targets.any(axis=1))
    right = float(targets[known, predictions[known, :FOREIGN].argmax(axis=1)].mean())
    say(f"{right:.3f} of categories right, {folds} folds by app")
    facts = {
        "data": "PrivacyQA's training questions without the apps of datasets/splits/question_mapping_test.tsv; "
        "PolicyQA's training wordings; smallprint_qa's training questions with what the practices student says of "
        "their answers; wordings and everyday questions of our own; OPP-115's annotated spans",
        "vectors": name,
        "questions": {"by people": len(people), "others": len(others)},
        "seed": SEED,
        "words and pairs": len(material.words.known),
        f"categories right, {folds} folds by app": round(right, 4),
        f"wordings left out, {WORDING_FOLDS} folds": _left_out(material),
    }
    first = fit_categories(material, people + others, material.words)
    second = fit_values(material, material.wordings)
    names = [*_PLACE, "foreign"]
    rows = (
        {"app": own.app, "question": own.text, "scores": {n: round(p, 5) for n, p in zip(names, row, strict=True)}}
        for own, row in zip(people, predictions.tolist(), strict=True)
    )
    card = write_model(NAME, where, packed(material.words, first, second), facts, rows)
    baselines.train_mappings(data, where, say)
    return card


class Material:
    """All that is learnt from, and the vectors of all texts, made once."""

    def __init__(self, data: Path, read: Read) -> None:
        asked = privacyqa.flagged_questions(data / privacyqa.TRAINING)
        apps = privacyqa.held_apps()
        left_out = [question.text for question in asked if question.group in apps]
        self.people = by_people([question for question in asked if question.group not in apps])
        wordings = {**policyqa.wordings(data), **own_wordings()}
        own = from_answers(*smallprint_qa.training(data), student())
        others = from_wordings(wordings) + own + everyday_questions()
        self.spans = chosen_spans(spans(data))
        texts = list(dict.fromkeys([*texts_of(self.people + others), *(text for text, _ in self.spans)]))
        self._vectors = dict(zip(texts, read(texts), strict=True))
        self.others = apart(others, left_out)
        kept = set(texts_of(self.others))
        self.wordings = {text: labels for text, labels in wordings.items() if text in kept}
        self.words = learn_words(texts_of(self.people + self.others), LEAST_QUESTIONS)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts."""
        return np.stack([self._vectors[text] for text in texts])


def out_of_fold(material: Material, folds: int) -> NDArray[np.float64]:
    """Return of each question by people what a mapper says that learnt from other apps only."""
    people, others = material.people, material.others

    def predict(seen: Rows, unseen: Rows) -> NDArray[np.float32]:
        left_out = [people[row].text for row in unseen]
        learnt = [people[row] for row in seen] + apart(others, left_out)
        words = learn_words(texts_of(learnt), LEAST_QUESTIONS)
        return fit_categories(material, learnt, words).tell(material.vectors(left_out), matrix(words, left_out))

    dealt = split([question.app for question in people], folds)
    return predicted_out_of_fold(dealt, predict, len(people), FOREIGN + 1)


def fit_categories(material: Material, learnt: list[Question], words: Words) -> Linear:
    """Learn which categories a question is about, and whether it is none on privacy."""
    texts, targets, weights, _ = zip(*learnt, strict=True)
    return fit(material.vectors(texts), matrix(words, texts), np.stack(targets), np.stack(weights), HOLD)


def fit_values(material: Material, wordings: dict[str, Counter[Label]]) -> Linear:
    """Learn which value a question is about, from wordings and from what annotators marked."""
    own = {text: shares for text, labels in wordings.items() if (shares := _kinds(labels)).any()}
    texts = [*own, *(text for text, _ in material.spans)]
    marked = np.array([shares for _, shares in material.spans], dtype=np.float32).reshape(-1, len(KINDS))
    targets = np.concatenate([np.array(list(own.values()), dtype=np.float32), marked])
    # Of a span it is known which value of its attributes it is, and nothing of other attributes.
    told = np.stack([np.isin(_ATTRIBUTES, _ATTRIBUTES[row > 0]) for row in marked]) if len(marked) else marked
    weights = np.concatenate([np.ones((len(own), len(KINDS))), SPAN * told]).astype(np.float32)
    strange = np.repeat(np.array([0.0, APART], dtype=np.float32), [len(own), len(marked)])[:, None]
    vectors = np.concatenate([material.vectors(texts), strange], axis=1)
    model = fit(vectors, matrix(material.words, texts), targets, weights, VALUE_HOLD)
    return model._replace(of_vector=model.of_vector[:-1])


def chosen_spans(marked: Iterable[Span]) -> list[tuple[str, NDArray[np.float32]]]:
    """Choose short spans of every kind of value, each with the share of its attribute's marks that each value has."""
    marks: dict[str, Counter[int]] = {}
    for span in marked:
        if span.label.value not in {None, "Unspecified"} and len(span.text.split()) <= SPAN_WORDS:
            marks.setdefault(span.text, Counter())[kind(span.label) - _FIRST_KIND] += 1
    texts = sorted(marks)
    random.Random(SEED).shuffle(texts)  # noqa: S311 - not for secrets
    taken: Counter[int] = Counter()
    chosen = []
    for text in texts:
        ((commonest, _),) = marks[text].most_common(1)
        taken[commonest] += 1
        if taken[commonest] <= SPANS_A_KIND:
            counts = np.array([marks[text][place] for place in range(len(KINDS))], dtype=np.float32)
            totals = np.array([counts[attribute == _ATTRIBUTES].sum() for attribute in _ATTRIBUTES], dtype=np.float32)
            chosen.append((text, (counts / np.maximum(totals, 1.0)).astype(np.float32)))
    return chosen


def packed(words: Words, first: Linear, second: Linear) -> dict[str, NDArray[Any]]:
    """Keep weights in a byte a number, each column with a step of its own."""
    both = Linear(*(np.concatenate(parts, axis=-1) for parts in zip(first, second, strict=True)))
    steps = np.maximum(np.abs(np.concatenate([both.of_vector, both.of_words])).max(axis=0), 1e-6) / 127
    assert both.of_vector.shape[1] == COLUMNS
    return {
        "grams": words.known,
        "rarity": words.rarity.astype(np.float16),
        "of_vector": np.rint(both.of_vector / steps).astype(np.int8),
        "of_words": np.rint(both.of_words / steps).astype(np.int8),
        "steps": steps.astype(np.float32),
        "bias": both.bias.astype(np.float32),
    }


def _kinds(labels: Counter[Label]) -> NDArray[np.float32]:
    shares = np.zeros(len(KINDS), dtype=np.float32)
    for label, count in labels.items():
        if label in VALUE_LABELS:
            shares[kind(label) - _FIRST_KIND] += count / labels.total()
    return shares


def _left_out(material: Material) -> dict[str, Any]:
    """Measure categories, attributes and values on wordings, PolicyQA's and our own, that were not learnt from."""
    texts = sorted(material.wordings)
    random.Random(SEED).shuffle(texts)  # noqa: S311 - not for secrets
    asked, predictions = [], []
    for fold in range(WORDING_FOLDS):
        unseen = texts[fold::WORDING_FOLDS]
        learnt = material.people + [question for question in material.others if question.text not in unseen]
        first = fit_categories(material, learnt, material.words)
        second = fit_values(material, {text: of for text, of in material.wordings.items() if text not in unseen})
        read = material.vectors(unseen), matrix(material.words, unseen)
        predictions.append(spread(np.concatenate([first.tell(*read), second.tell(*read)], axis=1)))
        for text in unseen:
            labels = material.wordings[text]
            own = [label for label in labels if label in VALUE_LABELS]
            attributes, values = (frozenset(getattr(of, part) for of in own) for part in ("attribute", "value"))
            categories = frozenset(label.category for label in labels)
            asked.append(LabelledQuestion(text, text, categories, attributes, values))
    figures = accuracy(asked, np.concatenate(predictions))
    kept_figures = {name: value for name, value in figures.items() if not name.endswith("_ci")}
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in kept_figures.items()}


class Question(NamedTuple):
    """A question, what is to be said of it (categories, then foreign), how much that counts, and the app, if any."""

    text: str
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]
    app: str = ""


def texts_of(questions: Iterable[Question]) -> list[str]:
    """Return what is asked."""
    return [question.text for question in questions]


def by_people(asked: Sequence[LabelledQuestion]) -> list[Question]:
    """Take PrivacyQA's questions; which of the rarer categories is meant by the flag "other" nobody said."""
    questions = [_blank(own.text, REAL, REAL_FOREIGN, own.group) for own in asked]
    for question, own in zip(questions, asked, strict=True):
        question.targets[[_PLACE[name] for name in own.categories]] = 1.0
        question.targets[FOREIGN] = not own.categories
        if own.categories.issuperset(FLAGS["other"]):
            question.weights[[_PLACE[name] for name in FLAGS["other"]]] = 0.0
    return questions


def own_wordings() -> dict[str, Counter[Label]]:
    """Return wordings of our own, in people's words, each with the labels that are as good as one another."""
    wordings: dict[str, Counter[Label]] = {}
    with resources.as_file(resources.files("smallprint.train") / "wordings.tsv") as path:
        for asked in load_labelled(path):
            values = [label for label in VALUE_LABELS if all(map(contains, asked.levels, label))]
            wordings[asked.text] = Counter(values or [Label(name) for name in asked.categories])
    return wordings


def from_wordings(wordings: dict[str, Counter[Label]]) -> list[Question]:
    """Take wordings; what one is about is shared out as it was used."""
    questions = [_blank(text, POOL, POOL_FOREIGN) for text in wordings]
    for question, labels in zip(questions, wordings.values(), strict=True):
        for label, count in labels.items():
            question.targets[_PLACE[label.category]] += count / labels.total()
    return questions


def from_answers(collection: Collection, asked: Sequence[Asked], labeller: Labeller) -> list[Question]:
    """Take our own questions: what one is about is what a labeller says of the sentences that answer it."""
    questions = [_blank(own.text, OWN, OWN_FOREIGN) for own in asked]
    for question, own in zip(questions, asked, strict=True):
        question.targets[FOREIGN] = own.state == "off-topic"
        sentences = collection.policies[own.policy].sentences
        if own.answers:
            labels = labeller.labels([sentences[place].spoken for place in own.answers])
            mean = labels[:, : len(CATEGORIES)].mean(axis=0)
            question.targets[:FOREIGN] = sigmoid(SHARPNESS * (mean - 0.5))
        elif own.state != "off-topic":  # the policy is silent, and nobody knows on what
            question.weights[:FOREIGN] = 0.0
    return questions


def everyday_questions() -> list[Question]:
    """Take questions on anything but privacy."""
    lines = (resources.files("smallprint.train") / "everyday.txt").read_text(encoding="utf-8").splitlines()
    questions = [_blank(line, EVERYDAY, EVERYDAY_FOREIGN) for line in lines]
    for question in questions:
        question.targets[FOREIGN] = 1.0
    return questions


def _blank(text: str, weight: float, foreign: float, app: str = "") -> Question:
    targets, weights = (np.full(FOREIGN + 1, fill, dtype=np.float32) for fill in (0.0, weight))
    weights[FOREIGN] = foreign
    return Question(text, targets, weights, app)


def apart(questions: Sequence[Question], left_out: Sequence[str]) -> list[Question]:
    """Return the questions that are not among those held out, nor one of them with a word changed."""
    kept_out = {frozenset(words_of(text)) for text in left_out}

    def is_kept_out(own: frozenset[str]) -> bool:
        if len(own) < LONG:
            return own in kept_out
        return any(len(own - other) <= 1 and len(other - own) <= 1 for other in kept_out)

    return [question for question in questions if not is_kept_out(frozenset(words_of(question.text)))]
