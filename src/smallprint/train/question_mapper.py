"""Train the question mapper: categories and values of a question from its vector and its words; and CMU's mappings."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

from smallprint.annotate.annotating import student
from smallprint.evaluate import question_mapping
from smallprint.models import store
from smallprint.models.mapper import COLUMNS, FOREIGN, KINDS, NAME, Words, kind, spread
from smallprint.taxonomy import CATEGORIES, VALUE_LABELS, Label
from smallprint.train import nearest_labels, pairs, questions
from smallprint.train.linear import Linear, fit, learn_words, matrix
from smallprint.train.questions import Questions
from smallprint.train.reading import Read, reader
from smallprint.train.spans import Span, spans

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


def train(data: Path, where: Path, say: Callable[[str], None], folds: int = FOLDS) -> dict[str, Any]:
    """Train the mapper and the baselines; write weights, card and out-of-fold predictions."""
    read, name = reader(where, say)
    material = Material(data, read)
    say(f"{len(material.people):,} questions by people, {len(material.others):,} others; vectors of {name}")
    said = out_of_fold(material, folds)
    right = _right(material.people, said)
    say(f"{right:.3f} of categories right, {folds} folds by app")
    figures = _left_out(material)
    first = fit_categories(material, questions.joined([material.people, material.others]), material.words)
    second = fit_values(material, material.wordings)
    path = store.save(NAME, packed(material.words, first, second), where)
    card = {
        "model": NAME,
        "version": store.version(NAME, where),
        "made": datetime.now(tz=UTC).date().isoformat(),
        "vectors": name,
        "data": "PrivacyQA's training questions without the apps of evaluate/splits/question_mapping_test.tsv; "
        "PolicyQA's training wordings; smallprint_qa's training questions with what the practices student says of "
        "their answers; wordings and everyday questions of our own; OPP-115's annotated spans",
        "questions": {"by people": len(material.people), "others": len(material.others)},
        "words and pairs": len(material.words.known),
        f"categories right, {folds} folds by app": round(right, 4),
        f"wordings left out, {WORDING_FOLDS} folds": figures,
        "seed": SEED,
        "bytes": path.stat().st_size,
    }
    (where / f"{NAME}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    _write(where / f"{NAME}.out-of-fold.jsonl", material.people, said)
    nearest_labels.train(data, where, say)
    return card


class Material:
    """All that is learnt from, and the vectors of all texts, made once."""

    def __init__(self, data: Path, read: Read) -> None:
        asked = question_mapping.from_flags(data / "labelled" / "privacyqa" / "train_questions.tsv")
        apps = question_mapping.held_apps()
        held = [one.text for one in asked if one.group in apps]
        self.people = questions.real([one for one in asked if one.group not in apps])
        wordings = {**questions.wordings(data), **questions.written()}
        others = questions.joined(
            [
                questions.pooled(wordings),
                questions.own(*pairs.training_questions(data), student()),
                questions.everyday(),
            ]
        )
        self.spans = chosen_spans(spans(data))
        texts = dict.fromkeys([*self.people.texts, *others.texts, *(text for text, _ in self.spans)])
        self._places = {text: place for place, text in enumerate(texts)}
        self._vectors = read(list(texts))
        self.others = others.at(questions.apart(others.texts, held))
        kept = set(self.others.texts)
        self.wordings = {text: labels for text, labels in wordings.items() if text in kept}
        self.words = learn_words([*self.people.texts, *self.others.texts], LEAST_QUESTIONS)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the vectors of some texts."""
        return self._vectors[[self._places[text] for text in texts]]


def out_of_fold(material: Material, folds: int) -> NDArray[np.float32]:
    """Say of each question by people what a mapper says that learnt from other apps only."""
    people, others = material.people, material.others
    said = np.zeros((len(people), FOREIGN + 1), dtype=np.float32)
    apps = np.array(people.groups)
    for seen, unseen in GroupKFold(min(folds, len(set(people.groups)))).split(apps, groups=apps):
        left = people.at(unseen)
        learnt = questions.joined([people.at(seen), others.at(questions.apart(others.texts, left.texts))])
        words = learn_words(learnt.texts, LEAST_QUESTIONS)
        model = fit_categories(material, learnt, words)
        said[unseen] = model.tell(material.vectors(left.texts), matrix(words, left.texts))
    return said


def fit_categories(material: Material, learnt: Questions, words: Words) -> Linear:
    """Learn which categories a question is about, and whether it is none on privacy."""
    return fit(material.vectors(learnt.texts), matrix(words, learnt.texts), learnt.targets, learnt.weights, HOLD)


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
    found = fit(vectors, matrix(material.words, texts), targets, weights, VALUE_HOLD)
    return Linear(found.of_vector[:-1], found.of_words, found.bias)


