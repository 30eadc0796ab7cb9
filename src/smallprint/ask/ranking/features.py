"""What is known of each sentence for a question, in numbers: what the combiner weighs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from smallprint.ask.ranking.evidence import Evidence
from smallprint.ask.ranking.scorers import Scores
from smallprint.models.reader import Reading

# The scorers that cost little, and so speak of every sentence.
CHEAP_SCORERS = ("dense", "paraphrased", "bm25", "pribot", "closed")
CHEAP = (
    *CHEAP_SCORERS,
    *(f"{name}, against the policy's others" for name in CHEAP_SCORERS),
    *(f"dense of the {where}" for where in ("sentence before", "sentence after", "sentences around")),
    "words",
    "place",
)
READ = ("answers", "bears", "informativeness", "bears, of the sentence before", "bears, of the sentence after")
FULL = (*CHEAP, *READ)
# What the combiner can do without, so that it can be measured what each is worth: the columns that go with it.
PARTS: dict[str, tuple[str, ...]] = {
    "the finder": tuple(name for name in CHEAP if name.startswith(("dense", "paraphrased"))),
    "paraphrases": tuple(name for name in CHEAP if name.startswith("paraphrased")),
    "bm25": tuple(name for name in CHEAP if name.startswith("bm25")),
    "pribot": tuple(name for name in CHEAP if name.startswith("pribot")),
    "closed": tuple(name for name in CHEAP if name.startswith("closed")),
    "the reader": READ,
    "spans": ("informativeness",),
    "neighbours": tuple(name for name in FULL if "of the sentence" in name),
    "length and place": ("words", "place"),
}
# A reading that was not made is taken for a plain no.
UNREAD = -6.0
SHORT = 20
# So many sentences to each side are around a sentence.
AROUND = 2


def cheap_features(evidence: Evidence, scores: Mapping[str, Scores]) -> Scores:
    """Return a row a sentence, a column a feature, of what costs little."""
    own = [scores[name] for name in CHEAP_SCORERS]
    dense = scores["dense"]
    around = [*neighbours(dense, float(dense.min(initial=0.0))), _around(dense)]
    lengths = np.log1p([len(sentence.text.split()) for sentence in evidence.sentences])
    places = np.arange(len(evidence)) / max(1, len(evidence) - 1)
    columns = [*own, *map(_standing, own), *around, lengths, places]
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


def full_features(cheap: Scores, readings: Sequence[Reading | None]) -> Scores:
    """Add what the reader says; what it did not read counts as a no, and as a middling neighbour."""
    logits = [
        (UNREAD,) * 3 if reading is None else (reading.answers, reading.bears, reading.informativeness)
        for reading in readings
    ]
    answers, bears, informativeness = np.array(logits, dtype=np.float32).reshape(-1, 3).T
    was_read = np.array([reading is not None for reading in readings], dtype=bool)
    middling = float(np.median(bears[was_read])) if was_read.any() else UNREAD
    read = [answers, bears, informativeness, *neighbours(np.where(was_read, bears, middling), middling)]
    return np.concatenate([cheap, np.stack(read, axis=1)], axis=1)


def neighbours(column: Scores, nothing: float) -> tuple[Scores, Scores]:
    """Return the values of the sentences before and after each."""
    padded = np.concatenate([[nothing], column, [nothing]]).astype(np.float32)
    return padded[:-2], padded[2:]


def _around(column: Scores) -> Scores:
    """Return the mean of each value and those around it; beyond the ends, the last goes on."""
    if not len(column):
        return column
    padded = np.pad(column, AROUND, mode="edge")
    return np.convolve(padded, np.full(2 * AROUND + 1, 1 / (2 * AROUND + 1)), "valid")


def _standing(column: Scores) -> Scores:
    """Return by how many standard deviations each is above the policy's mean.

    A short policy is taken to have further sentences that are as good as its worst: of two, none could stand out.
    """
    further = np.full(max(0, SHORT - len(column)), column.min(initial=np.inf))
    every = np.concatenate([column, further]) if len(column) else column
    spread = float(every.std()) if len(column) else 0.0
    return (column - every.mean()) / spread if spread > 1e-6 else np.zeros_like(column)
