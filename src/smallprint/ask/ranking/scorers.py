"""Scorers that take words or labels alone: chance, closed question answering, BM25 and PriBot's formula.

Of labels, `p(c|x)` is a category's probability and `p(v|x)` a value's given its category, as the practice models say.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from smallprint.models.labels import PARENT
from smallprint.taxonomy import CATEGORIES, LABELS

Scores = NDArray[np.float32]
K1, B = 1.2, 0.75
_CATEGORIES = len(CATEGORIES)
_VALUES = slice(_CATEGORIES, len(LABELS))


def chance(question: str, count: int) -> Scores:
    """Return random scores, always the same for the same question: the least that any scorer has to beat."""
    return np.random.default_rng(zlib.crc32(question.encode())).random(count, dtype=np.float32)


def best_label(question: Scores) -> int:
    """Return the column of the likeliest value under the likeliest category; the category's where it has none."""
    category = int(question[:_CATEGORIES].argmax())
    under = [place for place in range(_CATEGORIES, len(LABELS)) if PARENT[place] == category]
    return max(under, key=lambda place: float(question[place])) if under else category


def closed(question: Scores, sentences: Scores) -> Scores:
    """Return the probability that each sentence has the question's best label; the category alone counts half."""
    label = best_label(question)
    category = sentences[:, PARENT[label]]
    if label == PARENT[label]:
        return category
    return np.asarray(category * (1 + sentences[:, label]) / 2, dtype=np.float32)


def bm25(question: Mapping[str, float], sentences: Sequence[Sequence[str]], idf: Mapping[str, float]) -> Scores:
    """Score sentences, given as stems, by a question's stems with their weights."""
    mean = sum(map(len, sentences)) / max(1, len(sentences)) or 1.0
    scores = np.zeros(len(sentences), dtype=np.float32)
    for place, stems in enumerate(sentences):
        counts = Counter(stems)
        norm = K1 * (1 - B + B * len(stems) / mean)
        scores[place] = sum(
            weight * idf[stem] * counts[stem] * (K1 + 1) / (counts[stem] + norm)
            for stem, weight in question.items()
            if stem in counts
        )
    return scores


def okapi_idf(sentences: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return Okapi's idf over some sentences; it is negative for what stands in more than half of them."""
    counts = Counter(stem for stems in sentences for stem in set(stems))
    return {stem: float(np.log((len(sentences) - n + 0.5) / (n + 0.5))) for stem, n in counts.items()}


def reduced(question: Sequence[str], sentences: Sequence[Sequence[str]], policy: Sequence[Sequence[str]]) -> list[int]:
    """Return the places of some of a policy's sentences, the best first, without those of negative score (CMU)."""
    scores = bm25(dict.fromkeys(question, 1.0), sentences, okapi_idf(policy))
    return [int(place) for place in np.argsort(-scores, kind="stable") if scores[place] >= 0]


def practice_vector(labels: Scores) -> Scores:
    """Return α of a sentence or β of a question: p(c|x)² · p(v|x) for every value v under each category c."""
    return np.asarray(labels[..., PARENT[_VALUES]] ** 2 * labels[..., _VALUES])


def certainty(labels: Scores) -> Scores:
    """Return cer: 1 less the entropy of the normalised probabilities of categories, as a share of the greatest one."""
    probabilities = labels[..., :_CATEGORIES].astype(np.float64)
    total = probabilities.sum(axis=-1, keepdims=True)
    shares = np.divide(probabilities, total, out=np.full_like(probabilities, 1 / _CATEGORIES), where=total > 0)
    entropy = -(shares * np.log(shares, out=np.zeros_like(shares), where=shares > 0)).sum(axis=-1)
    return np.asarray(1 - entropy / np.log(_CATEGORIES), dtype=np.float32)


def pribot(question: Scores, sentences: Scores) -> Scores:
    """Return s(q, a) for each sentence: what it covers of the question's practices, by how certain it is itself."""
    asked, stated = practice_vector(question), practice_vector(sentences)
    total = float((asked**2).sum())
    if not total:
        return np.zeros(len(sentences), dtype=np.float32)
    covered = (asked * np.minimum(asked, stated)).sum(axis=-1) / total
    return np.asarray(covered * certainty(sentences), dtype=np.float32)


def confidence(scores: Scores, question: Scores, known: float) -> Scores:
    """Return conf(q, a) from s(q, a); `known` is the share of the question's words that policies use."""
    return np.asarray(scores * (certainty(question) + known) / 2, dtype=np.float32)
