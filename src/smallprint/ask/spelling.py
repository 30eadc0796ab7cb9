"""Mend what was surely mistyped, by the words that policies use; what may be a name or a rare word is left alone."""

from __future__ import annotations

import re
from typing import Protocol

# Letters that were left out, put in, turned round or mistaken. What changes the beginning or the end of a word makes
# another word as often as not ("tickers" is no "tickets", "launcher" not "launched", "swiping" not "wiping").
SHORTEST, SHORTEST_LOOSE, SHORTEST_TWO = 5, 7, 10
# A word is mended to one of the commonest only, and to none where another is nearly as common.
COMMON, VERY_COMMON = 10_000, 300
CLEARLY = 8
END = 2
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORD = re.compile(r"[a-z]+")


class Ranked(Protocol):
    """Words by how common they are."""

    words: tuple[str, ...]

    def rank(self, word: str) -> int | None:
        """Give a word's place, the commonest being 1; None for a word nobody met."""
        ...


def mended(word: str, known: Ranked, commonest: int = COMMON) -> str | None:
    """Give what a word in lower case was meant to be; None where it is known, or nobody can tell."""
    if not _WORD.fullmatch(word) or known.rank(word) is not None:
        return None
    if len(word) < SHORTEST:
        return _clearly(set(_turned(word)) if len(word) > 2 else set(), known, VERY_COMMON)
    near = set(_turned(word)) | set(_doubled(word))
    if len(word) >= SHORTEST_LOOSE:
        near |= set(_inside(word))
    found = _clearly(near, known, commonest)
    if found is None and len(word) >= SHORTEST_TWO and not any(_is(one, known, commonest) for one in near):
        found = _clearly(_two_apart(word, known, commonest), known, commonest)
    return found


def distance(one: str, other: str, most: int) -> int:
    """Count the letters put in, left out, mistaken or turned round between two words; gives up above `most`."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before, row = [0] * (len(other) + 1), list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        older, before, row = before, row, [place]
        for at, against in enumerate(other, 1):
            least = min(before[at] + 1, row[at - 1] + 1, before[at - 1] + (letter != against))
            if place > 1 and at > 1 and letter == other[at - 2] and one[place - 2] == against:
                least = min(least, older[at - 2] + 1)
            row.append(least)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def _clearly(near: set[str], known: Ranked, commonest: int) -> str | None:
    """Give the commonest of some words if no other is nearly as common."""
    ranked = sorted((rank, word) for word in near if (rank := known.rank(word)) is not None)
    if not ranked or ranked[0][0] > commonest:
        return None
    return ranked[0][1] if len(ranked) == 1 or ranked[1][0] >= CLEARLY * ranked[0][0] else None


def _is(word: str, known: Ranked, commonest: int) -> bool:
    rank = known.rank(word)
    return rank is not None and rank <= commonest


def _turned(word: str) -> list[str]:
    """Turn two letters round: "thier"."""
    return [
        word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1) if word[at] != word[at + 1]
    ]


def _doubled(word: str) -> list[str]:
    """Write a letter twice for once, or once for twice: "acess", "targetted"."""
    return [word[: at + 1] + word[at:] for at in range(len(word))] + [
        word[:at] + word[at + 1 :] for at in range(1, len(word)) if word[at] == word[at - 1]
    ]


def _inside(word: str) -> list[str]:
    """Put in, leave out or change a letter that is neither first nor among the last: "completly", "excrypted"."""
    inner = range(1, len(word) - END)
    return (
        [word[:at] + letter + word[at:] for at in range(1, len(word)) for letter in _LETTERS]
        + [word[:at] + word[at + 1 :] for at in inner if len(word) > SHORTEST_LOOSE]
        + [word[:at] + letter + word[at + 1 :] for at in inner for letter in _LETTERS if letter != word[at]]
    )


def _two_apart(word: str, known: Ranked, commonest: int) -> set[str]:
    """Look for up to two slips in a long word that begins and ends rightly: "repercutions", "statemenrt"."""
    return {
        other
        for other in known.words[:commonest]
        if other[0] == word[0] and other[-1] == word[-1] and len(other) >= SHORTEST_LOOSE
        if distance(word, other, 2) <= 2
    }
