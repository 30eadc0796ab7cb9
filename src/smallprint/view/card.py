"""The card of a policy for whoever reads it: each question in words, its verdict, and the sentences behind it."""

from __future__ import annotations

from dataclasses import dataclass

from smallprint.addresses import passage_path
from smallprint.annotate.card import Place
from smallprint.annotate.registry import Annotation
from smallprint.ask.verdict.card import Verdict
from smallprint.card import QUESTIONS
from smallprint.library import Library, reading
from smallprint.library.reading import PolicyEntry, VersionEntry
from smallprint.records import Citation, Segment


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
    """The card of a version, with the model that made it, and on which day."""

    policy_id: str
    version_id: str
    title: str
    url: str
    model: str
    model_version: str
    made_on: str | None
    answers: tuple[CardAnswer, ...]


def card(library: Library, entry: PolicyEntry, version: VersionEntry, made: Annotation) -> Card:
    """Put the words of a policy to its card."""
    text = reading.text(library, version.version_id)
    segments = {segment.ordinal: segment for segment in reading.segments(library, version.version_id)}

    def quote(place: Place) -> Citation:
        return _citation(entry.policy_id, version.version_id, text, segments[place.segment], place)

    answers = tuple(
        CardAnswer(
            own.code, QUESTIONS[own.code], own.verdict, own.leaning, own.confidence, tuple(map(quote, own.places))
        )
        for own in made.content
    )
    by = made.annotator
    of = (entry.policy_id, version.version_id, version.title, entry.url)
    return Card(*of, by.model, by.version, by.made_on, answers)


def _citation(policy_id: str, version_id: str, text: str, segment: Segment, place: Place) -> Citation:
    lead_in = text[segment.lead_in.start : segment.lead_in.end] if segment.lead_in else None
    return Citation(
        policy_id=policy_id, version_id=version_id, segment=segment.ordinal, start=place.start, end=place.end,
        text=text[place.start : place.end], headings=segment.headings, lead_in=lead_in,
        permalink=passage_path(policy_id, version_id, segment.ordinal),
    )  # fmt: skip
