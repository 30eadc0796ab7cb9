"""The sector of a policy: by our table where its industry is known, else a guess from the page's words and address.

A policy says little of what a firm does. Three things do: the rare words of its page, the name of its domain, and the
domain's suffix; each is looked at by a linear model, and the two models' scores are added.
"""

from __future__ import annotations

import tomllib
import zlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from smallprint.clean.language import COMMON
from smallprint.clean.policyhood import Vector
from smallprint.domains import registrable_domain
from smallprint.errors import BadAddress
from smallprint.models import store
from smallprint.records import SectorGuess
from smallprint.sectors import SECTORS
from smallprint.text import word_hashes, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL = "sector"
UNKNOWN = "unknown"
GUESSED = tuple(sector.id for sector in SECTORS if sector.id != UNKNOWN)
BODY_BITS, NAME_BITS = 17, 16
CHARACTERS = 40_000
GRAMS = (3, 4, 5)
LONGEST_LABEL = 63
# How much a suffix ("edu") and each word of a title weigh beside the name's letters, which make a vector of length 1.
SUFFIX, TITLE = 0.7, 0.3
TITLE_WORDS = 12
# What titles of policies are made of: it names nobody.
PLAIN = frozenset(
    "privacy policy policies statement notice cookie cookies legal terms data protection and of the".split()
)
# Fewer words than this, or fewer common English ones among them, and the page says nothing that the model can read.
LEAST_WORDS, LEAST_ENGLISH = 50, 0.1
SAMPLE_WORDS = 2000
_MIX = np.uint64(0xBF58476D1CE4E5B9)


def sector_of(industry: str | None) -> str | None:
    """Give the id of an industry's sector, whatever its case and blanks; None for an industry unheard of."""
    return _table().get(_folded(industry)) if industry else None


def industries() -> dict[str, str]:
    """Give every industry of the table with the id of its sector."""
    return dict(_table())


def guess(text: str, title: str, url: str) -> SectorGuess:
    """Guess the sector of a policy from the text of its page, its title and its address or domain.

    The whole page's text serves best, menus and footer included; that of the policy alone will do. The probability is
    that of the likeliest sector even where it is too low to be said; 0 where there is nothing to go by.
    """
    hashes = word_hashes(text[:CHARACTERS])
    if not _is_readable(hashes):
        return SectorGuess(UNKNOWN, 0.0)
    model = _model()
    return answer(probabilities(body_vector(hashes, model.rarity), name_vector(url, title)), model.threshold)


def answer(said: NDArray[np.float64], threshold: float) -> SectorGuess:
    """Choose the likeliest of the GUESSED sectors, "unknown" where it is less likely than the threshold."""
    best = int(said.argmax())
    probability = round(float(said[best]), 4)
    return SectorGuess(GUESSED[best] if probability >= threshold else UNKNOWN, probability)


def probabilities(*zones: Vector | None) -> NDArray[np.float64]:
    """Give the probability of each of the GUESSED sectors from the vectors of body and name; None leaves one out."""
    model = _model()
    scores = model.bias.copy()
    for vector, weights in zip(zones, (model.body, model.name), strict=True):
        if vector is not None:
            scores += vector.values @ weights[vector.places]
    scores = np.exp(scores - scores.max())
    return np.asarray(scores / scores.sum(), dtype=np.float64)


def body_counts(hashes: NDArray[np.uint64]) -> Vector:
    """Count the words of a text by their places: 1 + log of how often each occurs."""
    places, counts = np.unique((hashes * _MIX) >> np.uint64(64 - BODY_BITS), return_counts=True)
    return Vector(places.astype(np.int64), 1 + np.log(counts))


def body_vector(hashes: NDArray[np.uint64], rarity: NDArray[np.float64]) -> Vector:
    """Turn a text's words into a vector of length 1, each word weighed by how rare it is among policies."""
    return weighed(body_counts(hashes), rarity)


def weighed(counts: Vector, rarity: NDArray[np.float64]) -> Vector:
    """Weigh counted words by their rarity."""
    values = counts.values * rarity[counts.places]
    return Vector(counts.places, values / (np.linalg.norm(values) or 1.0))


def name_vector(url: str, title: str) -> Vector:
    """Turn a domain's name into runs of letters, its suffix into labels, and the title into the words that name."""
    label, suffix = _name(url)
    marked = f"^{label}$" if label else ""
    letters = {marked[at : at + width] for width in GRAMS for at in range(len(marked) - width + 1)}
    endings = {f".{part}" for part in suffix.split(".") if part}
    known = {label, *suffix.split(".")} | PLAIN
    named = {f" {word}" for word in words(title)[:TITLE_WORDS] if word not in known}
    found: dict[int, float] = {}
    for terms, weight in (
        (letters, 1 / (len(letters) or 1) ** 0.5),
        (endings, SUFFIX / (len(endings) or 1) ** 0.5),
        (named, TITLE),
    ):
        for term in terms:
            place = zlib.crc32(term.encode("utf-8", "replace")) & ((1 << NAME_BITS) - 1)
            found[place] = found.get(place, 0.0) + weight
    places = sorted(found)
    return Vector(np.array(places, dtype=np.int64), np.array([found[place] for place in places]))


def rarity() -> NDArray[np.float64]:
    """Give the rarity of each word among policies, by its place."""
    return _model().rarity


def threshold() -> float:
    """Say from which probability on the classifier gives an answer."""
    return _model().threshold


def model_version() -> str:
    """Name the model that is in use."""
    return _model().version


@dataclass(frozen=True, slots=True)
class _Model:
    body: NDArray[np.float32]
    name: NDArray[np.float32]
    bias: NDArray[np.float64]
    rarity: NDArray[np.float64]
    threshold: float
    version: str


@cache
def _model() -> _Model:
    found = store.load(MODEL)
    arrays = found.arrays
    return _Model(
        arrays["body"].astype(np.float32) * np.float32(arrays["body_step"]),
        arrays["name"].astype(np.float32) * np.float32(arrays["name_step"]),
        arrays["bias"].astype(np.float64),
        arrays["rarity"].astype(np.float64),
        float(arrays["threshold"]),
        found.version,
    )


def _is_readable(hashes: NDArray[np.uint64]) -> bool:
    """Tell whether a text is long enough, and English: another language has no more than 3 % of its common words."""
    if len(hashes) < LEAST_WORDS:
        return False
    return bool(np.isin(hashes[:SAMPLE_WORDS], COMMON).mean() >= LEAST_ENGLISH)


def _name(url: str) -> tuple[str, str]:
    """Split a site's domain into its own label and its suffix: "bbc", "co.uk"."""
    try:
        label, _, suffix = registrable_domain(url).partition(".")
    except BadAddress:
        return "", ""
    return label[:LONGEST_LABEL], suffix


@cache
def _table() -> dict[str, str]:
    table = (resources.files("smallprint.annotate") / "industries.toml").read_text(encoding="utf-8")
    return {_folded(industry): sector for sector, names in tomllib.loads(table).items() for industry in names}


def _folded(industry: str) -> str:
    return " ".join(industry.lower().split())
