"""A policy's sentences and a matter in, the sentence out that earns the policy its place in an answer, if one does."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from smallprint.ask.english.lexicon import forms, spellings, terms, word_lists
from smallprint.ask.english.stances import Matter, Stance, stance
from smallprint.ask.english.statements import MAY_DENY, denies, statements
from smallprint.ask.english.topics import Topic
from smallprint.assistant.across.parsing import LibraryQuestion
from smallprint.models.labels import Labeller, column
from smallprint.records import Sentence
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
    spelt = _spelt(question.matter)
    done = _starts(_done(question.matter), text)
    if question.wants == "does not":
        denials = _starts(MAY_DENY, text)
        places = [*done, *_starts(_COOKIES, text)]  # "there are no cookies"
        if not any(_within(denials, place - NEAR, place + NEAR) for place in places):
            return None
    named = _starts(spelt, text) if spelt else ()
    return None if question.wants == "does" and spelt and not named else Glance(named, done)


def _starts(pattern: re.Pattern[str], text: str) -> tuple[int, ...]:
    return tuple(match.start() for match in pattern.finditer(text))


def earned(
    question: LibraryQuestion, seen: Glance, sentences: Sequence[Sentence], labeller: Labeller
) -> dict[Stance, Earned]:
    """Return what a policy affirms and denies of the matter, each by its best sentence; nothing where it is silent."""
    stated: Iterable[Earned] = ()
    if question.matter is not None:
        stated = _by_words(question, question.matter, seen, sentences, labeller)
    elif question.topic is not None:
        stated = _by_topic(question, question.topic, sentences, labeller)
    best: dict[Stance, Earned] = {}
    for each in stated:
        if each.stance not in best or each.strength > best[each.stance].strength:
            best[each.stance] = each
    return best


def _by_words(
    question: LibraryQuestion, matter: Matter, seen: Glance, sentences: Sequence[Sentence], labeller: Labeller
) -> list[Earned]:
    stated: list[Earned] = []
    undecided = []
    speaking = list(_speaking(matter, seen, sentences))
    if question.wants == "does not":  # what else a policy says matters only where it denies something
        speaking.sort(key=lambda speaks: not speaks[2])
    for sentence, is_named, may_deny in speaking:
        is_wanted = any(each.stance == question.wants for each in stated)
        if question.wants == "does not" and not may_deny and not is_wanted:
            return []
        stances = [(stance(statement, matter), statement) for statement in statements(sentence.spoken)]
        for which, statement in stances:
            if which is not None:
                stated.append(Earned(which, sentence, 1.0 - 0.3 * statement.excepted - 0.2 * statement.hedged))
        # To store, delete or encrypt is not to do something else: what is stored was collected.
        rivals = {statement.deed for _, statement in stances} - {"store", "delete", "encrypt"}
        of_another = bool(rivals) and matter.deeds.isdisjoint(rivals)
        may_be_of_it = question.labels and is_named and not of_another and not any(which for which, _ in stances)
        if may_be_of_it and _names(sentence.spoken, matter):
            undecided.append(sentence)
    if undecided and (question.wants == "does" or any(each.stance == question.wants for each in stated)):
        category = question.labels[0].category
        rows = labeller.labels([sentence.spoken for sentence in undecided])
        for sentence, row in zip(undecided, rows, strict=True):
            if not denies(sentence.spoken) and _is_of(row, category):
                stated.append(Earned("does", sentence, 0.5 * float(row[column(Label(category))])))
    return stated


def _speaking(matter: Matter, seen: Glance, sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, bool, bool]]:
    """Yield the sentences that may state something of a matter, whether they name a part of it, and may deny anything.

    Most are of something else. A list item is read with its lead-in.
    """
    named, done = _spelt(matter), _done(matter)
    for sentence in sentences:
        if sentence.lead_in:
            spoken = sentence.spoken.lower()
            is_named = named is not None and named.search(spoken) is not None
            is_done = done.search(spoken) is not None
        else:
            is_named = _within(seen.named, sentence.start, sentence.end)
            is_done = _within(seen.done, sentence.start, sentence.end)
        if is_named or is_done:
            may_deny = bool(MAY_DENY.search(sentence.spoken.lower()))
            if is_named or named is None or may_deny:
                yield sentence, is_named, may_deny


def _within(places: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(places, start)
    return at < len(places) and places[at] < end


@lru_cache(100)
def _spelt(matter: Matter) -> re.Pattern[str] | None:
    """Find any of the words that name a part of a matter, in lower case; None where it is of anything."""
    spelt = key_words(matter)
    return re.compile("|".join(r"\W+".join(map(re.escape, spelling)) for spelling in spelt)) if spelt else None


@lru_cache(100)
def _done(matter: Matter) -> re.Pattern[str]:
    every = [form for deed in sorted(matter.deeds) for form in forms(deed)]
    return re.compile(rf"\b(?:{'|'.join(dict.fromkeys([*every, *word_lists('statements')['receiving']]))})\b")


def _by_topic(
    question: LibraryQuestion, topic: Topic, sentences: Sequence[Sentence], labeller: Labeller
) -> Iterator[Earned]:
    """Look for the topic's words in sentences of its category; a denial counts where it is of them."""
    may_speak = (sentence for sentence in sentences if topic.may_be_in(sentence.spoken.lower()))
    speaking = [(sentence, denials) for sentence in may_speak if (denials := topic.denials(sentence.spoken))]
    if not speaking:
        return
    further = topic.further(question.about)
    rows = labeller.labels([sentence.spoken for sentence, _ in speaking])[:, column(Label(topic.category))]
    for (sentence, denials), likely in zip(speaking, rows.tolist(), strict=True):
        if likely >= topic.least:
            is_exact = all(word in sentence.spoken.lower() for word in further)
            yield Earned("does not" if any(denials) else "does", sentence, likely + is_exact, is_exact)


def _names(text: str, matter: Matter) -> bool:
    """Return whether a sentence names each part of a matter."""
    named = terms(words(text))
    return all(
        not asked or any(term.sort == sort and term.id in asked for term in named)
        for sort, asked in matter.parts.items()
    )


def _is_of(row: NDArray[np.float32], category: str) -> bool:
    """Return whether a sentence that names all of a matter also speaks of the practice, and does not deny it.

    Values are not asked for: the words say more than the student does, which knows no sentence on health.
    """
    own = row[column(Label(category))]
    others = [row[column(Label(other))] for other in _RIVALS if other != category]
    return bool(own >= LIKELY and own >= max(others) and row[column(Label(category, "Does/Does Not", DOES_NOT))] < HALF)


def key_words(matter: Matter) -> tuple[tuple[str, ...], ...]:
    """Return the words by which policies are found that may speak of a matter, the shortest first."""
    every = [spelt for sort, some in matter.parts.items() for term in sorted(some) for spelt in spellings(sort, term)]
    return tuple(sorted(dict.fromkeys(every), key=len))
