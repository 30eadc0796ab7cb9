"""What a question asks for in, and from a sentence the words that fill it out: a period, an age, an address.

Only words are looked at. A slot is the policy's own words with their "not", "at least" and "up to", and never the time
or the number of another matter: a word that says what it is of must stand near.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from smallprint.ask.english.lexicon import pattern, table
from smallprint.ask.english.times import NUMBER, either, start_with_denial, times


class SlotKind(StrEnum):
    """What a question may ask to be told; a deadline is the time in which a company answers or gives notice."""

    PERIOD = "period"
    DEADLINE = "deadline"
    AGE = "age"
    AMOUNT = "amount"
    CONTACT = "contact"
    RECIPIENT = "recipient"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class Slot:
    """The half-open range of a sentence that fills what was asked for, and its words.

    It is not definite where nobody can count it or look it up: "as long as necessary", "a reasonable fee".
    """

    kind: SlotKind
    start: int
    end: int
    text: str
    is_definite: bool = True


class _Range(NamedTuple):
    start: int
    end: int
    is_definite: bool = True


_T = table("slots")
_ASKS = {SlotKind(kind): pattern("|".join(asks)) for kind, asks in _T["asks"].items()}


def kinds_asked(question: str) -> tuple[SlotKind, ...]:
    """Return what a question asks to be told; nothing where a yes or no would do."""
    return tuple(kind for kind, asks in _ASKS.items() if asks.search(question))


def kinds_of_card(code: str) -> tuple[SlotKind, ...]:
    """Return what an answer to a question of the card may tell beside its verdict."""
    return tuple(SlotKind(kind) for kind in _T["card"].get(code, ()))


def slots(kinds: Collection[SlotKind], sentence: str, lead_in: str = "") -> tuple[Slot, ...]:
    """Return what fills any of some kinds in a sentence, in its order; where two overlap, the longer holds.

    `lead_in` is read as context and not quoted: the words that introduce a list item, or a heading.
    """
    every = [
        Slot(kind, own.start, own.end, sentence[own.start : own.end], own.is_definite)
        for kind in kinds
        for own in _READERS[kind](sentence, lead_in)
    ]
    kept: list[Slot] = []
    for slot in sorted(every, key=lambda slot: (slot.start - slot.end, slot.start)):
        if all(slot.end <= other.start or other.end <= slot.start for other in kept):
            kept.append(slot)
    return tuple(sorted(kept, key=lambda slot: slot.start))


def _before(sentence: str, place: int) -> str:
    """Return what stands before a place, as far as it can tell what stands there."""
    return sentence[max(0, place - _FAR) : place]


# The longest list of recipients that was read begins so many characters before its last.
_FAR = 200


def _periods(sentence: str, lead_in: str) -> Iterator[_Range]:
    for time in times(sentence, lead_in):
        if time.matter == "keeping":
            yield _Range(time.start, time.end, time.is_definite)


def _deadlines(sentence: str, lead_in: str) -> Iterator[_Range]:
    for time in times(sentence, lead_in):
        if time.matter == "answering":
            yield _Range(time.start, time.end, time.is_definite)


_A = _T["age"]
_AGE = rf"(?<![\w$€£%.,])(?:[5-9]|1\d|2[01]|{either(_A['numbers'])})(?:\s*\(\s*\d+\s*\))?(?![\d%]|[.,]\d)"
_BEFORE, _AFTER = either(_A["before"]), either(_A["after"])
_OF_AGE = r"(?:[-\s]years?)?(?:[-\s](?:of age|old)\b)?"
_AGES = rf"{_AGE}(?:\s*(?:-|–|to|and|or|through)\s*{_AGE})?"
_AGED = pattern(
    rf"\b(?:{_BEFORE}\s+){{1,4}}(?:the\s+)?(?:age\s+of\s+)?{_AGES}{_OF_AGE}(?:\s*{_AFTER}\b)?"
    rf"|{_AGES}(?:[-\s]years?[-\s](?:of age|old)\b(?:\s*{_AFTER}\b)?|{_OF_AGE}\s*{_AFTER}\b)"
    rf"|\b(?:under|over)-{_AGE}s?\b"
)
_PERSON = rf"\b{either(_A['people'])}\b"
_NEAR_PERSON, _RIGHT_BEHIND = (
    pattern(_PERSON),
    pattern(rf"{_PERSON}\W+(?:(?:is|are|be|must|being|individual)\W+){{0,3}}$"),
)
_OTHER_YEARS = pattern(
    r"^\s*(?:U\.?S\.?C|C\.?F\.?R|days?|months?|weeks?|hours?|minutes?|devices?|%|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
)
_UNNUMBERED = pattern(rf"\b(?:(?:under|over|below|of)\s+(?:the\s+)?)?{either(_A['unnumbered'])}\b")
# People stand at most so many characters from an age: "children who have not yet reached the age of 16".
_NEAR = 60


def _ages(sentence: str, lead_in: str) -> Iterator[_Range]:
    numbered = [match for match in _AGED.finditer(sentence) if _is_age(match, lead_in)]
    yield from (_Range(match.start(), match.end()) for match in numbered)
    if not numbered:
        yield from (_Range(match.start(), match.end(), False) for match in _UNNUMBERED.finditer(sentence))


def _is_age(match: re.Match[str], lead_in: str) -> bool:
    sentence, start, end = match.string, match.start(), match.end()
    if _OTHER_YEARS.search(sentence[end : end + _NEAR]) or not re.search(r"[a-z]", match[0]):
        return False
    if re.search(r"years?$", match[0]) and not _RIGHT_BEHIND.search(_before(sentence, start)):
        return False  # "for at least 5 years"
    near = f"{lead_in} {sentence[max(0, start - _NEAR) : end + _NEAR]}"
    return bool(re.search(r"\bage|\bold\b", match[0], re.IGNORECASE) or _NEAR_PERSON.search(near))


_AMOUNT = pattern(
    r"(?:\b(?:up to|at least|at most|not exceeding|not? more than|less than|more than|a maximum of)\s+){0,2}"
    r"(?:(?:(?:US|CA|AU|A|C)\s?)?[$€£¥]\s?\d[\d,.]*\d|(?:US|CA|AU)?[$€£¥]\s?\d|\b(?:USD|EUR|GBP)\s?\d[\d,.]*|"
    rf"\b{NUMBER}\s+(?:(?:US|Canadian|Australian)\s+)?(?:dollars?|euros?|pounds?|cents?|USD|EUR|GBP)\b)"
    r"(?:\s+(?:million|billion|thousand))?(?:\s+(?:per|a|each)\s+\w+)?"
)
_FEE = pattern(
    r"\b(?:(?:free of|without|at no|no|any)\s+(?:\w+\s+)?(?:charge|cost|fees?)|(?:a|an)\s+(?:reasonable|nominal|small|"
    r"administrative|appropriate)(?:\s+\w+)?\s+(?:fee|charge)|for free)\b"
)


def _amounts(sentence: str, _lead_in: str) -> Iterator[_Range]:
    for match in _AMOUNT.finditer(sentence):
        yield _Range(start_with_denial(sentence, match.start()), match.end())
    for match in _FEE.finditer(sentence):
        yield _Range(
            start_with_denial(sentence, match.start()),
            match.end(),
            not re.search("reasonable|nominal|small|approp", match[0]),
        )


_C = _T["contact"]
_EMAIL = pattern(
    r"\b[\w.+'-]+\s?(?:@|\s?[(\[]\s?at?\s?[)\]]\s?)\s?[\w-]+(?:\s?(?:\.|[(\[]\s?dot\s?[)\]])\s?[a-z][\w-]*)+"
)
_PHONE = re.compile(r"(?<![\w/.-])(?:\+\s?\d|\(\+?\d|\d)[\d\s().–-]{6,20}\d(?![\w-])|\b1-8\d\d-[A-Z0-9-]{7,10}\b")
_CALLED = pattern(r"\b(?:call\w*|(?:tele)?phones?|tel|toll[- ]free|fax|mobile|dial|ring|t)\b\W{0,3}(?:\w+\W+){0,5}$")
_FORM = pattern(rf"\b{either([own for own in _C['forms'] if own[0].isalpha()])}\b|[\"“]Contact Us[\"”](?: link| page)?")
# An officer with whose name stands behind it: "our Data Protection Officer, Ada Byrne".
_OFFICER = re.compile(
    rf"\b(?i:{either(_C['officers'])})\b(?:\s\(DPO\))?"
    r"(?:(?:(?:Inc\.|[^.;:@|/]){0,60}?\bis|\s?[–,-])\s(?:(?:Mr|Ms|Dr)\.?\s)?[A-Z][^\W\d_]+\s[A-Z][^\W\d_]+\b(?!\s?\d))?"
)
_WEB = pattern(r"\b(?:https?://|www\.)[^\s<>\"“”|]+[\w/]")
_REACHED = pattern(
    r"\b(?:contact|e-?mail|write|writing|reach|call|mail|submit|ask|address|request|inquir|enquir|question|visit|DPO|officer)"
)
# A number with a street, a box, or a postcode behind a town.
_STREET = re.compile(
    rf"\b\d+[\w/-]*,?\s+(?:[\w.'’-]+\s+){{0,4}}(?i:{either(_C['streets'])})\b"
    r"|\b[A-Z]\w*(?:katu|gatan|straße|strasse)\w*\s\d+|\b(?:P\.?\s?O\.?\s?)?Box\s+\d+"
    r"|\b(?:Rue|Via|Avenida)\s(?:[A-Z][\w'’-]+\s?){1,4}|\b[A-Z]{2}\s\d{5}(?:-\d{4})?\b"
    r"|\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b"
)
_BEFORE_ADDRESS = pattern(
    r"(?:\b(?:address|mail|attention|attn|post|letter|us|writing|below)\b\s?:|\b(?:at|to|c/o|letter to)\b)\s*"
)
_AFTER_ADDRESS = pattern(
    r"\s*(?:[|\n;]|\.\s+[A-Z][a-z]{2,}\s[a-z]|"
    r"\b(?:or|and|by|via|e-?mail|tel|phone|telephone|fax|business id|attn)\b|"
    r"\S+@|https?:|www\.|\+\d[\d\s()-]{8,}\d|\(\d{3}\)|\.?$)"
)


def _contacts(sentence: str, lead_in: str) -> Iterator[_Range]:
    taken = [_Range(match.start(), match.end()) for match in _EMAIL.finditer(sentence)]
    taken += [
        _Range(match.start(), match.end())
        for match in _PHONE.finditer(sentence)
        if match[0].startswith(("+", "(", "1-8")) or _CALLED.search(_before(sentence, match.start()))
    ]
    yield from taken
    is_reached = _REACHED.search(f"{lead_in} {sentence}")
    if is_reached:
        yield from (_Range(match.start(), match.end()) for match in _WEB.finditer(sentence))
        yield from (_Range(match.start(), match.end(), False) for match in _FORM.finditer(sentence))
        yield from (_Range(match.start(), match.end(), "is " in match[0]) for match in _OFFICER.finditer(sentence))
    yield from _addresses(sentence)


def _addresses(sentence: str) -> Iterator[_Range]:
    end = 0
    for match in _STREET.finditer(sentence):
        if match.start() < end:
            continue
        begins = list(_BEFORE_ADDRESS.finditer(sentence, end, match.start()))
        start = begins[-1].end() if begins else match.start() if sentence[: match.start()].count(" ") > 12 else end
        after = _AFTER_ADDRESS.search(sentence, match.end())
        end = after.start() if after else len(sentence.rstrip(" ."))
        start += len(sentence[start:end]) - len(sentence[start:end].lstrip(" ,.:;|"))
        yield _Range(start, end)


_R = _T["recipient"]
_NO_NAMES = frozenset(_R["no_names"].split())
_NAME = r"(?:[A-Z][\w&’'+.-]*[\w®™+]|[A-Z])"
_NAMED = re.compile(
    rf"{_NAME}(?:[ ](?:(?:of|&|de|for)[ ])?{_NAME}|, (?:Inc|LLC|Ltd|Corp|GmbH)\b\.?|[ ](?:Inc|Ltd|Corp)\.(?=\W|$))*"
)
_OTHERS = either(_R["others"])
_GIVING = either(_R["giving"])
_CUE = pattern(
    rf"(?:\b{_GIVING}\b[^.;]{{0,80}}?\b(?:with|to|by|between)|\b(?:we|also|may) (?:also )?use|\buses|\bcalled|"
    r"\b(?:provided|operated|hosted|offered|run|processed|powered|owned|set|served) by|"
    rf"\b{_OTHERS}\b(?:[^.;]{{0,60}}?\b(?:such as|including|includes?|like|e\.g\.|for example|namely|are|is)|\s?[:(]))"
    r"[\s,]*(?:(?:the|our|a|an|companies|company|service|tool|provider)\s+){0,2}[\"“'(]?$"
)
_LISTED = re.compile(r"^(?:\s*\([^)]*\))?(?:,|,? (?:and|or)|\s?[/&])\s*$")


def _recipients(sentence: str, _lead_in: str) -> Iterator[_Range]:
    """Yield whoever is named behind a word for giving, or for those who get; and the rest of a list so begun."""
    last = None
    for match in _NAMED.finditer(sentence):
        start, end = _trimmed(sentence, match.start(), match.end())
        is_listed = last is not None and _LISTED.search(sentence[last:start])
        if start < end and (is_listed or _CUE.search(_before(sentence, start))):
            yield _Range(start if is_listed else start_with_denial(sentence, start), end)
            last = end


def _trimmed(sentence: str, start: int, end: int) -> tuple[int, int]:
    """Return a range of capital words without those at its ends by which nobody is named."""
    tokens = [(match.start(), match.end()) for match in re.compile(r"\S+").finditer(sentence, start, end)]
    named = [place for place in tokens if sentence[slice(*place)].strip(".,'’").lower() not in _NO_NAMES]
    if not named or (
        len(named) < len(tokens) and sentence[slice(*tokens[0])].lower() in {"personal", "privacy", "third"}
    ):
        return start, start
    return named[0][0], end if named[-1] == tokens[-1] else named[-1][1]


_P = _T["place"]
_ABBREVIATED = [name for name in _P["names"] if "." in name]
_SPELT = [name for name in _P["names"] if "." not in name]
# Capitals tell "Turkey" from a bird and "US" from us.
_PLACE = re.compile(
    rf"(?:\b(?i:{either(_P['outside'])})\s+)?(?:\bthe\s+|\byour\s+)?(?<![\w.-])(?=[A-Z])"
    rf"(?:(?i:{either(_SPELT)})\b|(?i:{either(_ABBREVIATED)})|US\b)"
    r"(?!\s?-\s?(?:U\.S|US|EU|Swiss)|\s(?:law|legislation|residents?|citizens?|dollars?|Ltd|Inc|LLC|mail|company|Commission|data|General|Data)\b)"
)
_UNNAMED = pattern(rf"(?:\b{either(_P['outside'])}\s+)?(?:of\s+)?\b{either(_P['unnamed'])}\b")


def _places(sentence: str, _lead_in: str) -> Iterator[_Range]:
    for match in _PLACE.finditer(sentence):
        yield _Range(start_with_denial(sentence, match.start()), match.end())
    for match in _UNNAMED.finditer(sentence):
        yield _Range(start_with_denial(sentence, match.start()), match.end(), False)


_READERS: dict[SlotKind, Callable[[str, str], Iterator[_Range]]] = {
    SlotKind.PERIOD: _periods,
    SlotKind.DEADLINE: _deadlines,
    SlotKind.AGE: _ages,
    SlotKind.AMOUNT: _amounts,
    SlotKind.CONTACT: _contacts,
    SlotKind.RECIPIENT: _recipients,
    SlotKind.PLACE: _places,
}
