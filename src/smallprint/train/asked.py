"""Questions put to policies, as finder and reader learn from them: asked, narrow, and the card's in people's words.

Of yes-no questions it is known what a sentence says: nothing, yes, no, or what limits either.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from smallprint.card import QUESTIONS, STANCES
from smallprint.datasets import verdicts
from smallprint.datasets.kept_out import excluded
from smallprint.datasets.smallprint_qa import Asked
from smallprint.datasets.verdicts import AskedItem, CardItem, Contrast, Labels, Wording
from smallprint.models.reader import QUESTION, WINDOW, around, pair
from smallprint.train.card_material import learnt_from
from smallprint.train.pairs import (
    NEAREST,
    NO_CONTEXT,
    NO_HEADING,
    Example,
    Labelled,
    Near,
    Nearness,
    Tokens,
    chosen,
    cut_policy,
    near,
    some,
)  # fmt: skip

# What the questions stand in, as cards name it.
DATA = (
    "smallprint_qa, verdicts and verdicts_2026 without the policies of datasets/splits/ask_test.tsv, "
    "verdicts_test.tsv, ask_tuning.tsv and verdicts_tuning.tsv"
)
# What nobody knows of a sentence: it bears on the question, and what it says was not labelled.
UNKNOWN = -1
_NOTHING = STANCES.index("0")
_EARNED = {"yes": STANCES.index("+"), "no": STANCES.index("-"), "depends": STANCES.index("~"), "both": UNKNOWN}
# Yes to "is my data kept private?" is no to "is it sold?".
_TURNED = {STANCES.index("+"): STANCES.index("-"), STANCES.index("-"): STANCES.index("+")}
# An epoch sees so many sentences of a kind a question, and so large a share of the card's questions and of the twins.
SOME, CARD_SHARE, TWIN_SHARE = 3, 0.3, 0.6
# Of a sentence that the card does not name, though it is near, nobody knows whether it speaks.
DISTANT = 60

# The wordings of a question of the card, in tokens, each with whether yes to it is no to the card's.
Wordings = dict[str, list[tuple[list[int], bool]]]


@dataclass(frozen=True, slots=True)
class Material:
    """Questions with their policies; by question what its sentences say, by place; and the card's questions."""

    known: Labelled
    stances: Mapping[str, Mapping[int, int]]
    cards: Sequence[tuple[CardItem, Asked]]
    wordings: Wordings
    twins: Sequence[tuple[Contrast, list[int], list[int]]]

    def counts(self) -> dict[str, int]:
        """Return how much there is to learn from."""
        of_policies = {"questions": len(self.known.questions), "policies": len(self.known.policies)}
        return of_policies | {"verdicts": len(self.cards), "twins": len(self.twins)}

    def examples(self, luck: random.Random) -> list[Example]:
        """Draw pairs of an epoch: all questions, some of the card's in some words each, and some of the twins."""
        return [*self._asked(luck), *self._of_cards(luck), *self._of_twins(luck)]

    def _asked(self, luck: random.Random) -> Iterable[Example]:
        for asked in self.known.questions:
            policy, stances = self.known.policies[asked.policy], self.stances.get(asked.id)
            for place, relevance in chosen(asked, self.known.nearness[asked.id], luck, SOME):
                stance = UNKNOWN if stances is None else stances.get(place, _NOTHING)
                yield example(self.known.asked[asked.id], policy, place, relevance, stance, luck)

    def _of_cards(self, luck: random.Random) -> Iterable[Example]:
        for item, asked in luck.sample(self.cards, int(CARD_SHARE * len(self.cards))):
            policy, nearness = self.known.policies[item.policy], self.known.nearness[asked.id]
            question, is_turned = luck.choice(self.wordings[item.card])
            earned = _EARNED.get(item.verdict, UNKNOWN)
            stance = _TURNED.get(earned, earned) if is_turned else earned
            for place in some(item.earns, SOME, luck):
                yield example(question, policy, place, (1.0, 1.0), stance, luck)
            is_silent = item.verdict == "silent"
            order = [int(place) for place in np.argsort(-nearness, kind="stable") if place not in asked.relevant]
            others = order if is_silent else order[min(DISTANT, len(order) // 2) :]
            wrong = [*some(item.also, 2, luck)] if is_silent else []
            wrong += some(others[:NEAREST], 3, luck) + some(others[NEAREST:], 1 if is_silent else 2, luck)
            for place in wrong:
                bears = 1.0 if place in item.also else 0.0
                yield example(question, policy, place, (0.0, bears), _NOTHING, luck)

    def _of_twins(self, luck: random.Random) -> Iterable[Example]:
        for twin, heading, own in luck.sample(self.twins, int(TWIN_SHARE * len(self.twins))):
            question, is_turned = luck.choice(self.wordings[twin.card])
            stance = STANCES.index(twin.stance)
            answers = 0.0 if stance == _NOTHING else 1.0
            ids, _ = pair(question[:QUESTION], around(heading, []), own, WINDOW)
            turned = _TURNED.get(stance, stance) if is_turned else stance
            yield Example(ids, (answers, answers or math.nan), stance=turned)


def example(
    question: list[int], policy: Tokens, place: int, relevance: tuple[float, float], stance: int, luck: random.Random
) -> Example:
    """Put a question to a sentence, now and then without what stands around it."""
    heading = [] if luck.random() < NO_HEADING else policy.headings[place]
    before = policy.lead_ins[place] or (policy.own[place - 1] if place else [])
    context = [] if luck.random() < NO_CONTEXT and not policy.lead_ins[place] else around(heading, before)
    ids, _ = pair(question[:QUESTION], context, policy.own[place], WINDOW)
    return Example(ids, relevance, stance=None if stance == UNKNOWN else stance)


def labelled(data: Path, *, bearing: bool = False, nearness: Near = near) -> Labelled:
    """Return the questions asked of policies, narrow ones among them: all, or those that a sentence is `bearing` on."""
    questions = [own for own in map(_asked, _questions(_labels(data))) if own.relevant or not bearing]
    return _cut(_labels(data), questions, nearness)


def material(data: Path, nearness: Near = near) -> Material:
    """Return all that the reader learns from but spans."""
    from smallprint.train.network import pieces

    labels = _labels(data)
    cards = [
        (item, Asked(item.id, item.policy, QUESTIONS[item.card], item.earns, item.also, "")) for item in labels.card
    ]
    known = _cut(labels, [*map(_asked, _questions(labels)), *(asked for _, asked in cards)], nearness)
    known = replace(known, questions=known.questions[: len(known.questions) - len(cards)])
    stances = {item.id: own for item in _questions(labels) if (own := stances_of(item)) is not None}
    twins = [(twin, pieces(twin.heading), pieces(twin.sentence)) for twin in labels.contrast]
    return Material(known, stances, cards, wordings_of(labels.wordings, pieces), twins)


def wordings_of(wordings: Iterable[Wording], cut: Callable[[str], list[int]]) -> Wordings:
    """Return in tokens how each question of the card is asked of one policy, its own words first."""
    known: Wordings = {code: [(cut(text), False)] for code, text in QUESTIONS.items()}
    for wording in wordings:
        if wording.scope == "one":
            known[wording.card].append((cut(wording.text.replace("{name}", "the service")), wording.polarity == "-"))
    return known


def stances_of(item: AskedItem) -> dict[int, int] | None:
    """Return what sentences say on a yes-no question, by place, 0 left out; None where nobody said."""
    if item.kind == "off-topic":
        return {}
    if item.kind != "yes-no":
        return None
    unknown = dict.fromkeys((*item.answers, *item.related), UNKNOWN) if item.verdict != "silent" else {}
    return unknown | {place: STANCES.index(stance) for place, stance in item.stances.items()}


def _labels(data: Path) -> Labels:
    labels = learnt_from(data)
    return labels.only(labels.policies.keys() - verdicts.tuning() - excluded(data))


def _questions(labels: Labels) -> tuple[AskedItem, ...]:
    return labels.asked + labels.narrow


def _asked(item: AskedItem) -> Asked:
    return Asked(item.id, item.policy, item.question, item.answers, item.related, item.state)


def _cut(labels: Labels, questions: list[Asked], nearness: Near) -> Labelled:
    from smallprint.train.network import pieces

    policies = {name: cut_policy(own, pieces) for name, own in labels.policies.items()}
    asked = {question.id: pieces(question.text) for question in questions}
    of_each: Nearness = nearness(policies, questions, asked)
    return Labelled(questions, policies, asked, of_each)
