"""Questions with what they are about, for the mapper to learn from, without what is kept for evaluation.

Four kinds: PrivacyQA's, which people put and experts sorted into seven categories; PolicyQA's, few wordings, each with
its labels; our own, whose answers carry practices; and everyday ones, which are on anything but privacy.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.practices import Labeller
from smallprint.errors import NoData
from smallprint.evaluate import policyqa, question_mapping, smallprint_qa
from smallprint.evaluate.corpus import excluded
from smallprint.evaluate.question_mapping import FLAGS, Mapped
from smallprint.models.logistic import sigmoid
from smallprint.models.mapper import FOREIGN
from smallprint.taxonomy import CATEGORIES, VALUE_LABELS, Label, category
from smallprint.text import words

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
_PLACE = {one.id: place for place, one in enumerate(CATEGORIES)}
_WIDTH = FOREIGN + 1


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions with a row each: what is to be said of it, categories and foreign, and how much that counts.

    `groups` are the apps that were asked about, "" where there is none.
    """

    texts: list[str]
    groups: list[str]
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.texts)

    def at(self, places: Sequence[int]) -> Questions:
        """Give some of the questions."""
        rows = np.asarray(places, dtype=np.intp)
        texts, groups = ([of[place] for place in rows.tolist()] for of in (self.texts, self.groups))
        return Questions(texts, groups, self.targets[rows], self.weights[rows])


def joined(parts: Sequence[Questions]) -> Questions:
    """Put questions one after another."""
    return Questions(
        [text for part in parts for text in part.texts],
        [group for part in parts for group in part.groups],
        np.concatenate([part.targets for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )


def real(asked: Sequence[Mapped]) -> Questions:
    """Take PrivacyQA's questions; which of the rarer categories is meant by the flag "other" nobody said."""
    targets, weights = _blank(len(asked), REAL, REAL_FOREIGN)
    rare = [_PLACE[name] for name in FLAGS["other"]]
    for row, one in enumerate(asked):
        targets[row, [_PLACE[name] for name in one.categories]] = 1.0
        targets[row, FOREIGN] = not one.categories
        if one.categories.issuperset(FLAGS["other"]):
            weights[row, rare] = 0.0
    return Questions([one.text for one in asked], [one.group for one in asked], targets, weights)


def wordings(data: Path) -> dict[str, Counter[Label]]:
    """Give PolicyQA's wordings with how often each was put for a label, in the training policies that may be used.

    A label may have an attribute that is none of ours; its category is one.
    """
    kept = excluded(data)
    found: dict[str, Counter[Label]] = defaultdict(Counter)
    for one in policyqa.load(data / "labelled" / "policyqa" / "train_rebuilt.json"):
        if one.policy in kept:
            continue
        try:
            name, attribute, value = one.type.split("|||")
            found[one.question][Label(category(name).id, attribute, value)] += 1
        except (ValueError, KeyError):
            raise NoData(f"PolicyQA's question {one.id} has the type {one.type!r}, which is no label") from None
    return dict(found)


def written() -> dict[str, Counter[Label]]:
    """Give wordings of our own, in people's words, each with the labels that are as good as one another.

    They stand in the layout of `evaluate question-mapping`.
    """
    found: dict[str, Counter[Label]] = {}
    with resources.as_file(resources.files("smallprint.train") / "wordings.tsv") as path:
        for one in question_mapping.load(path):
            values = [label for label in VALUE_LABELS if _fits(label, one)]
            found[one.text] = Counter(values or [Label(name) for name in one.categories])
    return found


def _fits(label: Label, asked: Mapped) -> bool:
    return label.category in asked.categories and label.attribute in asked.attributes and label.value in asked.values


def pooled(found: dict[str, Counter[Label]]) -> Questions:
    """Take wordings; what one is about is shared out as it was used."""
    targets, weights = _blank(len(found), POOL, POOL_FOREIGN)
    for row, labels in enumerate(found.values()):
        for label, count in labels.items():
            targets[row, _PLACE[label.category]] += count / labels.total()
    return Questions(list(found), [""] * len(found), targets, weights)


def own(collection: smallprint_qa.Collection, asked: Sequence[smallprint_qa.Asked], labeller: Labeller) -> Questions:
    """Take our own questions: what one is about is what a labeller says of the sentences that answer it."""
    targets, weights = _blank(len(asked), OWN, OWN_FOREIGN)
    for row, one in enumerate(asked):
        targets[row, FOREIGN] = one.state == "off-topic"
        sentences = collection.policies[one.policy].sentences
        if one.answers:
            said = labeller.labels([sentences[place].spoken for place in one.answers])
            mean = said[:, : len(CATEGORIES)].mean(axis=0)
            targets[row, :FOREIGN] = sigmoid(SHARPNESS * (mean - 0.5))
        elif one.state != "off-topic":  # the policy is silent, and nobody knows on what
            weights[row, :FOREIGN] = 0.0
    return Questions([one.text for one in asked], [""] * len(asked), targets, weights)


def everyday() -> Questions:
    """Take questions on anything but privacy."""
    lines = (resources.files("smallprint.train") / "everyday.txt").read_text(encoding="utf-8").splitlines()
    targets, weights = _blank(len(lines), EVERYDAY, EVERYDAY_FOREIGN)
    targets[:, FOREIGN] = 1.0
    return Questions(lines, [""] * len(lines), targets, weights)


def apart(texts: Sequence[str], held: Sequence[str]) -> list[int]:
    """Give the places of texts that are not among those held out, nor one of them with a word changed."""
    kept_out = {frozenset(words(text)) for text in held}
    return [place for place, text in enumerate(texts) if not _is_among(frozenset(words(text)), kept_out)]


def _is_among(own: frozenset[str], others: set[frozenset[str]]) -> bool:
    if len(own) < LONG:
        return own in others
    return any(len(own - other) <= 1 and len(other - own) <= 1 for other in others)


def _blank(count: int, weight: float, foreign: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    targets, weights = (np.full((count, _WIDTH), fill, dtype=np.float32) for fill in (0.0, weight))
    weights[:, FOREIGN] = foreign
    return targets, weights
