"""The vectors of a policy's sentences: in full quality made beforehand, else when a policy is first asked about."""

from __future__ import annotations

import numpy as np

from smallprint.annotate.kinds import FINDER, Annotator, Kind, by_weights, loaded
from smallprint.ask.ranking.evidence import vectors_of
from smallprint.models.finder import WIDTH


def finder() -> Annotator:
    """Return who makes the vectors."""
    return by_weights("sentences", FINDER)


KIND = Kind(
    name="sentences",
    annotator=lambda quality: finder() if quality == "full" else None,
    make=lambda document, model: vectors_of(document, loaded(model)),
    encode=lambda vectors: vectors.tobytes(),
    decode=lambda content: np.frombuffer(content, dtype=np.int8).reshape(-1, WIDTH),
    readable=False,
)
