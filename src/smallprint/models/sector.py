"""The sector of a site, guessed from the words of a page and its address: how probable each is.

A policy says little of what a firm does. Three things do: the rare words of its page, the name of its domain, and the
domain's suffix; each is looked at by a linear model, and the two models' scores are added.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from smallprint.domains import registrable_domain
from smallprint.errors import BadAddress
from smallprint.models import store
from smallprint.models.logistic import Vector, counted
from smallprint.sectors import SECTORS
from smallprint.text import words

MODEL = "sector"
GUESSED = tuple(sector.id for sector in SECTORS if sector.id != "unknown")
BODY_BITS, NAME_BITS = 17, 16
GRAMS = (3, 4, 5)
LONGEST_LABEL = 63
# How much a suffix ("edu") and each word of a title weigh beside the name's letters, which make a vector of length 1.
SUFFIX, TITLE = 0.7, 0.3
TITLE_WORDS = 12
# What titles of policies are made of: it names nobody.
PLAIN = frozenset(
    "privacy policy policies statement notice cookie cookies legal terms data protection and of the".split()
)


@dataclass(frozen=True, slots=True)
class SectorModel:
    """Weights by place and sector; `rarity` is each word's among policies, `threshold` the least to be said."""

    body: NDArray[np.float32]
    name: NDArray[np.float32]
    bias: NDArray[np.float64]
    rarity: NDArray[np.float64]
    threshold: float


@cache
def model() -> SectorModel:
    """Return the classifier, loaded once a process."""
    arrays = store.load(MODEL)
    body, name = (arrays[zone].astype(np.float32) * np.float32(arrays[f"{zone}_step"]) for zone in ("body", "name"))
    bias, rarity = arrays["bias"].astype(np.float64), arrays["rarity"].astype(np.float64)
    return SectorModel(body, name, bias, rarity, float(arrays["threshold"]))


def probabilities(*zones: Vector | None) -> NDArray[np.float64]:
    """Return the probability of each of the GUESSED sectors from the vectors of body and name; None leaves one out."""
    scores = model().bias.copy()
    for vector, weights in zip(zones, (model().body, model().name), strict=True):
        if vector is not None:
            scores += vector.values @ weights[vector.places]
    scores = np.exp(scores - scores.max())
    return np.asarray(scores / scores.sum(), dtype=np.float64)


def body_counts(hashes: NDArray[np.uint64]) -> Vector:
    """Count the words of a text by their places: 1 + log of how often each occurs."""
    return counted(hashes, BODY_BITS)


def weighed(counts: Vector, rarity: NDArray[np.float64]) -> Vector:
    """Return a vector of length 1, each counted word weighed by how rare it is among policies."""
    return Vector(counts.places, counts.values * rarity[counts.places]).of_length_one()


def name_vector(url: str, title: str) -> Vector:
    """Turn a domain's name into runs of letters, its suffix into labels, and the title into the words that name."""
    label, suffix = _name(url)
    marked = f"^{label}$" if label else ""
    letters = {marked[at : at + width] for width in GRAMS for at in range(len(marked) - width + 1)}
    endings = {f".{part}" for part in suffix.split(".") if part}
    known = {label, *suffix.split(".")} | PLAIN
    named = {f" {word}" for word in words(title)[:TITLE_WORDS] if word not in known}
    weights: defaultdict[int, float] = defaultdict(float)
    for terms, weight in (
        (letters, 1 / (len(letters) or 1) ** 0.5),
        (endings, SUFFIX / (len(endings) or 1) ** 0.5),
        (named, TITLE),
    ):
        for term in terms:
            weights[zlib.crc32(term.encode("utf-8", "replace")) & ((1 << NAME_BITS) - 1)] += weight
    places = sorted(weights)
    return Vector(np.array(places, dtype=np.int64), np.array([weights[place] for place in places]))


def _name(url: str) -> tuple[str, str]:
    """Split a site's domain into its own label and its suffix: "bbc", "co.uk"."""
    try:
        label, _, suffix = registrable_domain(url).partition(".")
    except BadAddress:
        return "", ""
    return label[:LONGEST_LABEL], suffix
