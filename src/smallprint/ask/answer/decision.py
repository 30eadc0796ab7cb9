"""From scores to a decision: which sentences answer, whether the policy answers at all, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.english.lexicon import deeds, pattern
from smallprint.ask.model_set import Kit
from smallprint.ask.question.analysis import Asked
from smallprint.ask.ranking.evidence import Evidence
from smallprint.ask.ranking.features import UNREAD, neighbours
from smallprint.ask.ranking.rankers import combined
from smallprint.ask.ranking.scorers import certainty, pribot
from smallprint.ask.verdict.card import CardVerdict, witnesses
from smallprint.ask.verdict.coverage import coverage
from smallprint.ask.verdict.coverage import numbers as coverage_numbers
from smallprint.ask.verdict.features import STANCE_FEATURES, stance_features
from smallprint.ask.verdict.guards import Witnesses, guarded
from smallprint.card import STANCES, Verdict
from smallprint.models.combiner import UNREAD_DROP
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


# A question that begins so asks for yes or no; one that begins with "how long" does not.
_CLOSED = pattern(
    r"^(?:(?:so|and|but|ok|okay|hey|hi|also|please)[, ]+)?"
    r"(?:do|does|did|is|are|was|were|can|could|will|would|has|have|may|might|should|am|if)\b"
)
_ANY_OPEN = pattern(r"\b(?:who|whom|what|which|when|where|why|how)\b")
_OPEN = pattern(r"^(?:\W*\w+\W+){0,2}(?:who|whom|what|which|when|where|why|how)\b")
# What a policy that answers a yes-no question says, as the combiner tells it.
SAYS = ("yes", "no", "depends", "both")
_FLAT = frozenset({Verdict.YES, Verdict.NO})
# By its code, what the card of a policy says on each question; places are those of the evidence.
Card = Mapping[str, CardVerdict]
_TURNED = {Verdict.YES: Verdict.NO, Verdict.NO: Verdict.YES}
_STANCES = {Verdict.YES: STANCES.index("+"), Verdict.NO: STANCES.index("-"), Verdict.DEPENDS: STANCES.index("~")}
# A sentence that surely says what the verdict says counts so much more, in logits.
STANCE_WORTH = 1.0
HALF_SURE = 0.5
# From here on the evidence of the best sentence, a logit, is too strong for a question to be none on privacy.
STRONG = 0.0
# So surely a question means one of the card's that it gets the card's verdict. Of 229 asked questions on tuning
# policies 103 are taken for one of the card's; below this most ask for more, or for less.
MEANT = 0.75
SPEAKING = len(STANCES) - 1
# Of a sentence's score so much is either neighbour's, where what bears on a question is marked.
NEIGHBOUR = 0.2
LEAST_SCORE = -6.0


class State(StrEnum):
    """What can be said of a question asked of a policy."""

    ANSWERED = "answered"
    SILENT = "silent"
    UNSURE = "unsure"
    CONFLICTING = "conflicting"
    FOREIGN = "not a privacy question"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy says on a question, the places of the sentences to be shown with the best first, and two numbers.

    `leaning` is the likeliest verdict, which is also the verdict where one can be sure; `confidence` is the calibrated
    probability that it is right; `answerable` that the policy answers the question at all, and `first_right` that what
    is shown at first answers it. `chosen` are sentences that answer, `closest` those that come closest to it, `bearing`
    all that bear on the question, in the policy's order; `conflict` are two places that say opposite things.
    """

    verdict: Verdict
    leaning: Verdict
    chosen: tuple[int, ...]
    closest: tuple[int, ...]
    bearing: tuple[int, ...]
    confidence: float
    answerable: float
    first_right: float
    scores: NDArray[np.float32]
    readings: tuple[Reading | None, ...]
    conflict: tuple[int, int] | None = None

    @property
    def state(self) -> State:
        """What the verdict comes to: an answer, or why there is none."""
        return _STATES.get(self.verdict, State.ANSWERED)

    def speaks(self, place: int) -> bool:
        """Return whether a sentence says what the verdict says, rather than not."""
        reading, stance = self.readings[place], _STANCES.get(self.verdict)
        return reading is not None and stance is not None and reading.stances[stance] >= HALF_SURE


_STATES = {
    Verdict.SILENT: State.SILENT,
    Verdict.NOT_SURE: State.UNSURE,
    Verdict.BOTH: State.CONFLICTING,
    Verdict.FOREIGN: State.FOREIGN,
}


