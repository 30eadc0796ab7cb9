"""The language of a text, by its words; what the page says of itself is not asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from smallprint.text import word_hashes

# Longer samples cost time (24 ms a policy); with half of it two of 720 English pages were taken for Pidgin or Igbo.
SAMPLE = 2000
# Words that every English text is full of: a third of a policy, and no more than 3 % of one in another language.
COMMON = word_hashes("the of to and in or we you your that for is our with this be as are by on it not any may from")
PLAINLY_ENGLISH = 0.25


def is_plainly_english(hashes: NDArray[np.uint64]) -> bool:
    """Return whether a text is English by its commonest words: ten times as fast as detecting any language."""
    return bool(np.isin(hashes[:SAMPLE], COMMON).mean() >= PLAINLY_ENGLISH) if len(hashes) else False


def language(text: str) -> str:
    """Return the code of the language most of a text is in (ISO 639: "en", "yue"); "und" where there is none."""
    # Menus stand at the start, addresses at the end: the middle is where the sentences are.
    start = max(0, (len(text) - SAMPLE) // 2)
    sample = text[start : start + SAMPLE]
    if not any(map(str.isalpha, sample)):
        return "und"
    from py3langid import classify  # a second to import

    # "zxx" is its word for what is no language: "0A".
    return str(classify(sample)[0]).replace("zxx", "und")
