"""The vectors of a policy's sentences: in full quality made beforehand, else when a policy is first asked about."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.kinds import FINDER, Annotator, Kind, loaded
from smallprint.ask.ranking.evidence import packed
from smallprint.ask.ranking.units import UNITS, sentences_of
from smallprint.models import store
from smallprint.models.finder import WIDTH
from smallprint.records import Document


@lru_cache(1)  # a card is made from the same vectors, right before or after
def vectors(document: Document) -> NDArray[np.float32]:
    """Return a row of length 1 for each sentence of a document."""
    sentences = sentences_of(document.text, document.segments)
    return np.asarray(loaded(FINDER).vectors([sentence.under_heading for sentence in sentences]))


def finder() -> Annotator:
    """Return who makes the vectors, by the finder's version and the number of how policies are cut into units."""
    return Annotator("sentences", FINDER, f"{store.version(FINDER)}.{UNITS}")


KIND = Kind(
    name="sentences",
    annotator=lambda quality: finder() if quality == "full" else None,
    make=lambda document, model: packed(vectors(document)),
    encode=lambda vectors: vectors.tobytes(),
    decode=lambda content: np.frombuffer(content, dtype=np.int8).reshape(-1, WIDTH),
    readable=False,
)
