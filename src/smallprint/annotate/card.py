"""The card of a policy: what it says on each of the card's questions, and the sentences that it rests on.

In full quality it is read from the finder's vectors, in fast quality from the words alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from smallprint.annotate.kinds import CARD, CARD_STUDENT, RULE, TOWER, Annotator, Kind, Quality, to_json
from smallprint.annotate.vectors import finder, vectors
from smallprint.ask.model_set import kit
from smallprint.ask.ranking.units import UNITS, sentences_of
from smallprint.ask.verdict.card import CardVerdict, card_of, card_stances, read_card_fast
from smallprint.card import CODES, Verdict
from smallprint.models import store
from smallprint.records import Document

# Digits of a confidence that are kept.
DIGITS = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence behind a verdict: its segment, and its half-open range in the text."""

    segment: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A verdict on a question of the card: how sure it is, and its sentences, the best first.

    `leaning` is what is likeliest where nobody can be sure, and else the verdict.
    """

    code: str
    verdict: Verdict
    leaning: Verdict
    confidence: float
    places: tuple[Place, ...]

    def verdict_at(self, numbers: Mapping[tuple[int, int, int], int]) -> CardVerdict:
        """Return the verdict with its sentences by number, from those of their segments and ranges."""
        known = ((own.segment, own.start, own.end) for own in self.places)
        places = tuple(numbers[place] for place in known if place in numbers)
        return CardVerdict(self.code, self.verdict, self.leaning, self.confidence, places)


def annotator(quality: Quality) -> Annotator:
    """Return who makes a card: the readers of sentences by their versions, the rule's and the vectors'.

    The student has a rule of its own among its weights, and reads the same units without vectors.
    """
    if quality == "fast":
        return Annotator("card", CARD_STUDENT, f"{store.version(CARD_STUDENT)}.{UNITS}")
    return Annotator("card", CARD, "+".join((*map(store.version, (CARD, TOWER, RULE)), finder().version)))


def quality_of(model: str) -> Quality:
    """Return the quality of the cards that a model makes."""
    return "fast" if model == CARD_STUDENT else "full"


def make(document: Document, model: str = CARD) -> tuple[Entry, ...]:
    """Read a document for all questions of the card."""
    sentences = sentences_of(document.text, document.segments)
    if model == CARD_STUDENT:
        card = read_card_fast(sentences, kit())
    else:
        card = card_of(sentences, card_stances(sentences, vectors(document), kit()), kit().verdicts)
    places = [Place(sentence.segment, sentence.start, sentence.end) for sentence in sentences]
    return tuple(_entry(own, places) for own in card)


def _entry(own: CardVerdict, places: list[Place]) -> Entry:
    earning = tuple(places[place] for place in own.places)
    return Entry(own.code, own.verdict, own.leaning, round(own.confidence, DIGITS), earning)


def _encode(entries: tuple[Entry, ...]) -> bytes:
    return to_json([
        [own.code, own.verdict, own.leaning, own.confidence, [[p.segment, p.start, p.end] for p in own.places]]
        for own in entries
    ])  # fmt: skip


def _decode(content: bytes) -> tuple[Entry, ...]:
    rows = json.loads(content)
    return tuple(
        Entry(code, Verdict(verdict), Verdict(leaning), confidence, tuple(Place(*place) for place in places))
        for code, verdict, leaning, confidence, places in rows
        if code in CODES
    )


KIND = Kind(
    name="card",
    annotator=annotator,
    make=make,
    encode=_encode,
    decode=_decode,
    rows=lambda entries: tuple((own.code, str(own.verdict), own.confidence) for own in entries),
    table="verdicts",
)
