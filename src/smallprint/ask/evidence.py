"""The sentences of a policy that may answer a question, with what the models say of each before anybody asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.practices import Labeller
from smallprint.annotate.sentences import Finder, Sentence


@dataclass(frozen=True, slots=True)
class Evidence:
    """A policy's sentences in its order; `labels` and `vectors` have a row for each."""

    sentences: tuple[Sentence, ...]
    labels: NDArray[np.float32] = field(repr=False)
    vectors: NDArray[np.float32] = field(repr=False)

    def __len__(self) -> int:
        return len(self.sentences)


def gather(sentences: Sequence[Sentence], labeller: Labeller, finder: Finder) -> Evidence:
    """Label sentences and turn them into vectors."""
    return with_vectors(sentences, finder.vectors([one.under_heading for one in sentences]), labeller)


def with_vectors(sentences: Sequence[Sentence], vectors: NDArray[np.float32], labeller: Labeller) -> Evidence:
    """Label sentences whose vectors were made before."""
    return Evidence(tuple(sentences), labeller.labels([one.spoken for one in sentences]), vectors)
