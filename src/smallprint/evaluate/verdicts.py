"""Verdicts: the card of 28 questions, and twins, sentences that share their words and differ in what they say.

Without a folder of its own, what is measured on are the policies and twins that nothing learns from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from smallprint.ask.model_set import kit
from smallprint.ask.verdict.card import CardVerdict, read_card
from smallprint.card import CODES, STANCES
from smallprint.datasets import verdicts
from smallprint.datasets.verdicts import CardItem, Contrast, Labels
from smallprint.errors import NoData
from smallprint.evaluate.tasks import Order, Outcome
from smallprint.evaluate.verdict_measures import Measures, Said, Truth, share, verdict_measures
from smallprint.models.verdicts import card_majority
from smallprint.records import Sentence

MAJORITY = "-majority"
SYSTEMS = ("card", "card-majority", "contrast")
FILES = ("card", "contrast")

Policy = tuple[Sentence, ...]


def evaluate(order: Order) -> Outcome:
    """Measure on all of a folder, or on what the research data have kept out of training."""
    systems = order.choose(SYSTEMS)
    labels, name = _labels(order)
    parts = {
        part: [item for item in getattr(labels, part) if order.wants(*_names(item))]
        for part in dict.fromkeys(system.partition("-")[0] for system in systems)
    }
    outcome = Outcome(name, _truth(parts.get("card", ()), parts.get("contrast", ())))
    for system in systems:
        items = parts[system.partition("-")[0]]
        if items:
            measured = _contrast(items) if system == "contrast" else _card(items, labels.policies, system)
            outcome.systems[system] = measured
    outcome.tables = {"policies": len({item.policy for item in parts.get("card", ())})}
    return outcome


def _labels(order: Order) -> tuple[Labels, str]:
    if any((order.data / f"{file}.jsonl.zst").is_file() for file in FILES):
        return verdicts.load(order.data, order.settings.data_dir), order.data.resolve().name
    if not (order.data / verdicts.COLLECTIONS[0]).is_dir():
        raise NoData(f"{order.data} has none of {', '.join(f'{file}.jsonl.zst' for file in FILES)}")
    return verdicts.kept_out(order.data), "verdicts, policies kept out of training"


def _names(item: CardItem | Contrast) -> tuple[str, ...]:
    return (item.id, item.policy, item.card) if isinstance(item, CardItem) else (item.card,)


def _truth(card: Iterable[CardItem], contrast: Iterable[Contrast]) -> list[tuple[str, object]]:
    cards: list[tuple[str, object]] = [(f"card {item.id}", [item.verdict, item.earns]) for item in card]
    return [*cards, *((f"twin {own.card} {own.sentence}", own.stance) for own in contrast)]


def _card(items: Sequence[CardItem], policies: Mapping[str, Policy], system: str) -> Measures:
    if system.endswith(MAJORITY):
        said = {item.id: Said(*card_majority()[item.card]) for item in items}
    else:
        names = dict.fromkeys(item.policy for item in items)
        cards = {name: {own.code: own for own in read_card(policies[name], kit())} for name in names}
        said = {item.id: _said(cards[item.policy][item.card]) for item in items}
    return verdict_measures([(said[item.id], _card_truth(item)) for item in items])


def _card_truth(item: CardItem) -> Truth:
    verdicts = tuple(dict.fromkeys((item.verdict, *item.accept)))
    return Truth(verdicts, frozenset(item.earns) | frozenset(item.also))


def _said(own: CardVerdict) -> Said:
    return Said(own.verdict, own.confidence, own.places, own.leaning)


def _contrast(items: Sequence[Contrast]) -> Measures:
    sentences = (Sentence(item.sentence, (item.heading,) if item.heading else ()) for item in items)
    logits = kit().card_reader.read(kit().finder.vectors([sentence.under_heading for sentence in sentences]))
    told = [STANCES[int(logits[row, CODES.index(item.card)].argmax())] for row, item in enumerate(items)]
    return {
        "accuracy": share(own == item.stance for own, item in zip(told, items, strict=True)),
        "opposed": share({own, item.stance} == {"+", "-"} for own, item in zip(told, items, strict=True)),
        "n": len(items),
    }
