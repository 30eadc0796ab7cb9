"""P(D): how probable it is that a page is a privacy policy, from its address, title, headings and text."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.logistic import Vector, counted
from smallprint.text import hashed, ngrams, word_hashes

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


class Evidence(NamedTuple):
    """What the classifier looks at; `hashes` are the first words of the text, hashed."""

    url: str
    title: str
    headings: tuple[str, ...]
    hashes: NDArray[np.uint64]


class Features(NamedTuple):
    """A page as the classifier sees it: a vector for each zone, and the counts of the lexicon."""

    zones: dict[str, Vector]
    counts: NDArray[np.float64]


def evidence(url: str, title: str, headings: tuple[str, ...], text: str) -> Evidence:
    """Gather what the classifier looks at; the start of a long text says what it is."""
    return Evidence(url, title, headings, word_hashes(text[:CHARACTERS]))


def features(evidence: Evidence) -> Features:
    """Turn evidence into numbers: words and pairs of words zone by zone, each zone of length 1, and counts."""
    headings = HEADING_MARK.join(heading[:HEADING_CHARACTERS] for heading in evidence.headings[:HEADINGS])
    words = {
        "body": evidence.hashes,
        "url": hashed(_url_words(evidence.url)),
        "title": word_hashes(evidence.title),
        "lead": evidence.hashes[:LEAD_WORDS],
        "headings": word_hashes(headings),
    }
    runs = {zone: _runs(hashes) for zone, hashes in words.items()}
    zones = {zone: counted(runs[zone], bits).of_length_one() for zone, bits in ZONES.items()}
    return Features(zones, _counts(runs["body"], len(evidence.hashes)))


def probability(evidence: Evidence) -> float:
    """Return the calibrated probability that a page is a privacy policy."""
    weights, own = _weights(), features(evidence)
    score = float(weights["bias"]) + float(weights["counts"] @ own.counts)
    for name, zone in own.zones.items():
        score += float(weights[name][zone.places] @ zone.values)
    return float(1 / (1 + np.exp(-score)))


@cache
def _weights() -> dict[str, NDArray[np.float64]]:
    return {name: array.astype(np.float64) for name, array in store.load(MODEL).items()}


def _runs(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the words and, after them, the pairs of words."""
    return np.concatenate([ngrams(hashes, width) for width in (1, 2) if len(hashes) >= width] or [hashes])


def _counts(runs: NDArray[np.uint64], words: int) -> NDArray[np.float64]:
    """Count the lexicon's groups by the hundred words of the text, and plainly in its opening; then the length."""
    terms, group = _lexicon()
    places = np.minimum(np.searchsorted(terms, runs), len(terms) - 1)
    hits = np.flatnonzero(terms[places] == runs)
    # Pairs of words follow the words: the pair at a place begins with the word at that place.
    opening = (hits < LEAD_WORDS) | ((hits >= words) & (hits < words + LEAD_WORDS - 1))
    counts = []
    for which, length in ((hits, words), (hits[opening], min(words, LEAD_WORDS))):
        table = np.bincount(group[places[which]], minlength=len(LEXICON))
        counts.append(np.log1p(100 * table / max(LEAD_WORDS, length)))
    return np.concatenate([*counts, [np.log(1 + words)]])


@cache
def _lexicon() -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the hashes of the lexicon's terms, sorted, and the number of each one's group."""
    groups = enumerate(LEXICON.values())
    terms = [(hashed(term.split()), number) for number, names in groups for term in names.split(", ")]
    hashes, numbers = zip(*sorted((int(ngrams(own, len(own))[0]), number) for own, number in terms), strict=True)
    return np.array(hashes, dtype=np.uint64), np.array(numbers, dtype=np.int64)


def _url_words(url: str) -> list[str]:
    parts = urlsplit(url) if url.startswith(("http:", "https:")) else None
    return URL_WORD.findall(unquote(f"{parts.path} {parts.query}".lower())) if parts else []
