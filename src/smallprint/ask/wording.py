"""The first line of an answer, in plain words; it never claims more than the sentences under it do."""

from __future__ import annotations

import re
from dataclasses import dataclass

from smallprint.ask.deciding import State
from smallprint.ask.stems import stemmed
from smallprint.text import words

# A question that begins so asks for yes or no; one that begins with "how" or "what" does not.
_CLOSED = re.compile(
    r"^(?:(?:so|and|but|ok|okay|hey|hi|also|please)[, ]+)?"
    r"(?:do|does|did|is|are|was|can|could|will|would|has|have|may|might|should)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.;:]+")
_DENIAL = re.compile(r"\b(?:not|never|no longer|neither|nor|n't|cannot|without|refuse[sd]?)\b|n't\b", re.IGNORECASE)
_MAYBE = re.compile(r"\b(?:may|might|could|can|sometimes|in some cases)\b", re.IGNORECASE)
# What policies are asked about doing: a form of the question, as it stands after "it says it does", and its stems.
_DEEDS = {
    "sell": "sell sells sold selling rent rents trade",
    "share": "share shares shared sharing disclose discloses disclosed provide give gives pass transfer transfers",
    "collect": "collect collects collected collecting gather gathers obtain record records receive access accesses",
    "store": "store stores stored storing keep keeps kept retain retains retained save saves hold holds",
    "use": "use uses used using utilize process processes",
    "track": "track tracks tracked tracking monitor monitors follow follows",
    "encrypt": "encrypt encrypts encrypted encrypting encryption",
    "delete": "delete deletes deleted deleting erase erases remove removes destroy",
}
_DEED_OF = {word: deed for deed, forms in _DEEDS.items() for word in forms.split()}
# Whoever does something in the company's name; what "you" do is not what it does.
_OURS = re.compile(r"\b(?:we|our|us|they|it|company|partners|providers|parties)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Deed:
    """What a clause says of a deed: whether it is denied, and whether it merely may be."""

    name: str
    denied: bool
    maybe: bool


def first_line(state: State, question: str, sentences: tuple[str, ...]) -> str:
    """Say in one line what was found."""
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
        return f"No, it says it does not {told.name}:"
    return f"Yes, it says it may {told.name}:" if told.maybe else f"Yes, it says it {told.name}s:"


def _told(question: str, sentences: tuple[str, ...]) -> Deed | None:
    """Give what the leading sentence says of the very deed that was asked for, if it is said of the same things."""
    if not _CLOSED.match(question.strip()) or _DENIAL.search(question):
        return None
    asked = {deed for word in words(question) if (deed := _DEED_OF.get(word))}
    things = {stem for stem in stemmed(words(question)) if stem not in _ALL_DEEDS}
    if len(asked) != 1 or _is_about_the_asker(question):
        return None
    (deed,) = asked
    for sentence in sentences:
        for clause in _SENTENCE.findall(sentence):
            said = words(clause)
            if deed not in {_DEED_OF.get(word) for word in said} or not _OURS.search(clause):
                continue
            if things and not things & set(stemmed(said)):
                return None
            return Deed(deed, bool(_DENIAL.search(clause)), bool(_MAYBE.search(clause)))
    return None


def _is_about_the_asker(question: str) -> bool:
    """Tell "can I delete …" from "do you delete …": of the first, a policy's "we delete" is no answer."""
    return bool(
        re.match(r"^\W*(?:\w+\W+)?(?:can|could|may|will|would|do|am|should)\s+(?:i|we|my)\b", question, re.IGNORECASE)
    )


_ALL_DEEDS = frozenset(stemmed(_DEED_OF))
