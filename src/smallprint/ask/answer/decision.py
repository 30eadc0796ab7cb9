"""From scores to a decision: which sentences answer, whether the policy answers at all, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.english.lexicon import deeds, pattern
from smallprint.ask.model_set import Kit
from smallprint.ask.question.analysis import Asked
from smallprint.ask.ranking.evidence import Evidence
from smallprint.ask.ranking.rankers import combined
from smallprint.ask.ranking.scorers import certainty, pribot
from smallprint.models.labels import column
from smallprint.models.logistic import sigmoid
from smallprint.models.reader import Reading
from smallprint.taxonomy import CATEGORIES, DOES, DOES_NOT, Label

MOST_CHOSEN = 10
# So many sentences are shown at first, the rest on request (CMU); where none is good enough, so many come closest.
AT_FIRST = 3
# A sentence says or denies a practice where the model is so sure; only the leading answers are compared.
SURE, COMPARED = 0.7, 4
# From here on the mapper needs no policy to know that a question is none on privacy.
SURELY_FOREIGN = 0.95
# Two sentences that are nearer than this speak of the same thing.
ALIKE = 0.6
PRACTISED = ("first-party", "third-party")
POLAR = "Does/Does Not"
_QUALIFIED = pattern(
    r"\b(?:except|unless|only|if|without|other than|apart from|however|but|aggregate\w*|anonym\w*|when you|outside|"
    r"in the future|certain|limited|some)\b"
)


class State(StrEnum):
    """What can be said of a question asked of a policy."""

    ANSWERED = "answered"
    SILENT = "silent"
    UNSURE = "unsure"
    CONFLICTING = "conflicting"
    FOREIGN = "not a privacy question"


@dataclass(frozen=True, slots=True)
class Decision:
    """The state, the places of the sentences to be shown with the best first, and two numbers.

    `confidence` is the probability, calibrated, that what is shown at first answers the question; `answerable` that the
    policy answers it at all. `conflict` are two places that say opposite things.
    """

    state: State
    chosen: tuple[int, ...]
    confidence: float
    answerable: float
    scores: NDArray[np.float32]
    readings: tuple[Reading | None, ...]
    conflict: tuple[int, int] | None = None


def decide(asked: Asked, evidence: Evidence, kit: Kit) -> Decision:
    """Weigh what a policy says on a question."""
    if not len(evidence) or not asked.question.words:
        state = State.SILENT if asked.question.words else State.FOREIGN
        return Decision(state, (), 0.0, 0.0, np.zeros(len(evidence), dtype=np.float32), (None,) * len(evidence))
    scores, readings = combined(asked, evidence, kit)
    facts = question_features(asked, evidence, scores, readings)
    tell, number = kit.combiner.tell, kit.combiner.number
    answerable = tell("answerable", facts)
    order = np.argsort(-scores, kind="stable").tolist()
    good = tuple(place for place in order[:MOST_CHOSEN] if scores[place] >= number("chosen_from"))
    chosen: tuple[int, ...] = ()
    conflict = None
    if tell("foreign", facts) >= number("foreign_from") or asked.foreign >= SURELY_FOREIGN:
        state = State.FOREIGN
    elif answerable >= number("answered_from") and good:
        conflict = conflicting(evidence, good)
        state, chosen = (State.CONFLICTING if conflict else State.ANSWERED), good
    elif answerable < number("silent_below"):
        state = State.SILENT
    else:
        state, chosen = State.UNSURE, good or tuple(order[:AT_FIRST])
    return Decision(state, chosen, tell("confidence", facts), answerable, scores, tuple(readings), conflict)


QUESTION_FEATURES = (
    "best", "five together", "share that bears", "answers at best", "dense at best", "pribot at best",
    "certainty of the question", "foreign", "known words", "its practice in the policy", "words of the question",
)  # fmt: skip


def question_features(
    asked: Asked, evidence: Evidence, scores: NDArray[np.float32], readings: Sequence[Reading | None]
) -> NDArray[np.float32]:
    """Return in numbers how the policy and the question fit together."""
    best = np.sort(scores)[::-1]
    answers = max((reading.answers for reading in readings if reading), default=-6.0)
    practice = int(asked.labels[: len(CATEGORIES)].argmax())
    return np.array([
        best[0],
        np.logaddexp.reduce(best[:5]),
        sigmoid(best[:20]).sum(),
        answers,
        float((evidence.vectors @ asked.vectors[0]).max()),
        float(pribot(asked.labels, evidence.labels).max()),
        float(certainty(asked.labels)),
        asked.foreign,
        asked.known,
        float(evidence.labels[:, practice].max()),
        np.log1p(len(asked.question.words)),
    ], dtype=np.float32)  # fmt: skip


def conflicting(evidence: Evidence, chosen: Sequence[int]) -> tuple[int, int] | None:
    """Find a sentence among the leading ones that says a practice is done, and one that says it is not."""
    for category in PRACTISED:
        about = [place for place in chosen[:COMPARED] if evidence.labels[place, column(Label(category))] >= SURE]
        does, denies = (
            [place for place in about if evidence.labels[place, column(Label(category, POLAR, value))] >= SURE]
            for value in (DOES, DOES_NOT)
        )
        for place, other in product(does, denies):
            if place not in denies and _alike(evidence, place, other):
                return place, other
    return None


def _alike(evidence: Evidence, place: int, other: int) -> bool:
    """Return whether two sentences speak of the same, and neither of a case of its own ("except", "if", "only")."""
    texts = [evidence.sentences[number].spoken for number in (place, other)]
    if any(map(_QUALIFIED.search, texts)) or not deeds(texts[0]) & deeds(texts[1]):
        return False
    return float(evidence.vectors[place] @ evidence.vectors[other]) >= ALIKE