def chosen_spans(found: Iterable[Span]) -> list[tuple[str, NDArray[np.float32]]]:
    """Choose short spans of every kind of value, each with the share of its attribute's marks that each value has."""
    marks: dict[str, Counter[int]] = {}
    for span in found:
        if span.label.value not in {None, "Unspecified"} and len(span.text.split()) <= SPAN_WORDS:
            marks.setdefault(span.text, Counter())[kind(span.label) - _FIRST_KIND] += 1
    texts = sorted(marks)
    random.Random(SEED).shuffle(texts)  # noqa: S311 - not for secrets
    taken: Counter[int] = Counter()
    chosen = []
    for text in texts:
        ((most, _),) = marks[text].most_common(1)
        taken[most] += 1
        if taken[most] <= SPANS_A_KIND:
            chosen.append((text, _within_attributes(marks[text])))
    return chosen


def packed(words: Words, first: Linear, second: Linear) -> dict[str, NDArray[Any]]:
    """Keep weights in a byte a number, each column with a step of its own."""
    of_vector = np.concatenate([first.of_vector, second.of_vector], axis=1)
    of_words = np.concatenate([first.of_words, second.of_words], axis=1)
    steps = np.maximum(np.abs(np.concatenate([of_vector, of_words])).max(axis=0), 1e-6) / 127
    assert of_vector.shape[1] == COLUMNS
    return {
        "grams": words.known,
        "rarity": words.rarity.astype(np.float16),
        "of_vector": np.rint(of_vector / steps).astype(np.int8),
        "of_words": np.rint(of_words / steps).astype(np.int8),
        "steps": steps.astype(np.float32),
        "bias": np.concatenate([first.bias, second.bias]).astype(np.float32),
    }


def _kinds(labels: Counter[Label]) -> NDArray[np.float32]:
    shares = np.zeros(len(KINDS), dtype=np.float32)
    for label, count in labels.items():
        if label in VALUE_LABELS:
            shares[kind(label) - _FIRST_KIND] += count / labels.total()
    return shares


def _within_attributes(marks: Counter[int]) -> NDArray[np.float32]:
    counts = np.array([marks[place] for place in range(len(KINDS))], dtype=np.float32)
    totals = np.array([counts[attribute == _ATTRIBUTES].sum() for attribute in _ATTRIBUTES], dtype=np.float32)
    return np.asarray(counts / np.maximum(totals, 1.0), dtype=np.float32)


def _right(people: Questions, said: NDArray[np.float32]) -> float:
    """Give the share of questions with a category whose likeliest one is among theirs."""
    known = np.flatnonzero(people.targets[:, :FOREIGN].any(axis=1))
    return float(people.targets[known, said[known, :FOREIGN].argmax(axis=1)].mean())


def _left_out(material: Material) -> dict[str, Any]:
    """Measure categories, attributes and values on wordings, PolicyQA's and our own, that were not learnt from."""
    texts = sorted(material.wordings)
    random.Random(SEED).shuffle(texts)  # noqa: S311 - not for secrets
    asked, said = [], []
    for fold in range(WORDING_FOLDS):
        left = texts[fold::WORDING_FOLDS]
        unseen = set(left)
        kept = [place for place, text in enumerate(material.others.texts) if text not in unseen]
        learnt = questions.joined([material.people, material.others.at(kept)])
        first = fit_categories(material, learnt, material.words)
        second = fit_values(material, {text: of for text, of in material.wordings.items() if text not in unseen})
        read = material.vectors(left), matrix(material.words, left)
        said.append(spread(np.concatenate([first.tell(*read), second.tell(*read)], axis=1)))
        asked += [_mapped(text, material.wordings[text]) for text in left]
    return {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in question_mapping.accuracy(asked, np.concatenate(said)).items()
        if not name.endswith("_ci")
    }


def _mapped(text: str, labels: Counter[Label]) -> question_mapping.Mapped:
    own = [label for label in labels if label in VALUE_LABELS]
    return question_mapping.Mapped(
        text,
        text,
        frozenset(label.category for label in labels),
        frozenset(label.attribute or "" for label in own),
        frozenset(label.value or "" for label in own),
    )


def _write(path: Path, people: Questions, said: NDArray[np.float32]) -> None:
    names = [*(one.id for one in CATEGORIES), "foreign"]
    with path.open("w", encoding="utf-8") as file:
        for text, app, row in zip(people.texts, people.groups, said.tolist(), strict=True):
            scores = {name: round(share, 5) for name, share in zip(names, row, strict=True)}
            file.write(json.dumps({"app": app, "question": text, "scores": scores}, ensure_ascii=False) + "\n")
