"""Verdicts: the card of 28 questions, questions that people ask, ways of asking the card's, and twins.

Twins are sentences that share their words and differ in what they say. Without a folder of its own, what is measured on
are the policies, wordings and twins that nothing learns from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from smallprint.ask.model_set import kit
from smallprint.ask.verdict.card import CardVerdict, card_stances, read_card, read_card_fast
from smallprint.card import CODES, STANCES, VERDICTS
from smallprint.datasets import verdicts
from smallprint.datasets.verdicts import AskedItem, CardItem, Contrast, Labels, Wording
from smallprint.errors import NoData
from smallprint.evaluate.answering import Answerer
from smallprint.evaluate.tasks import Order, Outcome
from smallprint.evaluate.verdict_measures import Measures, Said, Truth, share, verdict_measures
from smallprint.evaluate.verdict_questions import ASKED, NARROW, measure_questions
from smallprint.evaluate.wordings import wording_measures
from smallprint.models.verdicts import card_majority
from smallprint.records import Sentence

FAST, MAJORITY = "-fast", "-majority"
SYSTEMS = (
    "card", "card-fast", "card-majority", "asked", "asked-majority", "narrow", "narrow-majority", "wordings",
    "contrast",
)  # fmt: skip
# The file of each part of the labels, as a folder has it.
FILES = {"card": "card", "asked": "stances", "narrow": "narrow", "wordings": "wordings", "contrast": "contrast"}

Policy = tuple[Sentence, ...]


def evaluate(order: Order) -> Outcome:
    """Measure on all of a folder, or on what the research data have kept out of training."""
    systems = order.choose(SYSTEMS)
    labels, name = _labels(order)
    parts = {
        part: [item for item in getattr(labels, part) if order.wants(*_names(item))]
        for part in dict.fromkeys(system.partition("-")[0] for system in systems)
    }
    outcome, answerer = Outcome(name, _truth(parts)), Answerer()
    for system in systems:
        if items := parts[system.partition("-")[0]]:
            outcome.systems[system] = _measured(system, items, labels.policies, answerer)
    outcome.tables = {"policies": len({item.policy for part in verdicts.ON_POLICIES for item in parts.get(part, ())})}
    return outcome


def _labels(order: Order) -> tuple[Labels, str]:
    files = [f"{file}.jsonl.zst" for file in FILES.values()]
    if any((order.data / file).is_file() for file in files):
        return verdicts.load(order.data, order.settings.data_dir), order.data.resolve().name
    if not (order.data / verdicts.COLLECTIONS[0]).is_dir():
        raise NoData(f"{order.data} has none of {', '.join(files)}")
    return verdicts.kept_out(order.data), "verdicts, policies kept out of training"


def _measured(system: str, items: Sequence[Any], policies: Mapping[str, Policy], answerer: Answerer) -> Measures:
    part, _, other = system.partition("-")
    if part == "contrast":
        return _contrast(items)
    if part == "wordings":
        return wording_measures(items, kit().card_mapper)
    if part == "card":
        return _card(items, policies, system)
    return measure_questions(items, policies, part, None if other else answerer)


def _names(item: CardItem | AskedItem | Contrast | Wording) -> tuple[str, ...]:
    if isinstance(item, Contrast | Wording):
        return (item.card,)
    return (item.id, item.policy, item.card) if isinstance(item, CardItem) else (item.id, item.policy)


def _truth(parts: Mapping[str, Sequence[Any]]) -> list[tuple[str, object]]:
    cards: list[tuple[str, object]] = [(f"card {own.id}", [own.verdict, own.earns]) for own in parts.get("card", ())]
    asked = [(part, own) for part in (ASKED, NARROW) for own in parts.get(part, ())]
    questions = [(f"{part} {own.id}", [own.verdict, own.answers]) for part, own in asked]
    worded = [(f"wording {own.card} {own.text}", [own.scope, own.polarity]) for own in parts.get("wordings", ())]
    twins = [(f"twin {own.card} {own.sentence}", own.stance) for own in parts.get("contrast", ())]
    return [*cards, *questions, *worded, *twins]


def _card(items: Sequence[CardItem], policies: Mapping[str, Policy], system: str) -> Measures:
    if system.endswith(MAJORITY):
        said = {item.id: Said(*card_majority()[item.card]) for item in items}
    else:
        read = read_card_fast if system.endswith(FAST) else read_card
        names = dict.fromkeys(item.policy for item in items)
        cards = {name: {own.code: own for own in read(policies[name], kit())} for name in names}
        said = {item.id: _said(cards[item.policy][item.card]) for item in items}
    return verdict_measures([(said[item.id], _card_truth(item)) for item in items])


def _card_truth(item: CardItem) -> Truth:
    verdicts = tuple(dict.fromkeys((item.verdict, *item.accept)))
    return Truth(verdicts, frozenset(item.earns) | frozenset(item.also))


def _said(own: CardVerdict) -> Said:
    return Said(own.verdict, own.confidence, own.places, own.verdict if own.verdict in VERDICTS else own.leaning)


def _contrast(items: Sequence[Contrast]) -> Measures:
    sentences = [Sentence(item.sentence, (item.heading,) if item.heading else ()) for item in items]
    vectors = kit().finder.vectors([sentence.under_heading for sentence in sentences])
    # Twins stand beside each other in the file, not in a policy: nothing stands before them.
    pairs = zip(sentences, vectors, strict=True)
    stances = np.concatenate([card_stances([own], row[None], kit()).mean(axis=0) for own, row in pairs])
    told = [STANCES[int(stances[row, CODES.index(item.card)].argmax())] for row, item in enumerate(items)]
    return {
        "accuracy": share(own == item.stance for own, item in zip(told, items, strict=True)),
        "opposed": share({own, item.stance} == {"+", "-"} for own, item in zip(told, items, strict=True)),
        "n": len(items),
    }