def decide(asked: Asked, evidence: Evidence, kit: Kit, card: Card | None = None) -> Decision:
    """Weigh what a policy says on a question; one that means a question of its card gets the card's verdict."""
    decision = _weighed(asked, evidence, kit)
    if card is None or decision.verdict is Verdict.FOREIGN or not asked.question.words:
        return decision
    match = kit.card_mapper.match(asked.question.text, asked.vectors[0])
    line = card.get(match.code)
    if line is None or not match.is_sure or match.probability < MEANT:
        return decision
    return _by_card(decision, line, is_turned=match.polarity == "-")


def _by_card(decision: Decision, line: CardVerdict, *, is_turned: bool) -> Decision:
    """Return a decision with the verdict of a line of the card, and the sentences behind that first.

    Where the one says yes and the other no, nobody can be sure.
    """
    verdict, leaning = (_TURNED.get(own, own) if is_turned else own for own in (line.verdict, line.leaning))
    if {verdict, decision.leaning} == _FLAT:
        verdict = Verdict.NOT_SURE
    others = [place for place in (*decision.chosen, *decision.closest) if place not in line.places]
    shown = tuple(dict.fromkeys((*line.places, *others)))[:MOST_CHOSEN]
    chosen = () if verdict is Verdict.SILENT else shown
    return replace(
        decision, verdict=verdict, leaning=leaning, chosen=chosen, closest=shown, confidence=line.confidence,
        conflict=None,
    )  # fmt: skip


def _weighed(asked: Asked, evidence: Evidence, kit: Kit) -> Decision:
    if not len(evidence) or not asked.question.words:
        verdict = Verdict.SILENT if asked.question.words else Verdict.FOREIGN
        nothing = np.zeros(len(evidence), dtype=np.float32)
        return Decision(verdict, verdict, (), (), (), 0.0, 0.0, 0.0, nothing, (None,) * len(evidence))
    scores, readings = combined(asked, evidence, kit)
    facts = question_features(asked, evidence, scores, readings, kit)
    tell, number = kit.combiner.tell, kit.combiner.number
    answerable = tell("answerable", facts)
    order = np.argsort(-scores, kind="stable").tolist()
    good = tuple(place for place in order[:MOST_CHOSEN] if scores[place] >= number("chosen_from"))
    shares = dict(zip(SAYS, kit.combiner.shares("says", facts).tolist(), strict=True))
    leaning, confidence = likeliest(answerable, shares, is_open=tell("open", form(asked)) >= HALF_SURE)
    good = by_stance(good, leaning, scores, readings)
    closest = by_stance(order[:MOST_CHOSEN], leaning, scores, readings)
    chosen: tuple[int, ...] = good or closest[:AT_FIRST]
    verdict = guarded(None, asked.question.text, leaning, _witnesses(evidence, readings)).verdict
    conflict = None
    is_foreign = tell("foreign", facts) >= number("foreign_from") or asked.foreign >= SURELY_FOREIGN
    if is_foreign and (answerable < number("answered_from") or scores.max() < STRONG):
        verdict = leaning = Verdict.FOREIGN
        chosen = ()
    elif answerable < number("silent_below"):
        verdict, chosen = Verdict.SILENT, ()
    elif answerable < number("answered_from") or not good:
        verdict = Verdict.NOT_SURE
    elif leaning is Verdict.SILENT or (verdict in _FLAT and confidence < number("said_from")):
        verdict = Verdict.TOLD  # it answers, and its words say how
    elif verdict is Verdict.BOTH:
        conflict = conflicting(evidence, good)
    bearing = bearing_on(scores, readings, number("bearing_from")) if verdict is not Verdict.FOREIGN else ()
    first_right = tell("confidence", facts)
    return Decision(
        verdict,
        leaning,
        chosen,
        closest,
        bearing,
        confidence,
        answerable,
        first_right,
        scores,
        tuple(readings),
        conflict,
    )


def _witnesses(evidence: Evidence, readings: Sequence[Reading | None]) -> Witnesses:
    """Return the strongest of the sentences that were read, for yes, for no and for limits."""
    read = [
        (sentence, reading.stances) for sentence, reading in zip(evidence.sentences, readings, strict=True) if reading
    ]
    return witnesses([own for own, _ in read], np.array([own for _, own in read], np.float32).reshape(-1, len(STANCES)))


def likeliest(answerable: float, shares: Mapping[str, float], *, is_open: bool) -> tuple[Verdict, float]:
    """Return the likeliest verdict with its probability: silence, or what is said if the policy answers at all."""
    verdicts = [(Verdict.TOLD, 1.0)] if is_open else [(Verdict(name), share) for name, share in shares.items()]
    answer, share = max(verdicts, key=_second)
    return max(((Verdict.SILENT, 1 - answerable), (answer, answerable * share)), key=_second)


