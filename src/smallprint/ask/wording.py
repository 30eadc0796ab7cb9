"""The first line of an answer, in plain words; it never claims more than the sentences under it do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate

from smallprint.ask.deciding import State
from smallprint.ask.deeds import DEED_OF
from smallprint.ask.lexicon import ANYTHING, terms
from smallprint.ask.statements import statements
from smallprint.ask.stems import stemmed
from smallprint.text import words

# A question that begins so asks for yes or no; one that begins with "how" or "what" does not.
_CLOSED = re.compile(
    r"^(?:(?:so|and|but|ok|okay|hey|hi|also|please)[, ]+)?"
    r"(?:do|does|did|is|are|was|can|could|will|would|has|have|may|might|should)\b",
    re.IGNORECASE,
)
# "Is my data sold", "will my data be sold": what the deed is done to stands before it.
_PASSIVE = re.compile(r"^(?:is|are|was|were)\b|\bbe(?:en|ing)?\b", re.IGNORECASE)
_TOKEN = re.compile(r"[^\s,.;:?!\"“”()]+")
_CLAUSE = re.compile(r"[^.;:]+")
_DENIALS = frozenset("not never neither nor no cannot don't doesn't won't didn't can't isn't aren't".split())
_MAYBES = frozenset("may might could can sometimes".split())
# So far before a verb stands what denies it or makes it a maybe ("do not knowingly ever share").
_BEFORE = 3
_EXCEPT = re.compile(r"\b(?:except|unless|other than|apart from|without|only|but)\b", re.IGNORECASE)
_CASES = frozenset("if when whenever where once unless".split())
# Whoever does something in the company's name; what "you" do is not what it does.
_OURS = frozenset("we our us they it company".split())
_BE = frozenset("is are be been being".split())
# Shorter names of sites are words of the language ("we", "it") or parts of others.
_SHORTEST_NAME = 3
_DOES_SOMETHING = (
    r"(?:,? (?:inc|llc|ltd|corp|gmbh|co)\b\.?,?)?(?= (?:also |only )?(?:will|won['’]t|does|doesn['’]t|do|don['’]t|may|"
    rf"might|can|cannot|could|shall|would|never|is|{'|'.join(sorted(DEED_OF))})\b)"
)
_TURNED = {"my": "your", "mine": "yours", "me": "you", "i": "you", "our": "your", "us": "you", "myself": "yourself"}
# A longer object is not repeated.
_LONGEST = 6
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


@dataclass(frozen=True, slots=True)
class _Asked:
    """A deed that a question asks for, and the words for what it is done to."""

    deed: str
    objects: tuple[str, ...]

    @property
    def phrase(self) -> str:
        """What it is done to, as it is said to whoever asked."""
        turned = [_TURNED.get(word.lower(), word) for word in self.objects]
        return f" {' '.join(turned)}" if 0 < len(turned) <= _LONGEST else ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line in plain words, and which of the sentences given say what it claims; none where it claims nothing."""

    text: str
    rests_on: tuple[int, ...] = ()


_PLAIN = {
    State.FOREIGN: Line("This does not look like a question that a privacy policy answers."),
    State.SILENT: Line("The policy does not say."),
    State.UNSURE: Line("I am not sure; these come closest."),
    State.CONFLICTING: Line("The policy says both; read these side by side."),
    State.ANSWERED: Line("This is what the policy says."),
}
_NO_QUESTION = Line("There is no question; ask one such as “Do you sell my data?”")


def first_line(state: State, question: str, sentences: tuple[str, ...], company: str = "") -> Line:
    """Say in one line what was found; `sentences` are those shown at first, which must not contradict each other.

    `company` is the name of the policy's site, by which many policies speak of themselves.
    """
    if not words(question):
        return _NO_QUESTION
    asked = _asked(question) if state is State.ANSWERED else None
    ours = [_in_first_person(one, company) for one in sentences]
    told = {place: said for place, one in enumerate(ours) if asked and (said := _told(asked, one))}
    if asked is None or len({said.denied for said in told.values()}) != 1:
        return _PLAIN[state]
    first, excepted = next(iter(told.values())), any(said.excepted for said in told.values())
    if any(_speaks_against(asked, first.denied, one) for one in ours):
        return _PLAIN[state]
    if first.denied:
        claim = f"No, it says it does not {first.name}{asked.phrase}{', with exceptions' if excepted else ''}:"
    else:
        claim = f"Yes, it says it {f'may {first.name}' if first.maybe else f'{first.name}s'}{asked.phrase}:"
    return Line(claim, tuple(told))


