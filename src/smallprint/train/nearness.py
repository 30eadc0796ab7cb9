"""How near sentences are to questions before any training: the hard ones to tell apart are among the nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.train.fitting import vectors
from smallprint.train.network import Tower, pretrained
from smallprint.train.pairs import Tokens


def near(
    policies: Mapping[str, Tokens], questions: Sequence[Any], asked: Mapping[str, list[int]]
) -> dict[str, NDArray[np.float32]]:
    """Give, for each question, the nearness of every sentence of its policy."""
    untrained = pretrained(Tower({}, each_token=True))
    sentences = {name: vectors(untrained, policy.own) for name, policy in policies.items()}
    own = dict(zip(asked, vectors(untrained, list(asked.values())), strict=True))
    return {one.id: sentences[one.policy] @ own[one.id] for one in questions}
