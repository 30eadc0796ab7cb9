"""For each label of a policy the sentence that says it best, or that denies it: whole sentences, with their places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.practices import HALF, ONE, Labeller, column, holding, joint
from smallprint.records import Segment, Span
from smallprint.taxonomy import DOES, DOES_NOT, POLARITY, Label

# The likeliest segments of a label, among which the sentence is looked for: a policy may say a thing fifty times.
MOST_SEGMENTS = 6
# What is quoted only where nothing nearly as good is there: what does not end like a sentence, as a table's cell; a
# sentence that by itself seems to say the contrary of its passage; a few words that name a thing and say nothing of it.
UNFINISHED, CONTRARY, SHORT = 0.6, 0.5, 0.2
FEWEST_WORDS = 5
# A sentence of a passage has some chance even where the labeller sees nothing in it by itself.
LEAST_CHANCE = 0.02
ENDS = (".", "!", "?", ".”", '."', ".)", ".]", "!”", "?”")
_POLARITY = {category: (column(Label(category, attribute, DOES)), column(Label(category, attribute, DOES_NOT)))
             for category, attribute, _ in POLARITY}  # fmt: skip

_Table = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a policy in its own words, with the words that introduce it where it is an item of a list.

    `probability` is that of the label for the whole segment.
    """

    ordinal: int
    start: int
    end: int
    text: str
    lead_in: str | None
    probability: float


@dataclass(frozen=True, slots=True)
class Said:
    """What a policy says under a label: the sentence that best affirms it, and the one that best denies it."""

    affirmed: Quote | None
    denied: Quote | None


@dataclass(frozen=True, slots=True)
class _Sentence:
    row: int
    span: Span
    passage: str
    factor: float


def said(
    text: str, segments: Sequence[Segment], probabilities: _Table, labels: Iterable[Label], labeller: Labeller
) -> dict[Label, Said]:
    """Quote a policy on each of these labels that holds anywhere in it."""
    holds, likely = holding(probabilities), joint(probabilities)
    rows: dict[Label, list[int]] = {}
    for label in labels:
        place = column(label)
        found = np.flatnonzero(holds[:, place])
        if len(found):
            order = np.argsort(-likely[found, place], kind="stable")[:MOST_SEGMENTS]
            rows[label] = found[order].tolist()
    sentences = [one for row in sorted({row for some in rows.values() for row in some})
                 for one in _sentences(text, segments, row)]  # fmt: skip
    read = np.rint(labeller.labels([one.passage for one in sentences]) * ONE).astype(np.uint8) if sentences else None
    if read is None:
        return {}
    by_row: dict[int, list[int]] = {}
    for number, one in enumerate(sentences):
        by_row.setdefault(one.row, []).append(number)
    chances = joint(read)
    quoted = {}
    for label, some in rows.items():
        place = column(label)
        best: dict[bool, tuple[float, int]] = {}
        for number in (number for row in some for number in by_row[row]):
            one = sentences[number]
            denies, factor = _polarity(label, holds[one.row], read[number])
            chance = float(likely[one.row, place]) * max(LEAST_CHANCE, float(chances[number, place]))
            score = chance * one.factor * factor
            if denies not in best or score > best[denies][0]:
                best[denies] = (score, number)
        quotes = {
            denies: _quote(text, segments, sentences[number], float(likely[sentences[number].row, place]))
            for denies, (_, number) in best.items()
        }
        quoted[label] = Said(quotes.get(False), quotes.get(True))
    return quoted


def _sentences(text: str, segments: Sequence[Segment], row: int) -> list[_Sentence]:
    segment = segments[row]
    lead = f"{_lead_in(text, segment)} " if segment.lead_in else ""
    found = []
    for span in segment.sentences or (Span(segment.start, segment.end),):
        own = text[span.start : span.end]
        factor = 1.0 if own.endswith(ENDS) else UNFINISHED
        if len((lead + own).split()) < FEWEST_WORDS:
            factor *= SHORT
        found.append(_Sentence(row, span, lead + own, factor))
    return found


def _polarity(label: Label, holds: NDArray[np.bool_], read: _Table) -> tuple[bool, float]:
    """Tell whether a sentence denies; what was said of its passage counts, and the sentence where that is undecided."""
    if label.category not in _POLARITY:
        return False, 1.0
    does, does_not = _POLARITY[label.category]
    alone = bool(read[does_not] >= HALF and read[does_not] > read[does])
    if bool(holds[does]) == bool(holds[does_not]):
        return alone, 1.0
    denies = bool(holds[does_not])
    return denies, 1.0 if alone == denies else CONTRARY


def _quote(text: str, segments: Sequence[Segment], sentence: _Sentence, probability: float) -> Quote:
    segment, span = segments[sentence.row], sentence.span
    lead = _lead_in(text, segment) if segment.lead_in else None
    return Quote(segment.ordinal, span.start, span.end, text[span.start : span.end], lead, round(probability, 3))


def _lead_in(text: str, segment: Segment) -> str:
    assert segment.lead_in
    return text[segment.lead_in.start : segment.lead_in.end]
