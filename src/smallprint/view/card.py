"""The card of a policy for whoever reads it: each question in words, its verdict, and the sentences behind it."""

from __future__ import annotations

from dataclasses import dataclass

from smallprint.annotate.card import Place, quality_of
from smallprint.annotate.kinds import Quality
from smallprint.annotate.registry import Annotation
from smallprint.ask.answer.answering import Source
from smallprint.ask.ranking.units import sentences_of
from smallprint.card import QUESTIONS, Verdict
from smallprint.library import Library, reading
from smallprint.library.reading import PolicyEntry, VersionEntry
from smallprint.records import Citation


@dataclass(frozen=True, slots=True)
class CardAnswer:
    """What a policy says on a question of the card; `quotes` are the sentences it rests on, the best first.

    `confidence` is how likely `leaning` is right, which is also the verdict where one can be sure: 0 to 1.
    """

    code: str
    question: str
    verdict: Verdict
    leaning: Verdict
    confidence: float
    quotes: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """The card of a version, with the model that made it, in which quality and on which day."""

    policy_id: str
    version_id: str
    title: str
    url: str
    quality: Quality
    model: str
    model_version: str
    made_on: str | None
    answers: tuple[CardAnswer, ...]


def card(library: Library, entry: PolicyEntry, version: VersionEntry, annotation: Annotation) -> Card:
    """Put the words of a policy to its card."""
    text, segments = reading.text(library, version.version_id), reading.segments(library, version.version_id)
    units = {(unit.segment, unit.start, unit.end): unit for unit in sentences_of(text, segments)}
    source = Source(entry.policy_id, version.version_id)

    def quote(place: Place) -> Citation:
        return Citation(**source.quote(units[place.segment, place.start, place.end]))

    answers = tuple(
        CardAnswer(
            line.code, QUESTIONS[line.code], line.verdict, line.leaning, line.confidence, tuple(map(quote, line.places))
        )
        for line in annotation.content
    )
    by = annotation.annotator
    of = (entry.policy_id, version.version_id, version.title, entry.url)
    return Card(*of, quality_of(by.model), by.model, by.version, by.made_on, answers)
