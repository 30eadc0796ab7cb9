"""The first line of an answer, in plain words; it never claims more than the sentences under it do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from smallprint.ask.english.lexicon import ANYTHING, DENIALS, PLAIN_DEED, pattern, terms, word_lists
from smallprint.ask.english.statements import statements
from smallprint.ask.ranking.stems import stemmed
from smallprint.card import Verdict
from smallprint.text import words

# A question that begins so asks for yes or no; one that begins with "how" or "what" does not.
_CLOSED = pattern(
    r"^(?:(?:so|and|but|ok|okay|hey|hi|also|please)[, ]+)?"
    r"(?:do|does|did|is|are|was|can|could|will|would|has|have|may|might|should)\b"
)
# Of "can I delete …", a policy's "we delete" is no answer.
_OF_THE_ASKER = pattern(r"^\W*(?:\w+\W+)?(?:can|could|may|will|would|do|am|should)\s+(?:i|we|my)\b")
# "Is my data sold", "will my data be sold": what the deed is done to stands before it.
_PASSIVE = pattern(r"^(?:is|are|was|were)\b|\bbe(?:en|ing)?\b")
_TOKEN = re.compile(r"[^\s,.;:?!\"“”()]+")
_BE = word_lists("statements")["be"]
# Shorter names of sites are words of the language ("we", "it") or parts of others.
_SHORTEST_NAME = 3
_DOES_SOMETHING = (
    r"(?:,? (?:inc|llc|ltd|corp|gmbh|co)\b\.?,?)?(?= (?:also |only )?(?:will|won['’]t|does|doesn['’]t|do|don['’]t|may|"
    rf"might|can|cannot|could|shall|would|never|is|{'|'.join(sorted(PLAIN_DEED))})\b)"
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
class Line:
    """A line in plain words, and which of the sentences given say what it claims; none where it claims nothing."""

    text: str
    rests_on: tuple[int, ...] = ()


_PLAIN = {
    Verdict.FOREIGN: "This does not look like a question that a privacy policy answers.",
    Verdict.SILENT: "The policy does not say.",
    Verdict.NOT_SURE: "I am not sure; these come closest.",
    Verdict.BOTH: "The policy says both; read these side by side.",
    Verdict.TOLD: "This is what the policy says.",
    Verdict.DEPENDS: "It depends, going by this:",
    Verdict.YES: "Yes, going by this:",
    Verdict.NO: "No, going by this:",
}
_NO_QUESTION = Line("There is no question; ask one such as “Do you sell my data?”")


def plain_line(verdict: Verdict) -> str:
    """Return what can be said of a verdict without a look at the sentences."""
    return _PLAIN[verdict]


def first_line(
    verdict: Verdict, question: str, sentences: tuple[str, ...], company: str = "", earning: tuple[int, ...] = ()
) -> Line:
    """Return in one line what was found; `sentences` are those shown at first, of which some are `earning` the verdict.

    `company` is the name of the policy's site, by which many policies speak of themselves.
    """
    if not words(question):
        return _NO_QUESTION
    stated = claim(verdict, question, sentences, company)
    return Line(_PLAIN[verdict], earning) if stated is None else stated


def claim(verdict: Verdict, question: str, sentences: tuple[str, ...], company: str = "") -> Line | None:
    """Return what sentences state in the question's own words, where that is a yes or a no and the verdict is the same.

    Where they state the contrary, the line claims nothing; where they state nothing of the kind, there is none.
    """
    asked = _asked(question) if verdict in {Verdict.YES, Verdict.NO} else None
    if asked is None:
        return None
    deed, objects = asked
    stated = [
        [each for each in statements(_in_first_person(text, company)) if each.deed == deed and not each.harmless]
        for text in sentences
    ]
    # Only what the company states of the very things that were asked for counts.
    stems = set(stemmed(word.lower() for word in objects)) - _ANYHOW
    relevant = {
        place: by_company
        for place, text in enumerate(sentences)
        if stems <= set(stemmed(words(text))) and (by_company := [each for each in stated[place] if each.by_company])
    }
    of_deed = list(chain.from_iterable(relevant.values()))
    if not of_deed:
        return None
    if {statement.denied for statement in of_deed} != {verdict is Verdict.NO}:  # the words may say otherwise
        return Line(_PLAIN[Verdict.TOLD])
    denied = of_deed[0].denied
    # The contrary may be stated in other words: "they may receive your location" is to share it. "Data" may be any.
    things = {term.id for term in terms(words(" ".join(objects))) if term.sort == "things"} - {ANYTHING}
    if any(each.denied != denied and each.things & things for each in chain.from_iterable(stated)):
        return Line(_PLAIN[Verdict.TOLD])
    turned = " ".join(_TURNED.get(word.lower(), word) for word in objects)
    phrase = f" {turned}" if 0 < len(objects) <= _LONGEST else ""
    if denied:
        exceptions = ", with exceptions" if any(statement.excepted for statement in of_deed) else ""
        told = f"No, it says it does not {deed}{phrase}{exceptions}:"
    else:
        told = f"Yes, it says it {f'may {deed}' if of_deed[0].hedged else f'{deed}s'}{phrase}:"
    return Line(told, tuple(relevant))


def _asked(question: str) -> tuple[str, list[str]] | None:
    """Return the deed that a question asks for with yes or no, if one and the company's, and what it is done to."""
    tokens = _TOKEN.findall(question.replace("’", "'"))
    lower = [token.lower() for token in tokens]
    places = [place for place, token in enumerate(lower) if token in PLAIN_DEED]
    is_closed = _CLOSED.match(question.strip()) and not _OF_THE_ASKER.match(question)
    if len(places) != 1 or not is_closed or not DENIALS.isdisjoint(lower):
        return None
    before, after = tokens[: places[0]], tokens[places[0] + 1 :]
    done_to = [token for token in before[1:] if token.lower() not in _BE] if _PASSIVE.search(" ".join(before)) else []
    return PLAIN_DEED[lower[places[0]]], [*done_to, *after]


def _in_first_person(sentence: str, company: str) -> str:
    """Put "we" for the name of the company where it does something: "Blue Kite, Inc. will never share …"."""
    if len(company) < _SHORTEST_NAME:
        return sentence
    name = r"[\W_]?".join(map(re.escape, company))
    return re.sub(rf"\b{name}\b{_DOES_SOMETHING}", "we", sentence, flags=re.IGNORECASE)
