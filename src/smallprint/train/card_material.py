"""What card readers learn from: sentences with their stances on the card's questions, twins, and questions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.card import CODES, STANCES
from smallprint.datasets import verdicts
from smallprint.datasets.corpus import table
from smallprint.datasets.verdicts import CardItem, Contrast, Labels, Wording
from smallprint.records import Sentence

UNKNOWN = -100
# The data that card readers learn from, as cards name them.
DATA = (
    "verdicts, verdicts_2026 and contrast without what datasets/splits/ask_test.tsv, verdicts_test.tsv and "
    "contrast_test.tsv list; twins of our own"
)
_PLACE = {code: place for place, code in enumerate(CODES)}
_EARNED = {"yes": STANCES.index("+"), "no": STANCES.index("-"), "depends": STANCES.index("~")}
_NOTHING = STANCES.index("0")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence of a policy, what stands before it, and by question its stance as a place in STANCES, or UNKNOWN.

    `is_silent` tells of which questions the whole policy says nothing, so that surely this sentence does not.
    """

    policy: str
    sentence: Sentence
    before: str
    stances: NDArray[np.int64]
    is_silent: NDArray[np.bool_]


def learnt_from(data: Path) -> Labels:
    """Return what may be learnt from, and the twins and wordings of our own."""
    labels, own = verdicts.training(data), resources.files("smallprint.train")
    twins = tuple(Contrast(**row) for row in table(own / "card_twins.tsv", ()))  # type: ignore[arg-type]  # plain strings
    wordings = tuple(
        Wording(row["card"], row["scope"], row["polarity"], row["wording"])
        for row in table(own / "card_wordings.tsv", ())
    )
    return replace(labels, wordings=labels.wordings + wordings, contrast=labels.contrast + twins)


def units(labels: Labels) -> list[Unit]:
    """Return the sentences of policies with what their cards say of them, policy by policy."""
    by_policy: dict[str, list[CardItem]] = {name: [] for name in labels.policies}
    for item in labels.card:
        by_policy[item.policy].append(item)
    return [
        unit for name, own in labels.policies.items() for unit in _of_policy(name, own, _stances(by_policy[name], own))
    ]


def _stances(items: Iterable[CardItem], sentences: tuple[Sentence, ...]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    stances, is_silent = np.zeros((len(sentences), len(CODES)), dtype=np.int64), np.zeros(len(CODES), dtype=bool)
    for item in items:
        column = stances[:, _PLACE[item.card]]
        # What bears on a question beside the sentences that earn the verdict may say anything; under "silent", nothing.
        column[list(item.also)] = _NOTHING if item.verdict == "silent" else UNKNOWN
        column[list(item.earns)] = _EARNED.get(item.verdict, UNKNOWN)
        is_silent[_PLACE[item.card]] = item.verdict == "silent"
    return stances, is_silent


def _of_policy(
    name: str, sentences: tuple[Sentence, ...], of: tuple[NDArray[np.int64], NDArray[np.bool_]]
) -> Iterable[Unit]:
    stances, is_silent = of
    for place, sentence in enumerate(sentences):
        before = sentence.lead_in or (sentences[place - 1].text if place else "")
        yield Unit(name, sentence, before, stances[place], is_silent)


def invented(twins: Iterable[Contrast]) -> list[Unit]:
    """Return invented sentences: of each it is known what it says on its own question alone."""
    made = []
    for twin in twins:
        stances = np.full(len(CODES), UNKNOWN, dtype=np.int64)
        stances[_PLACE[twin.card]] = STANCES.index(twin.stance)
        sentence = Sentence(twin.sentence, (twin.heading,) if twin.heading else ())
        made.append(Unit(f"twins:{twin.block}", sentence, "", stances, np.zeros(len(CODES), dtype=bool)))
    return made
