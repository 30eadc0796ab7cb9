"""What is known of each sentence for a question, in numbers: what the combiner weighs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.evidence import Evidence
from smallprint.models.reader import Reading

Scores = Mapping[str, NDArray[np.float32]]
# The scorers that cost little, and so speak of every sentence.
CHEAP_SCORERS = ("dense", "bm25", "pribot", "closed")
CHEAP = (
    *CHEAP_SCORERS,
    *(f"{name}, against the policy's others" for name in CHEAP_SCORERS),
    "dense of the sentence before",
    "dense of the sentence after",
    "words",
    "place",
)
READ = ("answers", "bears", "informativeness", "bears, of the sentence before", "bears, of the sentence after")
FULL = (*CHEAP, *READ)
# A reading that was not made is taken for a plain no.
UNREAD = -6.0


def cheap_features(evidence: Evidence, scores: Scores) -> NDArray[np.float32]:
    """Give a row a sentence, a column a feature, of what costs little."""
    own = [scores[name] for name in CHEAP_SCORERS]
    dense = scores["dense"]
    lengths = np.log1p([len(one.text.split()) for one in evidence.sentences])
    places = np.arange(len(evidence)) / max(1, len(evidence) - 1)
    columns = [
        *own,
        *(_standing(one) for one in own),
        *neighbours(dense, float(dense.min(initial=0.0))),
        lengths,
        places,
    ]
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


def full_features(cheap: NDArray[np.float32], readings: Sequence[Reading | None]) -> NDArray[np.float32]:
    """Add what the reader says; what it did not read counts as a no."""
    said = [(UNREAD,) * 3 if one is None else (one.answers, one.bears, one.informativeness) for one in readings]
    answers, bears, informativeness = np.array(said, dtype=np.float32).reshape(-1, 3).T
    read = [answers, bears, informativeness, *neighbours(bears, UNREAD)]
    return np.concatenate([cheap, np.stack(read, axis=1)], axis=1)


def neighbours(column: NDArray[np.float32], nothing: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Give the values of the sentences before and after each."""
    padded = np.concatenate([[nothing], column, [nothing]]).astype(np.float32)
    return padded[:-2], padded[2:]


def _standing(column: NDArray[np.float32]) -> NDArray[np.float32]:
    """Say by how many standard deviations each is above the policy's mean."""
    spread = float(column.std()) if len(column) else 0.0
    return (column - column.mean()) / spread if spread > 1e-6 else np.zeros_like(column)
