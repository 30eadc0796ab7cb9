"""Every way of ranking a policy's sentences for a question, by name: each can be used alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.asked import Asked, expanded
from smallprint.ask.evidence import Evidence
from smallprint.ask.features import CHEAP_SCORERS, cheap_features, full_features
from smallprint.ask.kit import Kit
from smallprint.ask.scorers import chance, closed, lexical, pribot
from smallprint.ask.stems import rarity, stems
from smallprint.models.reader import Read, Reading

Scores = NDArray[np.float32]
# The reader costs most: in the default path it reads so many sentences, the best by what costs little.
RESCORED = 32
COMBINED = "combined"


def rank(ranker: str, asked: Asked, evidence: Evidence, kit: Kit) -> Scores:
    """Score every sentence; the higher, the better it answers."""
    if not len(evidence):
        return np.zeros(0, dtype=np.float32)
    return RANKERS[ranker](asked, evidence, kit)


def combined(asked: Asked, evidence: Evidence, kit: Kit) -> tuple[Scores, list[Reading | None]]:
    """Score by all together, as logits, and give what the reader said of those it read."""
    cheap = cheap_features(evidence, {name: RANKERS[name](asked, evidence, kit) for name in CHEAP_SCORERS})
    first = kit.combiner.first_look(cheap)
    best = np.argsort(-first, kind="stable")[:RESCORED]
    readings: list[Reading | None] = [None] * len(evidence)
    for place, reading in zip(best.tolist(), read(asked.question.text, evidence, best, kit), strict=True):
        readings[place] = reading
    return kit.combiner.combine(full_features(cheap, readings), read=best), readings


def _dense(asked: Asked, evidence: Evidence, kit: Kit) -> Scores:
    return np.asarray(evidence.vectors.astype(np.float32) @ asked.vectors[0])


def _bm25(asked: Asked, evidence: Evidence, kit: Kit) -> Scores:
    return lexical.scores(expanded(asked, kit), [stems(one.spoken) for one in evidence.sentences], rarity())


def _bm25_bare(asked: Asked, evidence: Evidence, kit: Kit) -> Scores:
    return lexical.scores(asked.stems, [stems(one.spoken) for one in evidence.sentences], rarity())


def _reader(asked: Asked, evidence: Evidence, kit: Kit, texts: Iterable[str]) -> Scores:
    """Give each sentence's greatest answerability over ways of asking (Keymanesh)."""
    every = np.arange(len(evidence))
    return np.max([[one.answerability for one in read(text, evidence, every, kit)] for text in texts], axis=0)  # type: ignore[no-any-return]


def _relevance(asked: Asked, evidence: Evidence, kit: Kit) -> Scores:
    found = read(asked.question.text, evidence, np.arange(len(evidence)), kit)
    return np.array([one.bears for one in found], dtype=np.float32)


def read(text: str, evidence: Evidence, places: NDArray[np.intp], kit: Kit) -> list[Reading]:
    """Let the reader read some sentences, each with what stands above and before it."""
    return kit.reader.read(text, [_as_read(evidence, place) for place in places.tolist()])


def _as_read(evidence: Evidence, place: int) -> Read:
    own = evidence.sentences[place]
    before = own.lead_in or (evidence.sentences[place - 1].text if place else "")
    return Read(own.text, own.headings[-1] if own.headings else "", before)


RANKERS: dict[str, Callable[[Asked, Evidence, Kit], Scores]] = {
    COMBINED: lambda asked, evidence, kit: combined(asked, evidence, kit)[0],
    "reader": lambda asked, evidence, kit: _reader(
        asked, evidence, kit, [asked.question.text, *(one.text for one in asked.paraphrases)]
    ),
    "reader without expansion": lambda asked, evidence, kit: _reader(asked, evidence, kit, [asked.question.text]),
    "reader without spans": _relevance,
    "dense": _dense,
    "bm25": _bm25,
    "bm25 without expansion": _bm25_bare,
    "pribot": lambda asked, evidence, kit: pribot.scores(asked.labels, evidence.labels),
    "closed": lambda asked, evidence, kit: closed.scores(asked.labels, evidence.labels),
    "semvec": lambda asked, evidence, kit: kit.semvec.scores(asked.vectors[0], evidence.vectors.astype(np.float32)),
    "random": lambda asked, evidence, kit: chance.scores(asked.question.text, len(evidence)),
}
