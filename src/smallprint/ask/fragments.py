"""A follow-up that is no whole question ("and my location?", "why?"), made whole from the question before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from smallprint.ask.deeds import DEED_OF
from smallprint.ask.lexicon import ANYTHING, Sort, Term, terms
from smallprint.ask.topics import topic_of

_LEAD = re.compile(
    r"^\W*(?:(?:and|but|or|also|then|so|ok|okay|hm+|what about|how about|what of|what if it is|is that the same for|"
    r"same for|the same for)\b[\s,]*)+",
    re.IGNORECASE,
)
_TAIL = re.compile(r"[\s,]*\b(?:too|as well|then|also|instead|please)?[\s?.!]*$", re.IGNORECASE)
_WHY = re.compile(r"^\W*(?:and |but )?(?:why(?: (?P<no>not)| (?:is that|do (?:they|you)(?: do (?:that|it|so))?))?|"
                  r"what for|how come|for what(?: purposes?| reasons?)?|to what end)\W*$", re.IGNORECASE)  # fmt: skip
_WHO = re.compile(r"^\W*(?:and |but )?(?:who else|whom?|with whom|to whom|who(?: else)? (?:gets|sees|has) "
                  r"(?:it|them|that))\W*$", re.IGNORECASE)  # fmt: skip
_LONG = re.compile(r"^\W*(?:and |but )?(?:for )?how long\W*$", re.IGNORECASE)
_WHERE = re.compile(r"^\W*(?:and |but )?where(?: to)?\W*$", re.IGNORECASE)
_HOW = re.compile(r"^\W*(?:and |but )?how(?: so)?\W*$", re.IGNORECASE)
_ASKS = re.compile(
    r"^(?P<aux>do|does|did|can|could|will|would|is|are|has|have|may|might|should)\s+"
    r"(?P<who>you|they|it|he|she|we|the (?:company|app|site|website|service|policy)|this (?:app|site|company)|i)\s+"
    r"(?P<does>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_WHOLE = re.compile(
    r"^\W*(?:do|does|did|can|could|will|would|is|are|has|have|may|might|should|what|which|who|whom|how|when|where|why|"
    r"whose|tell|explain|show|list|i)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_BACK = re.compile(r"\b(?:it|that|them|this|those)\b", re.IGNORECASE)
# What is mine is a thing even where no word of it is known: "my keystrokes", "my name and address".
_MINE = re.compile(
    r"\bmy\s+[a-z][\w'’-]*(?:\s+(?!(?:with|to|for|by|from|when|while|if|and|or|in|on|at|of|as|after|before|without|is|are|"
    r"be|being|do|does|you|they|who|that|kept|sold|sent|\w+ed)\b)[a-z][\w'’-]*){0,2}",
    re.IGNORECASE,
)
_DETERMINERS = frozenset("my your our their his her the any this these those some all".split())
_DATA = "my data"
# What is neither sold nor kept like data: after such a question, what is said of it is asked for.
_UNSOLD = frozenset({"cookies", "trackers", "children"})
_SETS = re.compile(r"\b(?:use|set|place|allow|block|refuse|say|tell|collect)\b", re.IGNORECASE)
MOST_WORDS = 6


class _Piece(NamedTuple):
    """A stretch of a text, by characters, that names something."""

    start: int
    end: int
    term: Term


def is_fragment(text: str) -> bool:
    """Tell whether something is said that means nothing without the question before it."""
    if any(pattern.match(text) for pattern in (_WHY, _WHO, _LONG, _WHERE, _HOW)):
        return True
    led = bool(_LEAD.match(text))
    bare = _LEAD.sub("", text)
    if _WHOLE.match(bare) or _BACK.search(bare):
        return _points_back(bare)
    return (led or "?" in text or len(_WORD.findall(text)) <= 3) and 0 < len(_WORD.findall(bare)) <= MOST_WORDS


def is_whole(text: str) -> bool:
    """Tell whether something can be asked by itself."""
    return bool(_WHOLE.match(_LEAD.sub("", text)))


def complete(fragment: str, before: str) -> str:
    """Make a whole question: "and my location?" after "do you sell my contacts?" is "do you sell my location?"."""
    thing = thing_of(before)
    asked = before.strip(" ?!.")
    why = _WHY.match(fragment)
    if why:
        found = _ASKS.match(asked)
        if found:
            no = " not" if why["no"] else ""
            return f"Why {found['aux'].lower()} {found['who'].lower()}{no} {found['does']}?"
        return f"Why? {before.strip()}"
    if _WHO.match(fragment):
        return f"Who{' else' if 'else' in fragment.lower() else ''} do you share {thing} with?"
    if _LONG.match(fragment):
        return f"How long do you keep {thing}?"
    if _WHERE.match(fragment):
        return f"Where do you store {thing}?"
    if _HOW.match(fragment):
        found = _ASKS.match(asked)
        return f"How {found['aux'].lower()} {found['who'].lower()} {found['does']}?" if found else f"How? {asked}?"
    bare = _TAIL.sub("", _LEAD.sub("", fragment))
    if _WHOLE.match(bare) or (_BACK.search(bare) and _WORD.findall(bare)[0].lower() not in DEED_OF):
        return f"{_BACK.sub(thing, bare, count=1)}?"
    return f"{_put_in(bare, asked, thing)}?"


def thing_of(question: str) -> str:
    """Give what a question is about, with its "my": "my location"; "my data" where it names nothing."""
    found = _pieces(question, "things")
    named = [piece for piece in found if piece.term.id != ANYTHING] or found
    if not named:
        return _DATA
    said = question[named[0].start : named[0].end]
    return _DATA if said.lower() in {"it", "them", "anything", "something", "nothing"} else said


def _points_back(text: str) -> bool:
    return bool(_BACK.search(text)) and len(_WORD.findall(text)) <= 2 * MOST_WORDS


def _put_in(bare: str, asked: str, thing: str) -> str:
    """Put a phrase into the question before, in the place of what is of the same sort."""
    tokens = [word.lower() for word in _WORD.findall(bare)]
    found = terms(tokens)
    asks = _ASKS.match(asked)
    if tokens and tokens[0] in DEED_OF and asks:  # "and sell it"
        said = f"{bare} {thing}" if len(tokens) == 1 else _BACK.sub(thing, bare, count=1)
        return f"{asks['aux']} {asks['who']} {said}"
    is_for = re.match(r"for\b", bare, re.IGNORECASE) or (re.match(r"to\b", bare, re.IGNORECASE) and found[:1]
                                                         and found[0].sort == "ends")  # fmt: skip
    if is_for and found and found[0].sort != "things":
        return f"{asked} {bare}"
    if not found and topic_of(bare):
        return f"What do you say about {bare}"
    sort: Sort = found[0].sort if found else "things"
    if sort == "whom":
        return _with_whom(bare, asked)
    places = _pieces(asked, sort)
    if bare.lower() in _UNSOLD and not _SETS.search(asked):
        return f"What do you say about {bare}"
    if not places and sort == "ends":
        return f"{asked} for {bare}"
    if places:
        piece = next((one for one in places if one.term.id != ANYTHING), places[0])
        return f"{asked[: piece.start]}{bare}{asked[piece.end :]}"
    return f"What do you say about {bare}"


def _with_whom(bare: str, asked: str) -> str:
    places = _pieces(asked, "whom")
    plain = re.sub(r"^(?:with|to|by)\s+", "", bare, flags=re.IGNORECASE)
    if places:
        return f"{asked[: places[0].start]}{plain}{asked[places[0].end :]}"
    link = "to" if re.search(r"\b(?:sell|give|pass|send|disclose)\b", asked, re.IGNORECASE) else "with"
    return f"{asked} {link} {plain}"


def _pieces(text: str, sort: Sort) -> list[_Piece]:
    """Find what names something in a text, with the determiner before it."""
    found = list(_WORD.finditer(text))
    tokens = [match[0].lower() for match in found]
    pieces = [
        _Piece(_start(found, tokens, term), found[term.end - 1].end(), term)
        for term in terms(tokens)
        if term.sort == sort
    ]
    mine = _MINE.search(text) if sort == "things" and not pieces else None
    return pieces if mine is None else [_Piece(mine.start(), mine.end(), Term("things", "", 0, 0))]


def _start(found: Sequence[re.Match[str]], tokens: Sequence[str], term: Term) -> int:
    first = term.start
    while first and tokens[first - 1] in _DETERMINERS:
        first -= 1
    return found[first].start()
