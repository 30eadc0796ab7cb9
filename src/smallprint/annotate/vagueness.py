"""Which words of a policy leave open what it says: cue words pick candidate sentences, a model marks vague words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.kinds import ENCODER, WINDOWS, Kind, by_weights, loaded, table
from smallprint.annotate.readability import running
from smallprint.models.encoder import Encoder
from smallprint.models.windows import COREFERENCE, TERMS, Windows
from smallprint.records import Span

# A word of a sentence: letters and digits with what joins them, or a single mark. Policies' own words are cut as the
# training sentences were, where marks stand apart.
WORD = re.compile(r"\w+(?:[-./&@]\w+)*|['’]\w+|[^\w\s]")
# A longer sentence is a list or a table run together; its later words are left unmarked.
LONGEST = 400


# A model that predicts for each word of a sentence the probability that a reader finds it vague.
Marker = Encoder | Windows


@dataclass(frozen=True, slots=True)
class VagueWord:
    """A vague word and how probable it is that readers find it so."""

    start: int
    end: int
    probability: float


@dataclass(frozen=True, slots=True)
class Vagueness:
    """How vague a policy is: its sentences, those with a cue word, and those with a vague word; and these words."""

    sentences: int
    candidates: int
    vague: int
    words: tuple[VagueWord, ...] = ()

    @property
    def score(self) -> float | None:
        """The share of sentences that are vague, 0 to 1; None where there are none."""
        return self.vague / self.sentences if self.sentences else None


@cache
def cues() -> tuple[str, ...]:
    """Return the 40 cue words and phrases."""
    return tuple(cue for kind in table("cues").values() for cue in kind)


def is_candidate(sentence: str) -> bool:
    """Return whether a sentence has a cue word."""
    return _cue_pattern().search(sentence) is not None


def read(text: str, sentences: Iterable[Span], marker: Marker) -> Vagueness:
    """Mark the vague words of a policy's sentences."""
    spans = list(sentences)
    candidates = [span for span in spans if is_candidate(text[span.start : span.end])]
    marked = [vague_words(text[span.start : span.end], span.start, marker) for span in candidates]
    return Vagueness(len(spans), len(candidates), sum(map(bool, marked)), tuple(chain.from_iterable(marked)))


def vague_words(sentence: str, start: int, marker: Marker) -> list[VagueWord]:
    """Return the vague words of one sentence that begins at `start`, with their places."""
    places = [match.span() for match in islice(WORD.finditer(sentence), LONGEST)]
    words = [sentence[a:b].replace("’", "'") for a, b in places]
    if not words:
        return []
    marks = marker.mark(words)
    chosen = np.flatnonzero((marks >= marker.threshold) & countable(words))
    return [VagueWord(start + places[i][0], start + places[i][1], round(float(marks[i]), 3)) for i in chosen]


def countable(words: Sequence[str]) -> NDArray[np.bool_]:
    """Return which words may count as vague: no marks, no words of reference, no terms of the trade."""
    folded = [word.lower() for word in words]
    allowed = np.array([word not in COREFERENCE and any(map(str.isalnum, word)) for word in folded], dtype=bool)
    for term in TERMS:
        parts = term.split()
        for place in range(len(folded) - len(parts) + 1):
            if folded[place : place + len(parts)] == parts:
                allowed[place : place + len(parts)] = False
    return allowed


@cache
def _cue_pattern() -> re.Pattern[str]:
    phrases = sorted(cues(), key=len, reverse=True)
    words = "|".join(phrase.replace(" ", r",?\s{1,3}") for phrase in phrases)
    return re.compile(rf"\b(?!(?-i:May) \d)(?:{words})\b", re.IGNORECASE)  # the month is no cue


def _decode(content: bytes) -> Vagueness:
    plain = json.loads(content)
    return Vagueness(**{**plain, "words": tuple(VagueWord(**word) for word in plain["words"])})


KIND = Kind(
    name="vagueness",
    annotator=lambda quality: by_weights("vagueness", ENCODER if quality == "full" else WINDOWS),
    make=lambda document, model: read(document.text, running(document.segments), loaded(model)),
    decode=_decode,
    measures=lambda own: {"sentences": own.sentences, "candidates": own.candidates, "vague": own.vague},
)
