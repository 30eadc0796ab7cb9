"""A policy's sentences and a matter in, the sentence out that earns the policy its place in an answer, if one does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.practices import Labeller, column
from smallprint.annotate.sentences import Sentence
from smallprint.ask.lexicon import spellings, terms
from smallprint.ask.library_questions import LibraryQuestion
from smallprint.ask.stances import Matter, Stance, stance
from smallprint.ask.statements import FORMS, GETS, denies, may_deny, statements
from smallprint.ask.topics import Topic
from smallprint.taxonomy import DOES_NOT, Label
from smallprint.text import words

# A sentence that has the words speaks of the practice from LIKELY on; it denies it from HALF on.
HALF, LIKELY = 0.5, 0.4
_RIVALS = ("first-party", "third-party", "choice", "access")


@dataclass(frozen=True, slots=True)
class Earned:
    """What a policy says of a matter: the sentence that says it best, and whether another one says the contrary."""

    stance: Stance
    sentence: Sentence
    strength: float
    contrary: Sentence | None = None


def earned(question: LibraryQuestion, sentences: Sequence[Sentence], labeller: Labeller) -> dict[Stance, Earned]:
    """Say what a policy affirms and denies of the matter, each by its best sentence; nothing where it is silent."""
    if question.matter is not None:
        found = _by_words(question, question.matter, sentences, labeller)
    elif question.topic is not None:
        found = _by_topic(question.topic, sentences, labeller)
    else:
        found = {}
    return found


def _by_words(
    question: LibraryQuestion, matter: Matter, sentences: Sequence[Sentence], labeller: Labeller
) -> dict[Stance, Earned]:
    best: dict[Stance, Earned] = {}
    undecided = []
    named, done = _spelt(matter), _done(matter)
    for one in sentences:
        spoken = one.spoken
        # Most sentences are of something else, and a look at their letters tells.
        is_named = named is not None and bool(named.search(spoken))
        is_done = bool(done.search(spoken))
        if not (is_named or (is_done and (named is None or may_deny(spoken)))):
            continue
        said = [(stance(statement, matter), statement) for statement in statements(spoken)]
        for which, statement in said:
            if which is not None:
                strength = 1.0 - 0.3 * statement.excepted - 0.2 * statement.hedged
                _keep(best, Earned(which, one, strength))
        of_another = bool(said) and all(statement.deed not in matter.deeds for _, statement in said)
        if (
            not any(which for which, _ in said)
            and not of_another
            and question.labels
            and is_named
            and _names(spoken, matter)
        ):
            undecided.append(one)
    if undecided:
        category = question.labels[0].category
        rows = labeller.labels([one.spoken for one in undecided])
        for one, row in zip(undecided, rows, strict=True):
            if not denies(one.spoken) and _is_of(row, category):
                _keep(best, Earned("does", one, 0.5 * float(row[column(Label(category))])))
    return best


@lru_cache(100)
def _spelt(matter: Matter) -> re.Pattern[str] | None:
    """Find any of the words that name a part of a matter; None where it is of anything."""
    said = key_words(matter)
    return re.compile("|".join(r"\W+".join(map(re.escape, one)) for one in said), re.IGNORECASE) if said else None


@lru_cache(100)
def _done(matter: Matter) -> re.Pattern[str]:
    forms = [form for deed in sorted(matter.deeds) for form in FORMS[deed].split()]
    return re.compile(rf"\b(?:{'|'.join([*forms, *GETS])})\b", re.IGNORECASE)


def _by_topic(topic: Topic, sentences: Sequence[Sentence], labeller: Labeller) -> dict[Stance, Earned]:
    """Look for the topic's words in sentences of its category; a denial counts where it is of them."""
    best: dict[Stance, Earned] = {}
    spoken = [(one, places) for one in sentences if (places := topic.places(one.spoken))]
    if not spoken:
        return best
    category = column(Label(topic.category))
    rows = labeller.labels([one.spoken for one, _ in spoken])[:, category]
    for (one, places), likely in zip(spoken, rows.tolist(), strict=True):
        if likely >= topic.least:
            denied = any(is_denied for _, is_denied in places)
            _keep(best, Earned("does not" if denied else "does", one, likely))
    return best


def _keep(best: dict[Stance, Earned], one: Earned) -> None:
    if one.stance not in best or one.strength > best[one.stance].strength:
        best[one.stance] = one


def _names(text: str, matter: Matter) -> bool:
    """Tell whether a sentence names each part of a matter."""
    found = terms(words(text))
    return all(
        not asked or any(term.sort == sort and term.id in asked for term in found)
        for sort, asked in (("things", matter.things), ("whom", matter.whom), ("ends", matter.ends))
    )


def _is_of(row: NDArray[np.float32], category: str) -> bool:
    """Tell whether a sentence that names all of a matter also speaks of the practice, and does not deny it.

    Values are not asked for: the words say more than the student does, which knows no sentence on health.
    """
    own = row[column(Label(category))]
    others = [row[column(Label(other))] for other in _RIVALS if other != category]
    return bool(own >= LIKELY and own >= max(others) and row[column(Label(category, "Does/Does Not", DOES_NOT))] < HALF)


def key_words(matter: Matter) -> tuple[tuple[str, ...], ...]:
    """Give the words by which policies are found that may speak of a matter, the shortest first."""
    parts = (("things", matter.things), ("whom", matter.whom), ("ends", matter.ends))
    found = [said for sort, some in parts for one in sorted(some) for said in spellings(sort, one)]  # type: ignore[arg-type]
    return tuple(sorted(dict.fromkeys(found), key=len))
