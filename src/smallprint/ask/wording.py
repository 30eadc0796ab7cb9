"""The first line of an answer, in plain words; it never claims more than the sentences under it do."""

from __future__ import annotations

import re
from dataclasses import dataclass

from smallprint.ask.deciding import State
from smallprint.ask.deeds import DEED_OF
from smallprint.ask.stems import stemmed
from smallprint.text import words

# A question that begins so asks for yes or no; one that begins with "how" or "what" does not.
_CLOSED = re.compile(
    r"^(?:(?:so|and|but|ok|okay|hey|hi|also|please)[, ]+)?"
    r"(?:do|does|did|is|are|was|can|could|will|would|has|have|may|might|should)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[^.;:]+")
_DENIALS = frozenset("not never neither nor cannot don't doesn't won't didn't can't".split())
_MAYBES = frozenset("may might could can sometimes".split())
# So far before a verb stands what denies it or makes it a maybe ("do not knowingly ever share").
_BEFORE = 3
_EXCEPT = re.compile(r"\b(?:except|unless|other than|apart from|without|only|but)\b", re.IGNORECASE)
# Whoever does something in the company's name; what "you" do is not what it does.
_OURS = frozenset("we our us they it company".split())
_BE = frozenset("is are be been being".split())
# What a policy speaks of anyhow: that both speak of it says nothing.
_ANYHOW = frozenset(stemmed(
    "data information info personal private privacy details stuff things anything else any other others all app site "
    "website service company user users customer customers ever".split()
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Deed:
    """What a clause says of a deed: whether it is denied, with exceptions or without, and whether it merely may be."""

    name: str
    denied: bool
    maybe: bool
    excepted: bool


def first_line(state: State, question: str, sentences: tuple[str, ...]) -> str:
    """Say in one line what was found."""
    if not words(question):
        return "There is no question; ask one such as “Do you sell my data?”"
    if state is State.FOREIGN:
        return "This does not look like a question that a privacy policy answers."
    if state is State.SILENT:
        return "The policy does not say."
    if state is State.UNSURE:
        return "I am not sure; these come closest."
    if state is State.CONFLICTING:
        return "The policy says both; read these side by side."
    told = _told(question, sentences[:1])
    if told is None:
        return "This is what the policy says."
    if told.denied:
        return f"No, it says it does not {told.name}{', with exceptions' if told.excepted else ''}:"
    return f"Yes, it says it may {told.name}:" if told.maybe else f"Yes, it says it {told.name}s:"


def _told(question: str, sentences: tuple[str, ...]) -> Deed | None:
    """Give what the leading sentence says of the very deed that was asked for, if it is said of the same things."""
    asked = words(question)
    deeds = [place for place, word in enumerate(asked) if word in DEED_OF]
    if len(deeds) != 1 or not _CLOSED.match(question.strip()) or _is_about_the_asker(question):
        return None
    if _DENIALS & set(asked):
        return None
    deed = DEED_OF[asked[deeds[0]]]
    things = set(stemmed(asked[deeds[0] + 1 :])) - _ANYHOW
    for sentence in sentences:
        if not things <= set(stemmed(words(sentence))):
            return None
        for clause in _CLAUSE.findall(sentence):
            found = _said(words(clause), deed, bool(_EXCEPT.search(sentence)))
            if found:
                return found
    return None


def _said(clause: list[str], deed: str, excepted: bool) -> Deed | None:
    """Give what a clause says of a deed that the company does, or that is done to what it has."""
    for place, word in enumerate(clause):
        before = clause[max(0, place - _BEFORE) : place]
        who = [other for other in clause[:place] if other in _OURS or other == "you"]
        if DEED_OF.get(word) == deed and ((who and who[-1] != "you") or _BE & set(before)):
            return Deed(deed, bool(_DENIALS & set(before)), bool(_MAYBES & set(before)), excepted)
    return None


def _is_about_the_asker(question: str) -> bool:
    """Tell "can I delete …" from "do you delete …": of the first, a policy's "we delete" is no answer."""
    return bool(
        re.match(r"^\W*(?:\w+\W+)?(?:can|could|may|will|would|do|am|should)\s+(?:i|we|my)\b", question, re.IGNORECASE)
    )
