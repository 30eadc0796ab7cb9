"""What may be asked next, after an answer: short, and of what the answer was about."""

from __future__ import annotations

from collections.abc import Sequence

from smallprint.ask.fragments import thing_of
from smallprint.text import words

MOST = 3
_NEXT = (
    "Do you share {thing} with advertisers?",
    "How long do you keep {thing}?",
    "Can I delete {thing}?",
    "Do you sell {thing}?",
    "How do you protect {thing}?",
)
OF_LIBRARY = ("Which policies do not share data with advertisers?", "Which policies are vaguest about retention?")
OF_POLICY = ("What is it vague about?", "Is there anything surprising in it?")


def suggestions(question: str, last: str = OF_POLICY[0]) -> tuple[str, ...]:
    """Give questions that go on from one; none that was just asked in nearly the same words. `last` closes them."""
    asked = set(words(question))
    thing = thing_of(question)
    thing = "my data" if thing.lower().startswith("cookie") else thing  # which nobody keeps or sells
    found = [one.format(thing=thing) for one in _NEXT]
    return (*[one for one in found if len(set(words(one)) - asked) > 1][: MOST - 1], last)


def of_policies(named: Sequence[str]) -> tuple[str, ...]:
    """Give questions that go on from a list of policies."""
    return tuple(f"What does {one} say about deletion?" for one in named[:1]) + OF_LIBRARY[1:]
