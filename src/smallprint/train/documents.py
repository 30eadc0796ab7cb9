"""Train what tells a page's legal documents apart: blocks of pages that hold one document, a linear model over words.

Nobody labelled the blocks: a page's address and what the is-policy classifier says of the whole tell what each is of.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from smallprint.clean.cleaning import read, whole_page
from smallprint.clean.language import is_plainly_english
from smallprint.datasets import corpus, kept_out
from smallprint.datasets.corpus import Sample, site
from smallprint.datasets.documents import read_pages
from smallprint.evaluate.pages import test_pages
from smallprint.models import policyhood
from smallprint.models.documents import BITS, KINDS, MODEL, features
from smallprint.train.frame import sparse, write_model

SEED = 7
# Pages of DMOZ, drawn by what their addresses name; the archive's are taken whole. Cookie pages are few.
DRAWN = {"privacy": 2500, "cookies": 400, "other": 3000}
ADDRESSES = {
    "cookies": re.compile(r"cookie", re.IGNORECASE),
    "privacy": re.compile(r"privacy", re.IGNORECASE),
    "other": re.compile(
        r"terms|condition|legal|disclaimer|copyright|return|refund|shipping|polic|notice", re.IGNORECASE
    ),
}
# A page is only learnt from where the classifier is sure of what it is.
SURE = 0.9
LEAST_WORDS, ENOUGH_WORDS = 5, 60
# A block of the few cookie policies counts twice; every tenth page is left out to see how many blocks are told right.
COOKIES_WEIGHT, TENTH = 2.0, 10
LOOSENESS, STEPS, TOLERANCE = 1.0, 150, 1e-3


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks as numbers: their words, kinds and weights, and the pages that they are of."""

    words: Any
    kinds: NDArray[np.int64]
    weights: NDArray[np.float64]
    pages: NDArray[np.int64]


def train(data: Path, where: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Train on pages that are neither labelled, tested on nor kept for evaluation; write weights and card."""
    samples = list(training_pages(data))
    say(f"reading {len(samples):,} pages")
    blocks = _numbers(samples)
    say(f"{len(blocks.kinds):,} blocks")
    seen = blocks.pages % TENTH != 0
    model = _fit(blocks, seen)
    said, truth, weights = model.predict(blocks.words[~seen]), blocks.kinds[~seen], blocks.weights[~seen]
    right = {"all": said == truth, **{name: (said == truth)[truth == kind] for kind, name in enumerate(KINDS)}}
    counts = {"all": weights, **{name: weights[truth == kind] for kind, name in enumerate(KINDS)}}
    model = _fit(blocks, np.ones_like(seen))
    arrays = {"words": model.coef_.T.astype(np.float16), "bias": model.intercept_.astype(np.float32)}
    facts = {
        "data": "dmoz_policies and ota_pages_html, without pages of sites and services that are labelled in "
        "datasets/splits/documents.tsv, tested on by is-policy or kept for evaluation; kinds by address and is-policy",
        "pages": len(set(blocks.pages.tolist())),
        "blocks": len(blocks.kinds),
        "seed": SEED,
        "blocks told right, of pages left out": {
            name: round(float(np.average(hits, weights=counts[name])), 3) for name, hits in right.items()
        },
    }
    return write_model(MODEL, where, arrays, facts)


def training_pages(data: Path) -> Iterator[Sample]:
    """Yield the pages that may be learnt from, each with the kind of its document as its label."""
    archive = list(corpus.ota_pages(data))
    trainable = list(kept_out.trainable_pages(data))
    labelled = {page.id for page in read_pages()}
    kept = {name for page in chain(archive, trainable) if page.id in labelled for name in _names(page)}
    kept |= {name for page in test_pages(data) for name in _names(page)}
    evaluated = kept_out.evaluated(data)
    for page in archive:
        kind = "privacy" if page.label == "policy" else "cookies" if "/Trackers Policy" in page.id else "other"
        if not kept & _names(page) and not kept_out.is_evaluated(page, evaluated):
            yield _labelled(page, kind)
    random.Random(SEED).shuffle(trainable)  # noqa: S311 - a sample
    room = dict(DRAWN)
    for page in trainable:
        kind = next((kind for kind, pattern in ADDRESSES.items() if pattern.search(page.url)), "")
        if room.get(kind) and not kept & _names(page):
            room[kind] -= 1
            yield _labelled(page, kind)


def _labelled(page: Sample, kind: str) -> Sample:
    return Sample(page.id, page.url, page.html, page.text, kind, page.group)


def _names(page: Sample) -> set[str]:
    return {page.id, page.group, site(page.url)} - {""}


def _blocks(page: Sample) -> list[tuple[Any, int]]:
    """Return the blocks of a page, each as its features and its words; none where the page is not what it seems."""
    reading = read(page.page("train"))
    if isinstance(reading, str):
        return []
    whole = whole_page(reading)
    seen = whole.evidence(page.url)
    if not is_plainly_english(seen.hashes):
        return []
    probability = policyhood.probability(seen)
    if page.label != "cookies" and (probability if page.label == "privacy" else 1 - probability) < SURE:
        return []
    counted = ((block.text, block.text.count(" ") + 1) for block in whole.blocks)
    return [(features(text), words) for text, words in counted if words >= LEAST_WORDS]


def _numbers(samples: list[Sample]) -> Blocks:
    with ProcessPoolExecutor() as pool:
        read = list(pool.map(_blocks, samples, chunksize=50))
    rows = [
        (vector, KINDS.index(sample.label), min(words, ENOUGH_WORDS) / ENOUGH_WORDS, page)
        for page, (sample, blocks) in enumerate(zip(samples, read, strict=True))
        for vector, words in blocks
    ]
    vectors, kinds, weights, pages = map(list, zip(*rows, strict=True))
    words = sparse(vectors, 1 << BITS)
    weight = np.array(weights) * np.where(np.array(kinds) == KINDS.index("cookies"), COOKIES_WEIGHT, 1.0)
    return Blocks(words, np.array(kinds), weight, np.array(pages))


def _fit(blocks: Blocks, rows: NDArray[np.bool_]) -> LogisticRegression:
    model = LogisticRegression(C=LOOSENESS, max_iter=STEPS, tol=TOLERANCE)
    return model.fit(blocks.words[rows], blocks.kinds[rows], sample_weight=blocks.weights[rows])
