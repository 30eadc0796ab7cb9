"""An answer: the policy's own sentences with their places, what they come to in a line, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.practices import HALF, ONE
from smallprint.ask.asked import Asked, ask
from smallprint.ask.deciding import AT_FIRST, Decision, State, decide
from smallprint.ask.deeds import DEED_OF
from smallprint.ask.evidence import Evidence
from smallprint.ask.kit import Kit
from smallprint.ask.rankers import rank
from smallprint.ask.scorers.lexical import reduced
from smallprint.ask.stems import stemmed, stems
from smallprint.ask.wording import first_line
from smallprint.models.logistic import sigmoid
from smallprint.records import Span
from smallprint.taxonomy import CATEGORIES, LABELS, plain_name
from smallprint.text import words

SUMMARY = 5
MOST_RANKED = 10
# A span is marked where the reader has one that is part of its sentence, and not most of it, and tells something.
MOST_OF_A_SENTENCE = 0.8
_REFERS_BACK = re.compile(
    r"^(?:however|but|and|also|in addition|for example|otherwise|therefore|if so)?,?\s*"
    r"(?:it|they|these|those|this|that|such|doing so|he|she)\b"
    r"(?!\s+(?:privacy|policy|notice|statement|website|site|web|page|document|section|agreement|app|service)s?\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of the policy that answers: its place, what stands above it, its practice, how likely it bears.

    `span` is the part of it that answers, `refers_to` the sentence before where it opens with "they" or "this";
    `earns` tells that the answer's line rests on it.
    """

    text: str
    place: Span
    passage: int
    headings: tuple[str, ...]
    practice: str | None
    probability: float
    span: Span | None = None
    refers_to: Span | None = None
    earns: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What a policy says on a question. `quotes` are in the policy's order; `rest` are those shown on request.

    `conflict` are two places that say opposite things; `summary` the passages that bear on the question most.
    """

    question: str
    read_as: str
    notes: tuple[str, ...]
    state: State
    line: str
    confidence: float
    quotes: tuple[Quote, ...]
    rest: tuple[Quote, ...] = ()
    conflict: tuple[Span, Span] | None = None
    summary: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A sentence as one ranker alone places it; what the scores mean is the ranker's own."""

    score: float
    text: str
    start: int
    end: int
    segment: int
    headings: tuple[str, ...]


def ranked(text: str, evidence: Evidence, ranker: str, kit: Kit, most: int = MOST_RANKED) -> tuple[Ranked, ...]:
    """Give the best sentences by one ranker alone, the best first."""
    scores = rank(ranker, ask(text, kit), evidence, kit)
    best = [(float(scores[place]), evidence.sentences[place]) for place in np.argsort(-scores, kind="stable")[:most]]
    return tuple(Ranked(score, one.text, one.start, one.end, one.passage, one.headings) for score, one in best)


def answer(text: str, evidence: Evidence, kit: Kit, summary: int = SUMMARY, company: str = "") -> Answer:
    """Answer a question from the sentences of a policy; `company` is the name of its site."""
    asked = ask(text, kit)
    decision = decide(asked, evidence, kit)
    return worded(asked, evidence, decision, summary, company)


def worded(asked: Asked, evidence: Evidence, decision: Decision, summary: int = SUMMARY, company: str = "") -> Answer:
    """Put a decision into an answer."""
    opposed = decision.conflict or ()
    leading = _once(
        evidence, (*opposed, *(one for one in shortened(asked, evidence, decision.chosen) if one not in opposed))
    )
    shown = tuple(evidence.sentences[place].text for place in leading[:AT_FIRST])
    line = first_line(decision.state, asked.question.text, shown, company)
    earning = {leading[rank] for rank in line.rests_on}
    first, rest = sorted(leading[:AT_FIRST]), sorted(leading[AT_FIRST:])
    conflict = None
    if decision.conflict is not None:
        says, denies = (evidence.sentences[place] for place in decision.conflict)
        conflict = (Span(says.start, says.end), Span(denies.start, denies.end))
    return Answer(
        asked.question.asked,
        asked.question.text,
        asked.question.notes,
        decision.state,
        line.text,
        decision.confidence,
        tuple(_quote(evidence, decision, place, place in earning) for place in first),
        tuple(_quote(evidence, decision, place) for place in rest),
        conflict,
        summarised(evidence, decision.scores, summary) if decision.state is not State.FOREIGN else (),
    )


def shortened(asked: Asked, evidence: Evidence, chosen: Sequence[int]) -> tuple[int, ...]:
    """Leave out what speaks against itself beyond the first three (CMU's length reduction), the best first."""
    if len(chosen) <= AT_FIRST:
        return tuple(chosen)
    every = [stems(one.text) for one in evidence.sentences]
    kept = reduced(stemmed(asked.question.words), [every[place] for place in chosen], every)
    return tuple(place for rank, place in enumerate(chosen) if rank < AT_FIRST or rank in kept)


def _once(evidence: Evidence, places: Sequence[int]) -> tuple[int, ...]:
    """Leave out what says the same in the same words as one before."""
    first: dict[str, int] = {}
    for place in places:
        first.setdefault(evidence.sentences[place].spoken, place)
    return tuple(first.values())


def summarised(evidence: Evidence, scores: NDArray[np.float32], most: int) -> tuple[int, ...]:
    """Give the passages that bear on a question most, in the policy's order: a passage counts by its best sentence."""
    best: dict[int, float] = {}
    for one, score in zip(evidence.sentences, scores.tolist(), strict=True):
        best[one.passage] = max(score, best.get(one.passage, -np.inf))
    leading = sorted(best, key=lambda passage: -best[passage])[:most]
    return tuple(sorted(leading))


def refers_back(text: str) -> bool:
    """Tell whether a sentence opens with a word that stands for something said before."""
    return bool(_REFERS_BACK.match(text))


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a range of characters to the borders of words: models read parts of words."""
    while 0 < start < end and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while start < end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return start, end


def _quote(evidence: Evidence, decision: Decision, place: int, earns: bool = False) -> Quote:
    own, reading = evidence.sentences[place], decision.readings[place]
    before = evidence.sentences[place - 1] if place else None
    span = None
    if reading is not None:
        start, end = whole_words(own.text, reading.span.start, reading.span.end)
        if end - start < MOST_OF_A_SENTENCE * len(own.text) and _tells(own.text[start:end]):
            span = Span(own.start + start, own.start + end)
    return Quote(
        own.text,
        Span(own.start, own.end),
        own.passage,
        own.headings,
        practice_of(evidence.labels[place]),
        float(sigmoid(decision.scores[place : place + 1])[0]),
        span,
        Span(before.start, before.end) if before and before.passage == own.passage and refers_back(own.text) else None,
        earns,
    )


def _tells(part: str) -> bool:
    """Tell whether a part of a sentence says something by itself: "we share" alone does not."""
    return bool(stemmed(word for word in words(part) if word not in DEED_OF))


def practice_of(labels: NDArray[np.float32]) -> str | None:
    """Name the practice that a sentence is about, if there is one that holds."""
    best = int(labels[: len(CATEGORIES)].argmax())
    return plain_name(LABELS[best]) if labels[best] >= HALF / ONE else None
