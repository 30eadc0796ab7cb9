"""The sector of a policy: by our table where its industry is known, else a guess from the page's words and address."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.kinds import Kind, by_weights, table
from smallprint.clean.language import COMMON
from smallprint.models.sector import GUESSED, MODEL, body_counts, model, name_vector, probabilities, weighed
from smallprint.records import SectorGuess
from smallprint.text import word_hashes

UNKNOWN = "unknown"
CHARACTERS = 40_000
# Fewer words than this, or fewer common English ones among them, and the page says nothing that the model can read:
# another language has no more than 3 % of the common words.
LEAST_WORDS, LEAST_ENGLISH = 50, 0.1
SAMPLE_WORDS = 2000


def sector_of(industry: str | None) -> str | None:
    """Return the id of an industry's sector, whatever its case and blanks; None for an industry unheard of."""
    return industries().get(_folded(industry)) if industry else None


@cache
def industries() -> dict[str, str]:
    """Return every industry of the table with the id of its sector."""
    return {_folded(industry): sector for sector, names in table("industries").items() for industry in names}


def _folded(industry: str) -> str:
    return " ".join(industry.lower().split())


def guess(text: str, title: str, url: str) -> SectorGuess:
    """Guess the sector of a policy from the text of its page, menus and all, its title and its address or domain."""
    hashes = word_hashes(text[:CHARACTERS])
    if len(hashes) < LEAST_WORDS or np.isin(hashes[:SAMPLE_WORDS], COMMON).mean() < LEAST_ENGLISH:
        return SectorGuess(UNKNOWN, 0.0)
    body = weighed(body_counts(hashes), model().rarity)
    return answer(probabilities(body, name_vector(url, title)), model().threshold)


def answer(shares: NDArray[np.float64], threshold: float) -> SectorGuess:
    """Choose the likeliest of the GUESSED sectors, or "unknown" below the threshold; either with its probability."""
    best = int(shares.argmax())
    probability = round(float(shares[best]), 4)
    return SectorGuess(GUESSED[best] if probability >= threshold else UNKNOWN, probability)


KIND = Kind(
    name="sector",
    annotator=lambda quality: by_weights("sector", MODEL),
    make=lambda document, model: guess(document.page_text, document.title, document.url),
    decode=lambda content: SectorGuess(**json.loads(content)),
    measures=lambda guess: {"sector": guess.sector, "sector_probability": guess.probability},
)
