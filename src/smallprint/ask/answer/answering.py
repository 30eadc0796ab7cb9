"""An answer: the policy's own sentences with their places, what they come to in a line, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from smallprint.addresses import passage_path
from smallprint.ask.answer.decision import AT_FIRST, Card, Decision, State, decide
from smallprint.ask.answer.first_line import claim, first_line, plain_line
from smallprint.ask.english.lexicon import PLAIN_DEED, pattern
from smallprint.ask.model_set import Kit
from smallprint.ask.question.analysis import Asked, ask
from smallprint.ask.ranking.evidence import Evidence
from smallprint.ask.ranking.rankers import rank
from smallprint.ask.ranking.scorers import Scores, certainty, reduced
from smallprint.ask.ranking.stems import stemmed, stems
from smallprint.card import Verdict
from smallprint.models.labels import HALF, ONE
from smallprint.models.logistic import sigmoid
from smallprint.records import Citation, Quote, Sentence, Span
from smallprint.taxonomy import CATEGORIES, LABELS, plain_name
from smallprint.text import words

SUMMARY = 5
MOST_RANKED = 10
# A span is marked where the reader has one that is part of its sentence, and not most of it, and tells something.
MOST_OF_A_SENTENCE = 0.8
_REFERS_BACK = pattern(
    r"^(?:however|but|and|also|in addition|for example|otherwise|therefore|if so)?,?\s*"
    r"(?:it|they|these|those|this|that|such|doing so|he|she)\b"
    r"(?!\s+(?:privacy|policy|notice|statement|website|site|web|page|document|section|agreement|app|service)s?\b)"
)


@dataclass(frozen=True, slots=True)
class Source:
    """The policy that is asked; its domain has the name by which it may speak of itself. One not stored has no ids."""

    policy_id: str | None = None
    version_id: str | None = None
    url: str = ""
    title: str = ""
    domain: str = ""

    def cite(self, segment: int) -> dict[str, Any]:
        """Return what every citation from a passage of the policy has."""
        path = passage_path(self.policy_id, self.version_id, segment) if self.policy_id and self.version_id else None
        return {"policy_id": self.policy_id, "version_id": self.version_id, "segment": segment, "permalink": path}

    def quote(self, sentence: Sentence | Citation) -> dict[str, Any]:
        """Return what every citation of a sentence of the policy has."""
        own = {name: getattr(sentence, name) for name in ("start", "end", "text", "headings")}
        return {**self.cite(sentence.segment), **own, "lead_in": sentence.lead_in or None}


UNSTORED = Source()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a policy says on a question: the state, the verdict and a plain line, then sentences, the best first.

    `confidence` is how likely the verdict is right, `certainty` how plainly the question is about one practice, 0 to 1.
    `rest` are further sentences, `conflict` two places that say opposite things, `summary` the passages that bear on
    the question most. `read_as` is the question as it was read, `notes` say what was changed for that. A policy that
    is not stored has no ids.
    """

    policy_id: str | None
    version_id: str | None
    url: str
    title: str
    question: str
    read_as: str
    notes: tuple[str, ...]
    state: State
    line: str
    confidence: float
    certainty: float
    quotes: tuple[Quote, ...]
    rest: tuple[Quote, ...] = ()
    conflict: tuple[Span, Span] | None = None
    summary: tuple[Citation, ...] = ()
    verdict: Verdict = Verdict.NOT_SURE


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked(Citation):
    """A sentence as one ranker alone places it; what the scores mean is the ranker's own."""

    score: float


def ranked(text: str, evidence: Evidence, ranker: str, kit: Kit, source: Source = UNSTORED) -> tuple[Ranked, ...]:
    """Return the ten best sentences by one ranker alone, the best first."""
    scores = rank(ranker, ask(text, kit), evidence, kit)
    best = np.argsort(-scores, kind="stable")[:MOST_RANKED].tolist()
    return tuple(Ranked(**source.quote(evidence.sentences[place]), score=float(scores[place])) for place in best)


def answer(
    text: str, evidence: Evidence, kit: Kit, source: Source = UNSTORED, summary: int = SUMMARY, card: Card | None = None
) -> Answer:
    """Answer a question from the sentences of a policy, and its card, with so many passages that bear on it most."""
    asked = ask(text, kit)
    return worded(asked, evidence, decide(asked, evidence, kit, card), source, summary)