def _asked(question: str) -> _Asked | None:
    """Give the deed that a question asks for with yes or no, if it is one deed, and the company's."""
    tokens = _TOKEN.findall(question.replace("’", "'"))
    places = [place for place, token in enumerate(tokens) if token.lower() in DEED_OF]
    if len(places) != 1 or not _CLOSED.match(question.strip()) or _is_about_the_asker(question):
        return None
    if _DENIALS & {token.lower() for token in tokens}:
        return None
    before, after = tokens[: places[0]], tokens[places[0] + 1 :]
    done_to = [token for token in before[1:] if token.lower() not in _BE] if _PASSIVE.search(" ".join(before)) else []
    return _Asked(DEED_OF[tokens[places[0]].lower()], (*done_to, *after))


def _told(asked: _Asked, sentence: str) -> Deed | None:
    """Give what a sentence says of the very deed that was asked for, if it is said of the same things."""
    things = set(stemmed(word.lower() for word in asked.objects)) - _ANYHOW
    if not things <= set(stemmed(words(sentence))):
        return None
    if asked.deed == "sell" and not any(one.deed == "sell" for one in statements(sentence)):
        return None  # tickets are sold, and whole companies
    found = [_said(clause, asked.deed, bool(_EXCEPT.search(sentence))) for clause in _CLAUSE.findall(sentence)]
    return next((one for one in found if one), None)


def _speaks_against(asked: _Asked, denied: bool, sentence: str) -> bool:
    """Tell whether a sentence says otherwise in other words: "they may receive your location" is to share it.

    Of things that are named: "data" may be any.
    """
    things = {one.id for one in terms(words(" ".join(asked.objects))) if one.sort == "things"} - {ANYTHING}
    return any(
        one.deed == asked.deed and one.denied != denied and not one.harmless and one.things & things
        for one in statements(sentence)
    )


def _said(clause: str, deed: str, excepted: bool) -> Deed | None:
    """Give what a clause says of a deed that the company does, or that is done to what it has.

    A denial that stands further off may be of the deed or of something else, so that nothing is claimed of it; nor of
    a deed that is only the case spoken of ("when mail is encrypted").
    """
    parts = [words(part) for part in clause.split(",")]
    said = [word for part in parts for word in part]
    begins = [
        start
        for part, end in zip(parts, accumulate(map(len, parts)), strict=True)
        for start in [end - len(part)] * len(part)
    ]
    for place, word in enumerate(said):
        before = said[max(0, place - _BEFORE) : place]
        who = [other for other in said[:place] if other in _OURS or other == "you"]
        if DEED_OF.get(word) != deed or not ((who and who[-1] != "you") or _BE & set(before)):
            continue
        denied = bool(_DENIALS & set(before))
        elsewhere = {*said[:place], *said[place + 1 : place + 1 + _BEFORE]}
        if (not denied and _DENIALS & elsewhere) or _CASES & set(said[begins[place] : place]):
            return None
        return Deed(deed, denied, bool(_MAYBES & set(before)), excepted)
    return None


def _in_first_person(sentence: str, company: str) -> str:
    """Put "we" for the name of the company where it does something: "Blue Kite, Inc. will never share …"."""
    if len(company) < _SHORTEST_NAME:
        return sentence
    name = r"[\W_]?".join(map(re.escape, company))
    return re.sub(rf"\b{name}\b{_DOES_SOMETHING}", "we", sentence, flags=re.IGNORECASE)


def _is_about_the_asker(question: str) -> bool:
    """Tell "can I delete …" from "do you delete …": of the first, a policy's "we delete" is no answer."""
    return bool(
        re.match(r"^\W*(?:\w+\W+)?(?:can|could|may|will|would|do|am|should)\s+(?:i|we|my)\b", question, re.IGNORECASE)
    )
