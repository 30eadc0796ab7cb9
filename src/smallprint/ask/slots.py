"""Where a company stands in a question: "does X sell my data", "what about X", "compare X and Y"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from smallprint.ask.lexicon import terms
from smallprint.ask.stems import STOP_WORDS
from smallprint.ask.topics import topic_of

# English has no bare noun in the singular before a verb ("does app sell") but names and what cannot be counted.
_DOES = frozenset("does did has is was doesn't isn't hasn't".split())
_MAY = frozenset("can could will would may should won't".split())
_ADVERBS = frozenset("not still also really ever actually even never always currently".split())
_VERBS = frozenset(
    "sell share collect keep use store give pass disclose track know have let allow say do delete encrypt respond "
    "honor honour retain transfer send read access see get show tell protect ask require monitor record need make "
    "offer process hold buy differ compare handle treat log follow notify take rent trade provide save remember "
    "listen scan comply hand gather sold shared collected kept given read been".split()
)
_IS = frozenset("allowed able going safe private better worse good bad trustworthy vaguer clearer".split())
# What may stand before a company's name, and what may follow it, where it stands at the end of what is said of it.
_BEFORE = frozenset("about at of on than between compare versus vs for from by".split())
_JOINS = frozenset("and or with to versus vs".split())
_AFTER = _JOINS | frozenset(
    "policy policies policy's privacy on about regarding keep share sell collect use do".split()
)
_COMPARES = re.compile(r"\b(?:compare|comparison|differences?|differ|versus|vs|better|worse)\b", re.IGNORECASE)
# What cannot be counted, and whoever is none: neither needs an article, and neither has a policy.
_NO_NAMES = STOP_WORDS | frozenset(
    "anybody somebody nobody everybody people users customers visitors members children kids hackers staff employees "
    "companies sites apps websites policies law gdpr ccpa hipaa coppa consent software ai spam anonymity encryption "
    "company site app website policy service user customer child parent person world web internet".split()
)
_PLACES = frozenset("california europe america britain england germany france canada china".split())
# What may be said around a name without saying anything else.
AROUND = frozenset(
    "no nope sorry actually i i'm meant mean what about how and the policy policies of for at then or its with open "
    "show me take use it is it's that's ok okay please now let's talk privacy instead rather ask said one company "
    "compare".split()
)
_NO_NAME = re.compile(r"(?:ing|[ts]ion|ments?|ness|ity|ance|ence)$")
MOST_WORDS = 4


def stands_for_a_name(tokens: Sequence[str], start: int, end: int) -> bool:
    """Tell whether nothing but a name stands at these words in lower case: "does X sell", "is X sharing"."""
    if not start or end >= len(tokens) or not _may_be_one(tokens[start:end]):
        return False
    before, after = tokens[start - 1], next((one for one in tokens[end:] if one not in _ADVERBS), "")
    if before in {"or", "and"}:  # "does X or Y keep"
        before = next((one for one in reversed(tokens[max(0, start - 1 - MOST_WORDS) : start - 1]) if one in _DOES), "")
    if after in {"or", "and"}:
        after = next((one for one in tokens[end + 1 : end + 1 + MOST_WORDS] if one in _VERBS), "")
    if before in {"is", "was", "isn't"}:
        return after.endswith("ing") or after in _IS
    return before in _DOES | _MAY and after in _VERBS


def compares(text: str) -> bool:
    """Tell whether two are set against each other: "compare X and Y", "does X or Y keep it longer"."""
    return bool(_COMPARES.search(text)) or " or " in text


def may_stand_for_a_name(tokens: Sequence[str], start: int, end: int) -> bool:
    """Tell whether a name may well stand at these words, and something else as well: "what about X", "at X"."""
    if not start or not _may_be_one(tokens[start:end]) or not _VERBS.isdisjoint(tokens[start:end]):
        return False
    ends = end == len(tokens) or tokens[end] in _AFTER
    compared = compares(" ".join(tokens))
    alone = AROUND.issuperset([*tokens[:start], *tokens[end:]])
    return alone or (ends and (tokens[start - 1] in _BEFORE or (compared and tokens[start - 1] in _JOINS)))


def unknown_places(tokens: Sequence[str]) -> list[tuple[int, int, bool]]:
    """Give where a name must stand that nobody may know, the longest first, and whether a word may be meant there."""
    found = []
    compared = bool(_COMPARES.search(" ".join(tokens)))
    for start in range(1, len(tokens)):
        for end in range(min(len(tokens), start + MOST_WORDS), start, -1):
            if stands_for_a_name(tokens, start, end):
                found.append((start, end, tokens[start - 1] in _MAY))
                break
            if end == start + 1 and tokens[start - 1] != "for" and may_stand_for_a_name(tokens, start, end):
                found.append((start, end, not (compared and tokens[start - 1] in {"compare", "between", *_JOINS})))
    return found


def _may_be_one(said: Sequence[str]) -> bool:
    return (
        0 < len(said) <= MOST_WORDS
        and "or" not in said
        and said[0] not in _NO_NAMES
        and said[-1] not in _NO_NAMES
        and not (len(said) == 1 and (said[0] in _PLACES or _NO_NAME.search(said[0])))
        and (len(said) == 1 or _VERBS.isdisjoint(said))
        and not terms(list(said))
        and topic_of(" ".join(said)) is None
    )
