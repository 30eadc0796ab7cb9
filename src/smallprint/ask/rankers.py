"""Every way of ranking a policy's sentences for a question, by name: each can be used alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.asked import Asked, expanded
from smallprint.ask.evidence import Evidence
from smallprint.ask.features import CHEAP_SCORERS, PARTS, cheap_features, full_features
from smallprint.ask.kit import Kit
from smallprint.ask.scorers import chance, closed, lexical, pribot
from smallprint.ask.stems import rarity, stems
from smallprint.models.reader import Read, Reading

Scores = NDArray[np.float32]
Ranker = Callable[[Asked, Evidence, Kit], Scores]
# The reader costs most: in the default path it reads so many sentences, the best by what costs little.
RESCORED = 32
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
    """Score by all together, as logits, and give what the reader said of those it read; a part may be left out."""
    cheap = cheap_features(evidence, {name: RANKERS[name](asked, evidence, kit) for name in CHEAP_SCORERS})
    first = kit.combiner.first_look(cheap, without)
    if without == READER:
        return first, [None] * len(evidence)
    best = np.argsort(-first, kind="stable")[:rescored]
    readings: list[Reading | None] = [None] * len(evidence)
    for place, reading in zip(best.tolist(), read(asked.question.text, evidence, best, kit), strict=True):
        readings[place] = reading
    return kit.combiner.combine(full_features(cheap, readings), best, without), readings


def _dense(asked: Asked, evidence: Evidence, kit: Kit) -> Scores:
    return np.asarray(evidence.vectors @ asked.vectors[0])


def _paraphrased(asked: Asked, evidence: Evidence, kit: Kit) -> Scores:
    return np.asarray((evidence.vectors @ asked.vectors.T).max(axis=1))


def _bm25(asked: Asked, evidence: Evidence, kit: Kit) -> Scores:
    return lexical.scores(expanded(asked, kit), [stems(one.spoken) for one in evidence.sentences], rarity())


def _bm25_bare(asked: Asked, evidence: Evidence, kit: Kit) -> Scores:
    return lexical.scores(asked.stems, [stems(one.spoken) for one in evidence.sentences], rarity())


def _reader(asked: Asked, evidence: Evidence, kit: Kit, texts: Iterable[str]) -> Scores:
    """Give each sentence's greatest answerability over ways of asking (Keymanesh)."""
    every = np.arange(len(evidence))
    return np.max([[one.answerability for one in read(text, evidence, every, kit)] for text in texts], axis=0)  # type: ignore[no-any-return]


def _some_ways(asked: Asked) -> list[str]:
    """Give some paraphrases of every kind; Keymanesh have six a question on average."""
    kinds: dict[str, list[str]] = {}
    for one in asked.paraphrases:
        kinds.setdefault(one.source.partition(":")[0].partition(",")[0], []).append(one.text)
    return [text for texts in kinds.values() for text in texts[:OF_A_KIND]]


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


def _without(part: str) -> Ranker:
    return lambda asked, evidence, kit: combined(asked, evidence, kit, part)[0]


RANKERS: dict[str, Ranker] = {
    COMBINED: lambda asked, evidence, kit: combined(asked, evidence, kit)[0],
    "reader": lambda asked, evidence, kit: _reader(asked, evidence, kit, [asked.question.text, *_some_ways(asked)]),
    "reader without expansion": lambda asked, evidence, kit: _reader(asked, evidence, kit, [asked.question.text]),
    "reader without spans": _relevance,
    "dense": _dense,
    "paraphrased": _paraphrased,
    "bm25": _bm25,
    "bm25 without expansion": _bm25_bare,
    "pribot": lambda asked, evidence, kit: pribot.scores(asked.labels, evidence.labels),
    "closed": lambda asked, evidence, kit: closed.scores(asked.labels, evidence.labels),
    "semvec": lambda asked, evidence, kit: kit.semvec.scores(asked.vectors[0], evidence.vectors),
    "random": lambda asked, evidence, kit: chance.scores(asked.question.text, len(evidence)),
    "combined with all read": lambda asked, evidence, kit: combined(asked, evidence, kit, rescored=len(evidence))[0],
    **{f"{COMBINED} without {part}": _without(part) for part in PARTS},
}
