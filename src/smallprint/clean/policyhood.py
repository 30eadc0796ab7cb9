"""P(D): how probable it is that a page is a privacy policy, from its address, title, headings and text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import numpy as np

from smallprint.models import store
from smallprint.text import hashed, ngrams, word_hashes

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL = "is-policy"
# The opening says what a document is, the headings what it is about: each zone has 2 ** bits weights of its own.
ZONES = {"body": 16, "url": 14, "title": 14, "lead": 16, "headings": 16}
URL_WORD = re.compile(r"[a-z]+|\d+")
CHARACTERS = 40_000
LEAD_WORDS = 100
HEADINGS, HEADING_CHARACTERS, HEADING_MARK = 60, 80, " xx "
# What is counted by the hundred words besides: practices, and the talk of other legal pages.
LEXICON = {
    "personal": "personal information, personal data, personal details, personally identifiable, "
    "identifiable information, your information, your data, information we, information you, information that",
    "collect": "collect, collects, collected, collecting, collection, gather, gathered, obtain, store, stored, retain",
    "share": "share, shared, sharing, disclose, disclosed, disclosure, third party, third parties, sell, rent, trade",
    "cookie": "cookie, cookies",
    "privacy": "privacy",
    "terms": "terms, agreement, warranty, warranties, liable, liability, license, licence, copyright, indemnify, "
    "arbitration, refund, refunds, shipping",
    "secure": "secure, security, encrypt, encryption, encrypted, protect, protected, protection",
    "we": "we, our, us",
    "you": "you, your, yours",
    "rights": "opt out, unsubscribe, access, delete, consent, gdpr, ccpa, controller, retention, transfer, transferred",
}
COUNTS = 2 * len(LEXICON) + 1
# From so many on, counting into a table is faster than sorting.
MANY = 4000
_MIX = np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the classifier looks at; `hashes` are the first words of the text, hashed."""

    url: str
    title: str
    headings: tuple[str, ...]
    hashes: NDArray[np.uint64]


def evidence(url: str, title: str, headings: tuple[str, ...], text: str) -> Evidence:
    """Gather what the classifier looks at; the start of a long text says what it is."""
    return Evidence(url, title, headings, word_hashes(text[:CHARACTERS]))


@dataclass(frozen=True, slots=True)
class Vector:
    """A sparse vector: distinct places and their values."""

    places: NDArray[np.int64]
    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Features:
    """A page as the classifier sees it: a vector for each zone, and the counts of the lexicon."""

    zones: dict[str, Vector]
    counts: NDArray[np.float64]


def features(evidence: Evidence) -> Features:
    """Turn evidence into numbers: words and pairs of words zone by zone, each zone of length 1, and counts."""
    headings = HEADING_MARK.join(heading[:HEADING_CHARACTERS] for heading in evidence.headings[:HEADINGS])
    body = _runs(evidence.hashes)
    zones = {
        "body": _zone(body, ZONES["body"]),
        "url": _zone(_runs(hashed(_url_words(evidence.url))), ZONES["url"]),
        "title": _zone(_runs(word_hashes(evidence.title)), ZONES["title"]),
        "lead": _zone(_runs(evidence.hashes[:LEAD_WORDS]), ZONES["lead"]),
        "headings": _zone(_runs(word_hashes(headings)), ZONES["headings"]),
    }
    return Features(zones, _counts(body, evidence.hashes))


def probability(evidence: Evidence) -> float:
    """Give the calibrated probability that a page is a privacy policy."""
    model, found = _model(), features(evidence)
    score = model.bias + float(model.counts @ found.counts)
    for name, zone in found.zones.items():
        score += float(model.zones[name][zone.places] @ zone.values)
    return float(1 / (1 + np.exp(-score)))


def model_version() -> str:
    """Name the model that is in use."""
    return _model().version


@dataclass(frozen=True, slots=True)
class _Model:
    zones: dict[str, NDArray[np.float64]]
    counts: NDArray[np.float64]
    bias: float
    version: str


@cache
def _model() -> _Model:
    found = store.load(MODEL)
    zones = {name: found.arrays[name].astype(np.float64) for name in ZONES}
    return _Model(zones, found.arrays["counts"].astype(np.float64), float(found.arrays["bias"]), found.version)


def _runs(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Give the words and, after them, the pairs of words."""
    return np.concatenate([ngrams(hashes, width) for width in (1, 2) if len(hashes) >= width] or [hashes])


def _zone(runs: NDArray[np.uint64], bits: int) -> Vector:
    mixed = ((runs * _MIX) >> np.uint64(64 - bits)).astype(np.int64)
    if len(mixed) > MANY:
        table = np.bincount(mixed, minlength=1 << bits)
        places = np.flatnonzero(table)
        counts = table[places]
    else:
        places, counts = np.unique(mixed, return_counts=True)
    values = 1 + np.log(counts)
    return Vector(places, values / (np.linalg.norm(values) or 1.0))


def _counts(runs: NDArray[np.uint64], hashes: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Count the lexicon's groups by the hundred words of the text, and plainly in its opening; then the length."""
    terms, group = _lexicon()
    places = np.minimum(np.searchsorted(terms, runs), len(terms) - 1)
    hits = np.flatnonzero(terms[places] == runs)
    words = len(hashes)
    # Pairs of words follow the words: the pair at a place begins with the word at that place.
    opening = (hits < LEAD_WORDS) | ((hits >= words) & (hits < words + LEAD_WORDS - 1))
    found = []
    for which, length in ((hits, words), (hits[opening], min(words, LEAD_WORDS))):
        table = np.bincount(group[places[which]], minlength=len(LEXICON))
        found.append(np.log1p(100 * table / max(LEAD_WORDS, length)))
    return np.concatenate([*found, [np.log(1 + words)]])


@cache
def _lexicon() -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    pairs = []
    for number, terms in enumerate(LEXICON.values()):
        for term in terms.split(", "):
            tokens = hashed(term.split())
            pairs.append((int(ngrams(tokens, len(tokens))[0]), number))
    pairs.sort()
    return np.array([term for term, _ in pairs], dtype=np.uint64), np.array(
        [number for _, number in pairs], dtype=np.int64
    )


def _url_words(url: str) -> list[str]:
    parts = urlsplit(url) if url.startswith(("http:", "https:")) else None
    return URL_WORD.findall(unquote(f"{parts.path} {parts.query}".lower())) if parts else []
