"""The questions that sentences are found for, each wording once, and what each is about in PrivacyQA's seven kinds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from smallprint.annotate.practices import COLUMNS
from smallprint.errors import BadSetting
from smallprint.evaluate import privacyqa, question_mapping, smallprint_qa
from smallprint.evaluate.question_mapping import FLAGS
from smallprint.evaluate.smallprint_qa import Asked
from smallprint.evaluate.tables import table
from smallprint.taxonomy import CATEGORIES
from smallprint.train import pairs
from smallprint.train.era.bench import collection
from smallprint.train.sentences import key_of

OWN, WITH_PRIVACYQA = QUESTIONS = ("smallprint_qa", "with-privacyqa")
KINDS = {
    "first": "data collection", "third": "data sharing", "datasecurity": "data security",
    "dataretention": "data retention", "user_access": "user access", "user_choice": "user choice", "other": "other",
}  # fmt: skip
NO_KIND = "none"
# A flag that the development questions have and the training ones have not.
AUDIENCES = "audiences"
_KIND_OF = {category: KINDS[flag] for flag, categories in FLAGS.items() for category in categories}


@dataclass(frozen=True, slots=True)
class Wording:
    """A wording, and the labelled questions that have it; none where it is PrivacyQA's alone."""

    text: str
    asked: tuple[Asked, ...] = ()


def wordings(data: Path, asked: Sequence[Asked], which: str) -> list[Wording]:
    """Give the distinct wordings of labelled questions, and of PrivacyQA's unlabelled ones if these are wanted.

    Nothing is found for a question that is not on privacy. Of PrivacyQA's, those that are measured on are left out.
    """
    if which not in QUESTIONS:
        raise BadSetting(f"{which!r} are no questions to find sentences for; choose from: {', '.join(QUESTIONS)}")
    own: dict[str, list[Asked]] = {}
    for one in asked:
        if one.state != "off-topic":
            own.setdefault(key_of(one.text), []).append(one)
    found = [Wording(every[0].text, tuple(every)) for every in own.values()]
    if which == WITH_PRIVACYQA:
        seen = {key_of(one.text) for one in asked} | _measured(data)
        for real in question_mapping.from_flags(data / "labelled" / "privacyqa" / "train_questions.tsv"):
            key = key_of(real.text)
            if real.categories and key not in seen:
                seen.add(key)
                found.append(Wording(real.text))
    return found


def _measured(data: Path) -> set[str]:
    kept = smallprint_qa.held() | pairs.tuning()
    texts = [one.text for one in collection(data).questions if one.policy in kept]
    texts += [one.text for sheet in privacyqa.load(data / "labelled" / "privacyqa" / "dev") for one in sheet.questions]
    return {key_of(text) for text in texts}


def mapped_kinds(texts: Iterable[str], mapper: question_mapping.Mapper | None = None) -> list[str]:
    """Give the likeliest kind of each question, by our own mapper: smallprint_qa does not say."""
    names = [label.category for label in COLUMNS[: len(CATEGORIES)]]
    made = mapper or question_mapping.mapper("mapper")
    return [_KIND_OF.get(names[int(np.argmax(made.map(text)[: len(names)]))], NO_KIND) for text in texts]


def flagged_kinds(data: Path) -> dict[str, tuple[str, ...]]:
    """Give the kinds of PrivacyQA's development questions, as its experts gave them; a question may have several."""
    path = data / "labelled" / "privacyqa" / "dev" / "questions.tsv"
    found = {}
    for row in table(path, ("QueryID",)):
        kinds = [kind for flag, kind in KINDS.items() if row.get(flag) == "1"]
        if row.get(AUDIENCES) == "1" and KINDS["other"] not in kinds:
            kinds.append(KINDS["other"])
        found[row["QueryID"]] = tuple(kinds) or (NO_KIND,)
    return found
