"""A policy's sentences and a matter in, the sentence out that earns the policy its place in an answer, if one does."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.practices import Labeller, column
from smallprint.annotate.sentences import Sentence
from smallprint.ask.lexicon import spellings, terms
from smallprint.ask.library_questions import LibraryQuestion
from smallprint.ask.stances import Matter, Stance, stance
from smallprint.ask.statements import FORMS, GETS, MAY_DENY, denies, may_deny, statements
from smallprint.ask.topics import Topic
from smallprint.taxonomy import DOES_NOT, Label
from smallprint.text import words

# A sentence that has the words speaks of the practice from LIKELY on; it denies it from HALF on.
HALF, LIKELY = 0.5, 0.4
# So many characters from a deed its denial may stand: that of a list is in what introduces it.
NEAR = 400
_COOKIES = re.compile("cookie")
_RIVALS = ("first-party", "third-party", "choice", "access")


@dataclass(frozen=True, slots=True)
class Earned:
    """What a policy says of a matter: the sentence that says it best, and whether it says all that was asked."""

    stance: Stance
    sentence: Sentence
    strength: float
    is_exact: bool = True


@dataclass(frozen=True, slots=True)
class Glance:
    """Where in a policy's text stand the words of a matter: those that name a part of it, and those of its deeds."""

    named: tuple[int, ...] = ()
    done: tuple[int, ...] = ()


def glance(question: LibraryQuestion, text: str) -> Glance | None:
    """Look over a policy's text, in lower case; None where it cannot say what is wanted, as most do not."""
    if question.topic is not None:
        return Glance() if question.topic.may_be_in(text) else None
    if question.matter is None:
        return None
    named, deeds = _spelt(question.matter), _done(question.matter)
    done = tuple(found.start() for found in deeds.finditer(text))
    if question.wants == "does not":
        denials = [found.start() for found in MAY_DENY.finditer(text)]
        places = [*done, *(found.start() for found in _COOKIES.finditer(text))]  # "there are no cookies"
        if not any(_within(denials, place - NEAR, place + NEAR) for place in places):
            return None
    found = Glance(tuple(one.start() for one in named.finditer(text)) if named else (), done)
    return None if question.wants == "does" and named and not found.named else found


def earned(
    question: LibraryQuestion, seen: Glance, sentences: Sequence[Sentence], labeller: Labeller
) -> dict[Stance, Earned]:
    """Say what a policy affirms and denies of the matter, each by its best sentence; nothing where it is silent."""
    if question.matter is not None:
        return _by_words(question, question.matter, seen, sentences, labeller)
    return _by_topic(question, question.topic, sentences, labeller) if question.topic is not None else {}


def _by_words(
    question: LibraryQuestion, matter: Matter, seen: Glance, sentences: Sequence[Sentence], labeller: Labeller
) -> dict[Stance, Earned]:
    best: dict[Stance, Earned] = {}
    undecided = []
    speaking = list(_speaking(matter, seen, sentences))
    if question.wants == "does not":  # what else a policy says matters only where it denies something
        speaking.sort(key=lambda one: not one.may_deny)
    for one in speaking:
        if question.wants == "does not" and not one.may_deny and question.wants not in best:
            return {}
        spoken = one.sentence.spoken
        said = [(stance(statement, matter), statement) for statement in statements(spoken)]
        for which, statement in said:
            if which is not None:
                strength = 1.0 - 0.3 * statement.excepted - 0.2 * statement.hedged
                _keep(best, Earned(which, one.sentence, strength))
        of_another = bool(said) and all(statement.deed not in matter.deeds for _, statement in said)
        may_be_of_it = question.labels and one.is_named and not of_another and not any(which for which, _ in said)
        if may_be_of_it and _names(spoken, matter):
            undecided.append(one.sentence)
    if undecided and (question.wants == "does" or question.wants in best):
        category = question.labels[0].category
        rows = labeller.labels([one.spoken for one in undecided])
        for sentence, row in zip(undecided, rows, strict=True):
            if not denies(sentence.spoken) and _is_of(row, category):
                _keep(best, Earned("does", sentence, 0.5 * float(row[column(Label(category))])))
    return best


class _Speaking(NamedTuple):
    """A sentence that may state something of a matter: whether it names a part of it, and may deny anything."""

    sentence: Sentence
    is_named: bool
    may_deny: bool


def _speaking(matter: Matter, seen: Glance, sentences: Sequence[Sentence]) -> Iterator[_Speaking]:
    """Give the sentences that may state something of a matter; most are of something else.

    A list item is read with its lead-in.
    """
    named, done = _spelt(matter), _done(matter)
    for one in sentences:
        if one.lead_in:
            spoken = one.spoken.lower()
            is_named = named is not None and named.search(spoken) is not None
            is_done = done.search(spoken) is not None
        else:
            is_named = _within(seen.named, one.start, one.end)
            is_done = _within(seen.done, one.start, one.end)
        if is_named or is_done:
            denying = may_deny(one.spoken)
            if is_named or named is None or denying:
                yield _Speaking(one, is_named, denying)


def _within(places: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(places, start)
    return at < len(places) and places[at] < end


@lru_cache(100)
def _spelt(matter: Matter) -> re.Pattern[str] | None:
    """Find any of the words that name a part of a matter, in lower case; None where it is of anything."""
    said = key_words(matter)
    return re.compile("|".join(r"\W+".join(map(re.escape, one)) for one in said)) if said else None


@lru_cache(100)
def _done(matter: Matter) -> re.Pattern[str]:
    forms = [form for deed in sorted(matter.deeds) for form in FORMS[deed].split()]
    return re.compile(rf"\b(?:{'|'.join(dict.fromkeys([*forms, *GETS]))})\b")


def _by_topic(
    question: LibraryQuestion, topic: Topic, sentences: Sequence[Sentence], labeller: Labeller
) -> dict[Stance, Earned]:
    """Look for the topic's words in sentences of its category; a denial counts where it is of them."""
    best: dict[Stance, Earned] = {}
    spoken = [(one, places) for one in sentences if topic.may_be_in(one.spoken.lower())
              if (places := topic.places(one.spoken))]  # fmt: skip
    if not spoken:
        return best
    category = column(Label(topic.category))
    further = topic.further(question.about)
    rows = labeller.labels([one.spoken for one, _ in spoken])[:, category]
    for (one, places), likely in zip(spoken, rows.tolist(), strict=True):
        if likely >= topic.least:
            denied = any(is_denied for _, is_denied in places)
            is_exact = all(word in one.spoken.lower() for word in further)
            _keep(best, Earned("does not" if denied else "does", one, likely + is_exact, is_exact))
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
