"""Every way of ranking a policy's sentences for a question, by name: each can be used alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.model_set import Kit
from smallprint.ask.question.analysis import Asked, expanded
from smallprint.ask.ranking import scorers
from smallprint.ask.ranking.evidence import Evidence, as_read
from smallprint.ask.ranking.features import CHEAP_SCORERS, PARTS, cheap_features, full_features
from smallprint.ask.ranking.scorers import Scores
from smallprint.ask.ranking.stems import rarity, stems
from smallprint.models.reader import Reading

Ranker = Callable[[Asked, Evidence, Kit], Scores]
# The reader costs most: in the default path it reads so many sentences, the best by what costs little. On PrivacyQA's
# development questions F@5 is 0.907 with 32, 0.918 with 48 and with all.
RESCORED = 48
# Paraphrases of a kind (all rules, one rule, word vectors) that the reader alone reads with every sentence.
OF_A_KIND = 2
COMBINED, READER = "combined", "the reader"


def rank(ranker: str, asked: Asked, evidence: Evidence, kit: Kit) -> Scores:
    """Score every sentence; the higher, the better it answers."""
    if not len(evidence):
        return np.zeros(0, dtype=np.float32)
    return RANKERS[ranker](asked, evidence, kit)


def combined(
    asked: Asked, evidence: Evidence, kit: Kit, without: str = "", rescored: int = RESCORED
) -> tuple[Scores, list[Reading | None]]:
    """Score by all together, as logits, with the reader's readings of those it read; a part may be left out."""
    cheap = cheap_features(evidence, {name: RANKERS[name](asked, evidence, kit) for name in CHEAP_SCORERS})
    first = kit.combiner.first_look(cheap, without)
    readings: list[Reading | None] = [None] * len(evidence)
    if without == READER:
        return first, readings
    best = np.argsort(-first, kind="stable")[:rescored]
    for place, reading in zip(best.tolist(), read(asked.question.text, evidence, best, kit), strict=True):
        readings[place] = reading
    return kit.combiner.combine(full_features(cheap, readings), best, without), readings


def read(text: str, evidence: Evidence, places: NDArray[np.intp], kit: Kit) -> list[Reading]:
    """Let the reader read some sentences, each with what stands above and before it."""
    return kit.reader.read(text, [as_read(evidence.sentences, place) for place in places.tolist()])


def _bm25(question: Mapping[str, float], evidence: Evidence) -> Scores:
    return scorers.bm25(question, [stems(sentence.spoken) for sentence in evidence.sentences], rarity())


def _answerability(asked: Asked, evidence: Evidence, kit: Kit, others: Sequence[str] = ()) -> Scores:
    """Return each sentence's greatest answerability over ways of asking (Keymanesh)."""
    every = np.arange(len(evidence))
    readings = [read(text, evidence, every, kit) for text in (asked.question.text, *others)]
    return np.asarray(np.max([[reading.answerability for reading in of_text] for of_text in readings], axis=0))


def _some_paraphrases(asked: Asked) -> list[str]:
    """Return some paraphrases of every kind; Keymanesh have six a question on average."""
    kinds: dict[str, list[str]] = {}
    for paraphrase in asked.paraphrases:
        kinds.setdefault(paraphrase.source.partition(":")[0].partition(",")[0], []).append(paraphrase.text)
    return [text for texts in kinds.values() for text in texts[:OF_A_KIND]]


def _relevance(asked: Asked, evidence: Evidence, kit: Kit) -> Scores:
    readings = read(asked.question.text, evidence, np.arange(len(evidence)), kit)
    return np.array([reading.bears for reading in readings], dtype=np.float32)


def _combined(asked: Asked, evidence: Evidence, kit: Kit, without: str = "") -> Scores:
    return combined(asked, evidence, kit, without)[0]


RANKERS: dict[str, Ranker] = {
    COMBINED: _combined,
    "reader": lambda asked, evidence, kit: _answerability(asked, evidence, kit, _some_paraphrases(asked)),
    "reader without expansion": _answerability,
    "reader without spans": _relevance,
    "dense": lambda asked, evidence, kit: np.asarray(evidence.vectors @ asked.vectors[0]),
    "paraphrased": lambda asked, evidence, kit: np.asarray((evidence.vectors @ asked.vectors.T).max(axis=1)),
    "bm25": lambda asked, evidence, kit: _bm25(expanded(asked, kit), evidence),
    "bm25 without expansion": lambda asked, evidence, kit: _bm25(asked.stems, evidence),
    "pribot": lambda asked, evidence, kit: scorers.pribot(asked.labels, evidence.labels),
    "closed": lambda asked, evidence, kit: scorers.closed(asked.labels, evidence.labels),
    "semvec": lambda asked, evidence, kit: kit.semvec.scores(asked.vectors[0], evidence.vectors),
    "random": lambda asked, evidence, kit: scorers.chance(asked.question.text, len(evidence)),
    "combined with all read": lambda asked, evidence, kit: combined(asked, evidence, kit, rescored=len(evidence))[0],
    **{f"{COMBINED} without {part}": partial(_combined, without=part) for part in PARTS},
}
