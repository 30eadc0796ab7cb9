"""The words that policies are made of, counted over the corpus."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.evaluate import corpus
from smallprint.text import hashed, words

# Words of at least so many pages: enough to know every plain word, and none of another language's.
LEAST_PAGES = 12
MOST = 30_000


def known_words(data: Path) -> NDArray[np.uint32]:
    """Give the hashes of the words that stand in enough English pages of the corpus, sorted."""
    pages: Counter[str] = Counter()
    for row in corpus.trainable_rows(data):
        pages.update(set(words(row["text"])))
    often = [word for word, count in pages.most_common(MOST) if count >= LEAST_PAGES and not word.isdigit()]
    return np.unique((hashed(often) & np.uint64(0xFFFFFFFF)).astype(np.uint32))
