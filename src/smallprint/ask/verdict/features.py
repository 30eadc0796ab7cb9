"""What the sentences of a policy say on a question, in the few numbers from which its verdict is told."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from smallprint.card import STANCES

# Of each stance so many of the strongest sentences count by themselves.
STRONGEST = 3
# A sentence that nobody has: its logit, which is also how far any logit goes.
LEAST = 8.0
_SPEAKING = range(1, len(STANCES))
_NAMES = ("yes", "no", "limits")
# What the columns of stance_features are.
STANCE_FEATURES = (
    *(
        f"{name}, {what}"
        for name in _NAMES
        for what in (*(f"strongest {rank}" for rank in range(1, STRONGEST + 1)), "how many", "any")
    ),
    "bears at best",
    *(f"{name} where it bears most" for name in _NAMES),
    "length",
)


def stance_features(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a row a question, from the probabilities of stances by sentence, question and stance.

    For each of yes, no and limits: the strongest sentences, how many there are, and whether there is any at all. Then
    how surely anything bears on the question, what that sentence says, and the length of the policy.
    """
    count, questions, _ = probabilities.shape
    logits = logit(probabilities)
    columns: list[NDArray[np.floating]] = []
    for stance in _SPEAKING:
        own = -np.sort(-logits[:, :, stance], axis=0)[:STRONGEST]
        columns += [*own, *np.full((STRONGEST - len(own), questions), -LEAST)]
        chances = probabilities[:, :, stance].astype(np.float64)
        columns.append(np.log(chances.sum(axis=0) + 1e-2))
        columns.append(np.log(-np.log1p(-np.minimum(chances, 1 - 1e-6)).sum(axis=0) + 1e-3))
    bears = 1 - probabilities[:, :, 0]
    columns.append(logit(bears.max(axis=0, initial=0.0)))
    best = bears.argmax(axis=0) if count else None
    for stance in _SPEAKING:
        columns.append(np.full(questions, -LEAST) if best is None else logits[best, np.arange(questions), stance])
    columns.append(np.full(questions, np.log1p(count)))
    return np.stack(columns, axis=1).astype(np.float32)


def card_features(stances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a row a question, from the probabilities of stances by reader: the features of each reader in turn."""
    return np.concatenate([stance_features(own) for own in stances], axis=1)


def logit(probabilities: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return log odds, no further from 0 than a sentence that nobody has."""
    own = np.clip(probabilities.astype(np.float64), 1e-6, 1 - 1e-6)
    return np.clip(np.log(own / (1 - own)), -LEAST, LEAST)
