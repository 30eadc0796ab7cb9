"""The card of a policy: what it says on each of the card's questions, and the sentences that it rests on."""

from __future__ import annotations

import json
from dataclasses import dataclass

from smallprint.annotate.kinds import CARD, RULE, Annotator, Kind, loaded, to_json
from smallprint.annotate.vectors import finder, vectors
from smallprint.ask.ranking.units import sentences_of
from smallprint.ask.verdict.card import CardVerdict, Verdict, card_of, stances_of
from smallprint.card import CODES
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


def annotator() -> Annotator:
    """Return who makes a card: the reader of sentences by its version, and those of the rule and of the vectors."""
    return Annotator("card", CARD, f"{store.version(CARD)}+{store.version(RULE)}+{finder().version}")


def make(document: Document) -> tuple[Entry, ...]:
    """Read a document for all questions of the card."""
    sentences = sentences_of(document.text, document.segments)
    stances = stances_of(loaded(CARD).read(vectors(document)))
    places = [Place(sentence.segment, sentence.start, sentence.end) for sentence in sentences]
    return tuple(_entry(own, places) for own in card_of(stances, loaded(RULE)))


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
    annotator=lambda quality: annotator() if quality == "full" else None,
    make=lambda document, model: make(document),
    encode=_encode,
    decode=_decode,
    rows=lambda entries: tuple((own.code, str(own.verdict), own.confidence) for own in entries),
    table="verdicts",
)
