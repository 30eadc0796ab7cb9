"""BM25 over a policy's sentences, with stems, corpus-wide idf and each word's nearest words (CMU)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

K1, B = 1.2, 0.75


def scores(
    question: Mapping[str, float], sentences: Sequence[Sequence[str]], idf: Mapping[str, float]
) -> NDArray[np.float32]:
    """Score sentences, given as stems, by a question's stems with their weights."""
    mean = sum(map(len, sentences)) / max(1, len(sentences)) or 1.0
    found = np.zeros(len(sentences), dtype=np.float32)
    for place, stems in enumerate(sentences):
        counts = Counter(stems)
        norm = K1 * (1 - B + B * len(stems) / mean)
        found[place] = sum(
            weight * idf[stem] * counts[stem] * (K1 + 1) / (counts[stem] + norm)
            for stem, weight in question.items()
            if stem in counts
        )
    return found


def okapi_idf(sentences: Sequence[Sequence[str]]) -> dict[str, float]:
    """Give Okapi's idf over some sentences; it is negative for what stands in more than half of them."""
    counts = Counter(stem for stems in sentences for stem in set(stems))
    return {stem: float(np.log((len(sentences) - n + 0.5) / (n + 0.5))) for stem, n in counts.items()}


def reduced(question: Sequence[str], sentences: Sequence[Sequence[str]], policy: Sequence[Sequence[str]]) -> list[int]:
    """Give the places of some of a policy's sentences, the best first, without those of negative score (CMU)."""
    found = scores(dict.fromkeys(question, 1.0), sentences, okapi_idf(policy))
    return [int(place) for place in np.argsort(-found, kind="stable") if found[place] >= 0]