def worded(
    asked: Asked, evidence: Evidence, decision: Decision, source: Source = UNSTORED, summary: int = SUMMARY
) -> Answer:
    """Put a decision into an answer."""
    opposed = decision.conflict or ()
    chosen = [place for place in shortened(asked, evidence, decision.chosen) if place not in opposed]
    # What says the same in the same words as one before is left out.
    first: dict[str, int] = {}
    for place in (*opposed, *chosen):
        first.setdefault(evidence.sentences[place].spoken, place)
    leading = tuple(first.values())
    texts = tuple(evidence.sentences[place].text for place in leading[:AT_FIRST])
    speaking = tuple(rank for rank, place in enumerate(leading[:AT_FIRST]) if decision.speaks(place))
    question, company = asked.question.text, source.domain.partition(".")[0]
    verdict, line = decision.verdict, first_line(decision.verdict, question, texts, company, speaking)
    if line.text == plain_line(Verdict.TOLD):  # the words may say otherwise
        verdict = Verdict.TOLD
    if decision.verdict is Verdict.TOLD:  # nobody was sure enough of the leaning, unless the words themselves state it
        stated = claim(decision.leaning, question, texts, company)
        verdict, line = (decision.leaning, stated) if stated and stated.rests_on else (verdict, line)
    earning = {leading[rank] for rank in line.rests_on}
    places = [Span(evidence.sentences[place].start, evidence.sentences[place].end) for place in opposed]
    passages = summarised(evidence, decision.scores, summary) if decision.state is not State.FOREIGN else ()
    return Answer(
        source.policy_id, source.version_id, source.url, source.title, asked.question.asked, asked.question.text,
        asked.question.notes, decision.state, line.text, round(decision.confidence, 3),
        round(float(certainty(asked.labels)), 3),
        tuple(_quote(evidence, decision, place, source, place in earning) for place in leading[:AT_FIRST]),
        tuple(_quote(evidence, decision, place, source) for place in leading[AT_FIRST:]),
        (places[0], places[1]) if places else None,
        tuple(_passage(evidence, segment, source) for segment in passages if segment in evidence.segments),
        verdict,
    )  # fmt: skip


def shortened(asked: Asked, evidence: Evidence, chosen: Sequence[int]) -> tuple[int, ...]:
    """Leave out what speaks against itself beyond the first three (CMU's length reduction), the best first."""
    if len(chosen) <= AT_FIRST:
        return tuple(chosen)
    every = [stems(sentence.text) for sentence in evidence.sentences]
    kept = reduced(stemmed(asked.question.words), [every[place] for place in chosen], every)
    return tuple(place for rank, place in enumerate(chosen) if rank < AT_FIRST or rank in kept)


def summarised(evidence: Evidence, scores: Scores, most: int) -> tuple[int, ...]:
    """Return the passages that bear on a question most, in the policy's order: each counts by its best sentence."""
    best: dict[int, float] = {}
    for sentence, score in zip(evidence.sentences, scores.tolist(), strict=True):
        best[sentence.segment] = max(score, best.get(sentence.segment, -np.inf))
    return tuple(sorted(sorted(best, key=lambda segment: -best[segment])[:most]))


def refers_back(text: str) -> bool:
    """Return whether a sentence opens with a word that stands for something said before."""
    return bool(_REFERS_BACK.match(text))


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a range of characters to the borders of words: models read parts of words."""
    while 0 < start < end and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while start < end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return start, end


def _passage(evidence: Evidence, segment: int, source: Source) -> Citation:
    own = evidence.segments[segment]
    text = evidence.text[own.start : own.end]
    return Citation(**source.quote(Sentence(text, own.headings, segment, own.start, own.end)))


def _quote(evidence: Evidence, decision: Decision, place: int, source: Source, earns: bool = False) -> Quote:
    own, reading = evidence.sentences[place], decision.readings[place]
    part = None
    if reading is not None:
        start, end = whole_words(own.text, reading.span.start, reading.span.end)
        # "We share" alone tells nothing.
        tells = stemmed(word for word in words(own.text[start:end]) if word not in PLAIN_DEED)
        if tells and end - start < MOST_OF_A_SENTENCE * len(own.text):
            part = Span(own.start + start, own.start + end)
    before = evidence.sentences[place - 1] if place else None
    refers = before if before and before.segment == own.segment and refers_back(own.text) else None
    introduced = evidence.segments[own.segment].lead_in if own.segment in evidence.segments else None
    if introduced and evidence.text[introduced.start : introduced.end] != own.lead_in:
        introduced = None  # the heads of a row's columns are put together from several places
    return Quote(
        **{**source.quote(own), "lead_in": own.lead_in or (refers.text if refers else None)},
        refers_to=introduced or (Span(refers.start, refers.end) if refers else None),
        probability=round(float(sigmoid(decision.scores[place : place + 1])[0]), 3),
        practice=practice_of(evidence.labels[place]), answer=part, earns=earns,
    )  # fmt: skip


def practice_of(labels: Scores) -> str | None:
    """Name the practice that a sentence is about, if there is one that holds."""
    best = int(labels[: len(CATEGORIES)].argmax())
    return plain_name(LABELS[best]) if labels[best] >= HALF / ONE else None