def _second(pair: tuple[Verdict, float]) -> float:
    return pair[1]


def by_stance(
    places: Sequence[int], verdict: Verdict, scores: NDArray[np.float32], readings: Sequence[Reading | None]
) -> tuple[int, ...]:
    """Put sentences in order: those first that say what the verdict says, if they answer nearly as well."""
    stance = _STANCES.get(verdict)

    def worth(place: int) -> float:
        reading = readings[place]
        speaks = reading.stances[stance] if reading is not None and stance is not None else 0.0
        return float(scores[place]) + STANCE_WORTH * speaks

    return tuple(sorted(places, key=worth, reverse=True))


def bearing_on(scores: NDArray[np.float32], readings: Sequence[Reading | None], cut: float) -> tuple[int, ...]:
    """Return all that bears on a question, in the policy's order: experts mark blocks, so neighbours count."""
    return tuple(np.flatnonzero(smoothed(scores, readings) >= cut).tolist())


def smoothed(scores: NDArray[np.float32], readings: Sequence[Reading | None]) -> NDArray[np.float32]:
    """Return scores that lean on those of the sentences before and after; what was not read is far below."""
    was_read = np.array([reading is not None for reading in readings], dtype=bool)
    own = np.where(was_read, scores, scores + UNREAD_DROP)
    low = np.where(was_read, own, np.minimum(own, LEAST_SCORE))
    before, after = neighbours(low, LEAST_SCORE)
    return np.asarray((1 - 2 * NEIGHBOUR) * low + NEIGHBOUR * (before + after), dtype=np.float32)


QUESTION_FEATURES = (
    "best", "five together", "share that bears", "answers at best", "dense at best", "pribot at best",
    "certainty of the question", "foreign", "known words", "its practice in the policy", "words of the question",
    "second", "third", "answers, second", "answers, third", "exact words", "like words", "words together",
    "rarest missing", "rarest without a like", *(f"stances: {name}" for name in STANCE_FEATURES),
    "yes of the best", "no of the best", "limits of the best", "yes of the first three", "no of the first three",
    "limits of the first three", "open",
)  # fmt: skip


def question_features(
    asked: Asked, evidence: Evidence, scores: NDArray[np.float32], readings: Sequence[Reading | None], kit: Kit
) -> NDArray[np.float32]:
    """Return in numbers how the policy and the question fit together, and what its sentences say."""
    order = np.argsort(-scores, kind="stable")
    best = np.concatenate([scores[order], np.full(AT_FIRST, scores.min(initial=0.0))])
    read = [reading for reading in readings if reading is not None]
    answers = sorted((reading.answers for reading in read), reverse=True)[:AT_FIRST]
    answers += [UNREAD] * (AT_FIRST - len(answers))
    stances = np.array([reading.stances for reading in read], dtype=np.float32).reshape(-1, 1, len(STANCES))
    first = [readings[place] for place in order[:AT_FIRST].tolist()]
    leading = np.array([own.stances[1:] for own in first if own is not None], dtype=np.float32).reshape(-1, SPEAKING)
    practice = int(asked.labels[: len(CATEGORIES)].argmax())
    nothing = np.zeros(SPEAKING, dtype=np.float32)
    return np.array([
        best[0],
        np.logaddexp.reduce(best[:5]),
        sigmoid(best[:20]).sum(),
        answers[0],
        float((evidence.vectors @ asked.vectors[0]).max()),
        float(pribot(asked.labels, evidence.labels).max()),
        float(certainty(asked.labels)),
        asked.foreign,
        asked.known,
        float(evidence.labels[:, practice].max()),
        np.log1p(len(asked.question.words)),
        *best[1:3],
        *answers[1:],
        *coverage_numbers(coverage(asked, evidence.sentences, kit)),
        *stance_features(stances)[0],
        *(leading[0] if len(leading) else nothing),
        *(leading.mean(axis=0) if len(leading) else nothing),
        kit.combiner.tell("open", form(asked)),
    ], dtype=np.float32)  # fmt: skip


def form(asked: Asked) -> NDArray[np.float32]:
    """Return in numbers how a question is put: its vector, and whether it begins as yes-no questions do."""
    text = asked.question.text
    begins = [float(bool(each.search(text))) for each in (_CLOSED, _OPEN, _ANY_OPEN)]
    return np.concatenate([asked.vectors[0], np.array(begins, dtype=np.float32)])


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
