"""Companies in a question: of which kind or sector they are, and where their names stand ("does X sell my data")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from smallprint.ask.english.lexicon import pattern, table, terms, word_lists
from smallprint.ask.english.statements import MAY_DENY
from smallprint.ask.english.topics import topic_of
from smallprint.ask.ranking.stems import STOP_WORDS
from smallprint.text import words

# Of fewer such words nobody can tell, however short a policy is.
LEAST = 3
# So many characters before a claim it may be denied, or be about others: "we do not … knowingly direct it to children".
BEFORE = 90
_DENIED = pattern(rf"{MAY_DENY.pattern}|\b(?:collect|information|privacy|protection)")
# Where begins what is asked of them: "which banks do not …".
_ENDS = frozenset("that do does don't doesn't who will let lets share sell collect use keep with".split())
_SECTOR = {word: sector for sector, named in word_lists("sectors").items() for word in named}
_PLACES = word_lists("sector_places")
W = word_lists("names")
_COMPARES = pattern(r"\b(?:compare|comparison|differences?|differ|versus|vs|better|worse)\b")
_NO_NAMES = STOP_WORDS | W["no_names"]
AROUND = W["around"]
_NO_NAME = re.compile(r"(?:ing|[ts]ion|ments?|ness|ity|ance|ence)$")
MOST_WORDS = 4


@dataclass(frozen=True, slots=True)
class CompanyKind:
    """A kind of company: the sector it is of, if of one, and by which words questions and policies name it."""

    id: str
    sector: str
    asks: tuple[str, ...]
    named: tuple[str, ...]
    says: tuple[str, ...]
    often: float
    called: str = ""
    least: int = LEAST
    claims: tuple[str, ...] = ()

    def is_of(self, name: str, text: str) -> bool:
        """Return whether a policy is of such a company: by its name and domain, or what it always speaks of."""
        if any(part in name.lower() for part in self.named):
            return True
        count = len(_begins(self.says).findall(text))
        if count < max(self.least, self.often * text.count(" ") / 1000):
            return False
        # It says what it is for as well, and does not deny it: "our site is not directed to children".
        places = (match.start() for match in _begins(self.claims).finditer(text))
        return not self.claims or any(not _DENIED.search(text[max(0, place - BEFORE) : place]) for place in places)


def kind_named(text: str) -> CompanyKind | None:
    """Return the kind of company that a question is asked of, by its first words; None where it names none."""
    tokens = words(text)
    for place, token in enumerate(tokens):
        kind = _kinds().get(" ".join(tokens[place : place + 2])) or _kinds().get(token)
        if kind is not None or token in _ENDS:
            return kind
    return None


def sectors_in(text: str) -> tuple[str, ...]:
    """Return the sectors that are named, in the order of their words."""
    tokens = words(text)
    sectors = []
    for place, token in enumerate(tokens):
        is_first = place <= 4 and token in _PLACES["whole"]
        after = [word for word in tokens[place + 1 : place + 5] if word not in _SECTOR and word not in {"and", "or"}]
        if token in _SECTOR and (is_first or not _PLACES["before"].isdisjoint(after[:2])):
            sectors.append(_SECTOR[token])
    return tuple(dict.fromkeys(sectors))


@cache
def _kinds() -> dict[str, CompanyKind]:
    kinds = [CompanyKind(name, **row) for name, row in table("kinds").items()]
    return {asked: kind for kind in kinds for asked in kind.asks}


@cache
def _begins(says: tuple[str, ...]) -> re.Pattern[str]:
    return pattern(rf"\b(?:{'|'.join(map(re.escape, says))})")


def stands_for_a_name(tokens: Sequence[str], start: int, end: int) -> bool:
    """Return whether nothing but a name stands at these words in lower case: "does X sell", "is X sharing"."""
    if not start or end >= len(tokens) or not _may_be_a_name(tokens[start:end]):
        return False
    before, after = tokens[start - 1], next((word for word in tokens[end:] if word not in W["adverbs"]), "")
    if before in {"or", "and"}:  # "does X or Y keep"
        earlier = tokens[max(0, start - 1 - MOST_WORDS) : start - 1]
        before = next((word for word in reversed(earlier) if word in W["does"]), "")
    if after in {"or", "and"}:
        after = next((word for word in tokens[end + 1 : end + 1 + MOST_WORDS] if word in W["verbs"]), "")
    if before in {"is", "was", "isn't"}:
        return after.endswith("ing") or after in W["states"]
    return before in W["does"] | W["may"] and after in W["verbs"]


def compares(text: str) -> bool:
    """Return whether two are set against each other: "compare X and Y", "does X or Y keep it longer"."""
    return bool(_COMPARES.search(text)) or " or " in text


def may_stand_for_a_name(tokens: Sequence[str], start: int, end: int) -> bool:
    """Return whether a name may well stand at these words, and something else as well: "what about X", "at X"."""
    if not start or not _may_be_a_name(tokens[start:end]) or not W["verbs"].isdisjoint(tokens[start:end]):
        return False
    if AROUND.issuperset([*tokens[:start], *tokens[end:]]):
        return True
    before = W["before"] | (W["joins"] if compares(" ".join(tokens)) else frozenset())
    return tokens[start - 1] in before and (end == len(tokens) or tokens[end] in W["after"])


def unknown_places(tokens: Sequence[str]) -> list[tuple[int, int, bool]]:
    """Return where a name must stand that nobody may know, the longest first, and whether a word may be meant there."""
    places = []
    compared = bool(_COMPARES.search(" ".join(tokens)))
    for start in range(1, len(tokens)):
        for end in range(min(len(tokens), start + MOST_WORDS), start, -1):
            if stands_for_a_name(tokens, start, end):
                places.append((start, end, tokens[start - 1] in W["may"]))
                break
            if end == start + 1 and tokens[start - 1] != "for" and may_stand_for_a_name(tokens, start, end):
                places.append((start, end, not (compared and tokens[start - 1] in {"compare", "between", *W["joins"]})))
    return places


def _may_be_a_name(name: Sequence[str]) -> bool:
    return (
        0 < len(name) <= MOST_WORDS
        and "or" not in name
        and name[0] not in _NO_NAMES
        and name[-1] not in _NO_NAMES
        and not (len(name) == 1 and (name[0] in W["places"] or _NO_NAME.search(name[0])))
        and (len(name) == 1 or W["verbs"].isdisjoint(name))
        and not terms(list(name))
        and topic_of(" ".join(name)) is None
    )
