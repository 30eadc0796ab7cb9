"""Make CMU's mappings of questions to labels: the words annotators marked for each label, counted, and in clusters."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from smallprint.ask.stems import STOP_WORDS
from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.mapper import BASELINES, folded
from smallprint.models.vectors import NAME as VECTORS
from smallprint.models.vectors import Vectors
from smallprint.taxonomy import LABELS
from smallprint.text import hashed, words
from smallprint.train.spans import Span, spans

SEED = 1
CLUSTERS = 300
# Stop words are left out, of which their paper does not speak: with them 23 % and 31 % of PrivacyQA's training
# questions get their category by words and by clusters, without them 39 % and 42 %.
# A word that was marked less often says more of one annotator than of a label.
LEAST_MARKS = 3


def train(data: Path, where: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Write what the two mappings need, and a card; takes the word vectors in the same folder or the shipped ones."""
    try:
        known = Vectors(where)
    except NoModel:
        known = Vectors()
    counts = counted(spans(data))
    say(f"{sum(of.total() for of in counts):,} words marked for {sum(map(bool, counts))} labels")
    path = store.save(BASELINES, {**bag_of_words(counts), **bag_of_clusters(counts, known)}, where)
    card = {
        "model": BASELINES,
        "version": store.version(BASELINES, where),
        "made": datetime.now(tz=UTC).date().isoformat(),
        "data": "OPP-115's annotated spans, without the test policies and what is kept for evaluation",
        "clusters": f"{CLUSTERS} of {len(known.words):,} words of {VECTORS} {known.version}",
        "labels": sum(map(bool, counts)),
        "seed": SEED,
        "bytes": path.stat().st_size,
    }
    (where / f"{BASELINES}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return card


def counted(found: Iterable[Span]) -> list[Counter[str]]:
    """Count the words marked for each label, in the order of LABELS."""
    counts: dict[Any, Counter[str]] = {label: Counter() for label in LABELS}
    for span in found:
        counts[span.label].update(word for word in words(span.text) if word not in STOP_WORDS)
    return [counts[label] for label in LABELS]


def bag_of_words(counts: list[Counter[str]]) -> dict[str, NDArray[Any]]:
    """Give each label's words as they were counted."""
    often = [word for word, count in sum(counts, Counter[str]()).items() if count >= LEAST_MARKS]
    return _arrays("words", counts, {word: place for place, word in enumerate(sorted(often))})


def bag_of_clusters(counts: list[Counter[str]], known: Vectors) -> dict[str, NDArray[Any]]:
    """Give each label's words by the clusters of their vectors; a word without one is left out."""
    rows = known.vectors(known.words)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    clusters = min(CLUSTERS, len(rows))
    found = KMeans(clusters, n_init=1, max_iter=100, random_state=SEED).fit_predict(rows).tolist()
    places = zip(known.words, found, strict=True)
    return _arrays("clusters", counts, {word: place for word, place in places if word not in STOP_WORDS})


def _arrays(name: str, counts: list[Counter[str]], places: dict[str, int]) -> dict[str, NDArray[Any]]:
    """Give the places of words by their hashes, and each label's counts by place, as rows of length 1."""
    labels = np.zeros((len(counts), max(places.values(), default=-1) + 1), dtype=np.float32)
    for row, own in enumerate(counts):
        for word, count in own.items():
            if word in places:
                labels[row, places[word]] += count
    labels /= np.maximum(np.linalg.norm(labels, axis=1, keepdims=True), 1e-9)
    hashes, first = np.unique(folded(hashed(list(places))), return_index=True)
    return {
        f"{name}_hashes": hashes,
        f"{name}_places": np.array(list(places.values()), dtype=np.uint16)[first],
        f"{name}_labels": labels.astype(np.float16),
    }
