"""Sentences of policies whose vague words readers marked (Lebanoff and Liu 2018).

A word is vague where a phrase that two readers or more marked covers it, at every whole-word occurrence; words marked
only for what they refer to, and terms of the trade, do not count. Words are what stands between blanks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.errors import NoData
from smallprint.models.windows import COREFERENCE, TERMS

FILE = Path("labelled/vagueness/train.json")
ENOUGH = 2


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence, its words, and how many readers marked each; None where nobody was asked."""

    id: str
    document: str
    words: tuple[str, ...]
    votes: NDArray[np.int64] | None

    @property
    def vague(self) -> NDArray[np.bool_]:
        """Which words are vague."""
        assert self.votes is not None
        return np.asarray(self.votes >= ENOUGH)


def sentences(path: Path) -> list[Marked]:
    """Return the sentences of a file in the layout of `vagueness/train.json`."""
    try:
        documents = json.loads(path.read_text(encoding="utf-8"))["docs"]
        return [_marked(row, str(document["id"])) for document in documents for row in document["vague_sentences"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoData(f"{path} is no file of vague sentences ({error}); give one in the layout of train.json") from None


def _marked(row: dict[str, Any], document: str) -> Marked:
    words = tuple(row["sentence_str"].split())
    if row.get("vague_phrases") is None:
        return Marked(str(row["id"]), document, words, None)
    folded = [word.lower() for word in words]
    votes = np.zeros(len(words), dtype=np.int64)
    for phrase, count in row["vague_phrases"].items():
        parts = phrase.lower().split()
        if not parts or " ".join(parts) in TERMS or (len(parts) == 1 and parts[0] in COREFERENCE):
            continue
        for place in range(len(words) - len(parts) + 1):
            if folded[place : place + len(parts)] == parts:
                covered = votes[place : place + len(parts)]
                np.maximum(covered, int(count), out=covered)
    return Marked(str(row["id"]), document, words, votes)
