"""Which words of a policy leave open what it says: cue words pick candidate sentences, a model marks vague words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from smallprint.records import Span

# Words that people marked only because it was not plain whom or what they stood for, and phrases that are terms of the
# trade (Srinath et al., PrivaSeer, section 4): they do not count as vague.
COREFERENCE = frozenset("it this they them that these here there you us we following".split())
TERMS = ("personal information", "personally identifiable information", "third party", "third parties")
# A word of a sentence: letters and digits with what joins them, or a single mark. Policies' own words are cut as the
# training sentences were, where marks stand apart.
WORD = re.compile(r"\w+(?:[-./&@]\w+)*|['’]\w+|[^\w\s]")
_APOSTROPHE = re.compile(r"['’]")
# A longer sentence is a list or a table run together; its later words are left unmarked.
LONGEST = 400


class Marker(Protocol):
    """Gives each word of a sentence the probability that a reader finds it vague."""

    def mark(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Give a probability for every word."""
        ...

    @property
    def threshold(self) -> float:
        """From which probability on a word is called vague."""
        ...


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
    """Give the 40 cue words and phrases."""
    table = tomllib.loads((resources.files("smallprint.annotate") / "cues.toml").read_text(encoding="utf-8"))
    return tuple(cue for kind in table.values() for cue in kind)


def is_candidate(sentence: str) -> bool:
    """Tell whether a sentence has a cue word."""
    return _cue_pattern().search(sentence) is not None


def read(text: str, sentences: Iterable[Span], marker: Marker) -> Vagueness:
    """Mark the vague words of a policy's sentences."""
    total = candidates = vague = 0
    found: list[VagueWord] = []
    for span in sentences:
        total += 1
        sentence = text[span.start : span.end]
        if not is_candidate(sentence):
            continue
        candidates += 1
        marked = vague_words(sentence, span.start, marker)
        vague += bool(marked)
        found += marked
    return Vagueness(total, candidates, vague, tuple(found))


def vague_words(sentence: str, start: int, marker: Marker) -> list[VagueWord]:
    """Give the vague words of one sentence that begins at `start`, with their places."""
    places = [match.span() for match, _ in zip(WORD.finditer(sentence), range(LONGEST), strict=False)]
    words = [_APOSTROPHE.sub("'", sentence[a:b]) for a, b in places]
    if not words:
        return []
    marks = marker.mark(words)
    chosen = (marks >= marker.threshold) & countable(words)
    return [
        VagueWord(start + places[i][0], start + places[i][1], round(float(marks[i]), 3)) for i in np.flatnonzero(chosen)
    ]


def countable(words: Sequence[str]) -> NDArray[np.bool_]:
    """Tell which words may count as vague: no marks, no words of reference, no terms of the trade."""
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
