"""Whether to ask back before an answer is taken for good: one question, with two things that may be meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smallprint.ask.conversation import Option
from smallprint.ask.deeds import deeds
from smallprint.ask.fragments import thing_of
from smallprint.ask.lexicon import terms
from smallprint.ask.stems import STOP_WORDS
from smallprint.ask.topics import topic_of
from smallprint.text import words

# PriBot asks back where cer(q) is low: of 22 questions of our own those that can be answered at once have 0.5 and more,
# "what about cookies?" 0.36. But the mapper is sure of "location?" as well, whatever of it is meant: what merely names
# a thing is told by its words.
CERTAIN = 0.4
# A practice is among those that may be meant where its best sentence is nearly as good as the best of all.
NEARLY = 0.6
TWO = 2
_IDLE = STOP_WORDS | frozenset("tell know happens happen".split())
# Each category as one asks for it, of the thing spoken of: how it is offered, and the question it stands for.
_ASKS = {
    "first-party": ("how they use {your}", "How do you use {my}?"),
    "third-party": ("with whom they share {your}", "Who do you share {my} with?"),
    "choice": ("what you can choose about {your}", "What choices do I have about {my}?"),
    "access": ("how to see, correct or delete {your}", "How can I see, correct or delete {my}?"),
    "retention": ("how long they keep {your}", "How long do you keep {my}?"),
    "security": ("how they protect {your}", "How do you protect {my}?"),
    "change": ("how they tell you of changes", "How do you tell me of changes to the policy?"),
    "audiences": ("what holds for children and for certain countries", "What do you say about children?"),
}


@dataclass(frozen=True, slots=True)
class Evident:
    """A sentence among the best for a question: the category of its practice, and how likely it bears on it."""

    category: str | None
    probability: float


def clarification(question: str, certainty: float, best: Sequence[Evident]) -> tuple[Option, ...]:
    """Give the two things that may be meant, or nothing where the question is plain enough.

    A question that says what is done ("sell", "keep") is plain. Else it is ambiguous where cer(q) is low, or where it
    merely names a thing, and the best evidence falls into different practices: of one there is nothing to choose.
    """
    if deeds(question) or topic_of(question) or not (certainty < CERTAIN or is_bare(question)):
        return ()
    top = max((one.probability for one in best), default=0.0)
    found = [one.category for one in best if one.probability >= NEARLY * top]
    meant = [one for one in dict.fromkeys(found) if one in _ASKS][:TWO]
    if len(meant) < TWO:
        return ()
    my = thing_of(question)
    my = my if " " in my or my.lower().startswith("cookie") else f"my {my}"
    your = _yours(my)
    return tuple(
        Option(offered.format(your=your), asked.format(my=my)) for offered, asked in (_ASKS[one] for one in meant)
    )


def is_bare(question: str) -> bool:
    """Tell whether a question names a thing and says nothing of it: "my location?", "what about cookies?"."""
    tokens = words(question)
    named = {place for term in terms(tokens) if term.sort == "things" for place in range(term.start, term.end)}
    return bool(named) and all(place in named or token in _IDLE for place, token in enumerate(tokens))


def _yours(thing: str) -> str:
    first, _, rest = thing.partition(" ")
    return f"your {rest}" if first.lower() == "my" and rest else thing
