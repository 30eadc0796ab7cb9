"""Two to four policies side by side: what each says, denies or is silent about, in its own words, and its measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.mentions import Name, names
from smallprint.annotate.practices import practices
from smallprint.ask.answer.answering import Source
from smallprint.ask.ranking.units import sentence_at
from smallprint.errors import BadQuery
from smallprint.library.file import Library
from smallprint.library.reading import PolicyEntry
from smallprint.models.labels import HALF, ONE, Labeller, column, holding, joint, student
from smallprint.records import Quote, Segment, Sentence
from smallprint.taxonomy import DOES, DOES_NOT, POLARITY, Label, plain_name
from smallprint.view.labels import TELLING, NamedLabel
from smallprint.view.policy import PolicyRecord, policy_record, read_version

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

FEWEST, MOST = 2, 4

_Table = NDArray[np.uint8]
# "Silent" is what the policy does not say, as far as the annotations tell; it is no denial. "Unknown" is a policy that
# was not annotated yet.
State = Literal["says", "denies", "both", "silent", "unknown"]


@dataclass(frozen=True, slots=True)
class Cell:
    """What one policy says on one matter: the sentence that affirms it, the one that denies it, and how likely."""

    state: State
    probability: float | None = None
    affirmed: Quote | None = None
    denied: Quote | None = None
    segments: int = 0


@dataclass(frozen=True, slots=True)
class Row(NamedLabel):
    """A practice, or a detail of one, and what each policy says of it; "silent" is no denial."""

    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class MentionRow:
    """Something that one of the policies names, and how often each does."""

    name: Name
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Policies side by side, in the order in which they were asked for; under each category come its values."""

    columns: tuple[PolicyRecord, ...]
    rows: tuple[Row, ...]
    mentions: tuple[MentionRow, ...]


def compare(library: Library, entries: Sequence[PolicyEntry], labeller: Labeller | None = None) -> Comparison:
    """Put the current versions of two to four policies side by side; `labeller` chooses which sentences are quoted."""
    if not FEWEST <= len(entries) <= MOST:
        raise BadQuery(f"name {FEWEST} to {MOST} policies to compare, not {len(entries)}")
    if len({entry.policy_id for entry in entries}) < len(entries):
        raise BadQuery("a policy cannot be compared with itself; name different ones, or see 'smallprint diff'")
    columns, tables, mentions = [], [], []
    for entry in entries:
        text, segments, annotations = read_version(library, entry.current_version)
        table = dict.fromkeys(TELLING, Cell("unknown" if annotations.practices is None else "silent"))
        if annotations.practices is not None:
            source = Source(entry.policy_id, entry.current_version)
            table |= cells(source, text, segments, annotations.practices, TELLING, labeller or student())
        columns.append(policy_record(library, entry, annotations=annotations))
        tables.append(table)
        mentions.append(Counter(mention.name for mention in annotations.mentions or ()))
    rows = (Row(*label, plain_name(label), tuple(table[label] for table in tables)) for label in TELLING)
    named = (MentionRow(name, tuple(counts[name.id] for counts in mentions)) for name in names())
    return Comparison(
        tuple(columns),
        tuple(row for row in rows if any(cell.segments for cell in row.cells)),
        tuple(row for row in named if any(row.counts)),
    )


def cells(
    source: Source, text: str, segments: Sequence[Segment], probabilities: _Table, labels: Collection[Label],
    labeller: Labeller,
) -> dict[Label, Cell]:  # fmt: skip
    """Quote a policy on each of these labels that holds anywhere in it."""
    holds, likely = holding(probabilities), joint(probabilities)
    rows = {segment.ordinal: row for row, segment in enumerate(segments)}
    own = [practice for practice in practices(probabilities, segments) if practice.label in labels]
    quotable = sorted({rows[ordinal] for practice in own for ordinal in practice.segments[:MOST_SEGMENTS]})
    passages = [segments[row] for row in quotable]
    sentences = {at.ordinal: [sentence_at(text, at, span) for span in at.sentences or (at,)] for at in passages}
    if not sentences:
        return {}
    every = [sentence for some in sentences.values() for sentence in some]
    read = np.rint(labeller.labels([sentence.spoken for sentence in every]) * ONE).astype(np.uint8)
    readings = dict(zip(every, zip(read, joint(read), strict=True), strict=True))
    table = {}
    for practice in own:
        place = column(practice.label)
        best: dict[bool, tuple[float, Quote]] = {}
        for sentence in (sentence for ordinal in practice.segments[:MOST_SEGMENTS] for sentence in sentences[ordinal]):
            row, (reading, chances) = rows[sentence.segment], readings[sentence]
            denies, factor = _polarity(practice.label, holds[row], reading)
            probability = float(likely[row, place])
            score = probability * max(LEAST_CHANCE, float(chances[place])) * _quotability(sentence) * factor
            if denies not in best or score > best[denies][0]:
                cited = source.quote(sentence)
                refers_to = segments[row].lead_in
                best[denies] = (score, Quote(**cited, refers_to=refers_to, probability=round(probability, 3)))
        quotes = {denies: quote for denies, (_, quote) in best.items()}
        state: State = "both" if len(quotes) == 2 else "denies" if True in quotes else "says"
        most = max(quote.probability for quote in quotes.values())
        table[practice.label] = Cell(state, most, quotes.get(False), quotes.get(True), len(practice.segments))
    return table


def _quotability(sentence: Sentence) -> float:
    """Return how fit a sentence is to be quoted by itself."""
    fitness = 1.0 if sentence.text.endswith(ENDS) else UNFINISHED
    return fitness if len(sentence.spoken.split()) >= FEWEST_WORDS else fitness * SHORT


def _polarity(label: Label, holds: NDArray[np.bool_], read: _Table) -> tuple[bool, float]:
    """Return whether a sentence denies: by what was said of its passage or, where that is undecided, by itself."""
    if label.category not in _POLARITY:
        return False, 1.0
    does, does_not = _POLARITY[label.category]
    alone = bool(read[does_not] >= HALF and read[does_not] > read[does])
    if bool(holds[does]) == bool(holds[does_not]):
        return alone, 1.0
    denies = bool(holds[does_not])
    return denies, 1.0 if alone == denies else CONTRARY
