"""What questions over the library ask for beside deeds: deletion, encryption, breaches and the like, told by words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from smallprint.ask.english.lexicon import DENIALS, table, word_lists
from smallprint.ask.english.statements import IDLE
from smallprint.ask.ranking.stems import STOP_WORDS
from smallprint.text import words

_NUMBER = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty|sixty|ninety)"
# So many words before a topic's own a denial is of it: "we cannot, before its time, delete".
_BEFORE = 12
_AFTER = 9
_LATER = 14
LIKELY = 0.3
_GENERAL, _KEEPING = word_lists("topics")["general"], word_lists("topics")["keeping"]


@dataclass(frozen=True, slots=True)
class Topic:
    """Something a policy may speak of: the category it belongs to, and what its words begin with.

    A sentence is of it that has such a word, one of those `beside` if there are any, none that is `unlike` it, and is
    as likely of the category as `least`. A question `asks` for it by some of its words. What `leads` is meant even
    where a question names a deed as well, any or that one. Where a word that `spoils` it follows soon, something else
    is meant: "delete what is inaccurate". What `affirms` is affirmed by a denial too ("not longer than we need"); what
    is denied `later` is so in the next clause.
    """

    id: str
    category: str
    says: tuple[str, ...]
    asks: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    least: float = LIKELY
    leads: bool | str = False
    spoils: tuple[str, ...] = ()
    affirms: bool = False
    later: bool = False

    def denials(self, text: str) -> list[bool]:
        """Return for each place where a sentence speaks of it whether it is denied there."""
        line = " ".join(words(IDLE.sub(" ", text.replace("\n", " "))))
        line = re.sub(r"\bdo not track\b", "dnt", line)  # which denies nothing
        tokens = line.split(" ")
        if self.beside and not _pattern(self.beside).search(line):
            return []
        if self.unlike and _pattern(self.unlike).search(line):
            return []
        denials = {word for word in DENIALS if not _pattern(self.says).match(word)}  # "refuse" denies no refusal
        until = _LATER if self.later else 0
        return [
            not self.affirms and not denials.isdisjoint(tokens[max(0, place - _BEFORE) : place + until])
            for place in (line.count(" ", 0, match.start()) for match in _pattern(self.says).finditer(line))
            if not (self.spoils and _pattern(self.spoils).search(" ".join(tokens[place : place + _AFTER])))
        ]

    def may_be_in(self, text: str) -> bool:
        """Return whether a text in lower case may speak of it; a quick look at its words."""
        return _glance(self.says).search(text) is not None

    def further(self, question: str) -> tuple[str, ...]:
        """Return what a question says beside the topic: "account" of "let me delete my account"."""
        named = _pattern((*self.says, *self.beside)).pattern
        rest = words(re.sub(rf"{named}[\w'-]*", " ", " ".join(words(question))))
        return tuple(word for word in rest if word not in STOP_WORDS | _GENERAL | _KEEPING and len(word) > 2)


def topic_of(text: str) -> Topic | None:
    """Find the topic that a question names, by its longest name; None where it names none."""
    line = " ".join(words(text))
    named = [(len(name), topic) for topic in _topics() for name in topic.asks if _pattern((name,)).search(line)]
    return max(named, key=lambda pair: pair[0])[1] if named else None


def unnamed(text: str, topic: Topic) -> str:
    """Return a question without what names its topic: "without notice" is what is asked, and denies nothing."""
    return _pattern(topic.asks).sub(" ", " ".join(words(text))) if topic.asks else text


def own_topic(text: str, category: str, near: Iterable[str] = ()) -> Topic | None:
    """Make a topic of a question's own words; `near` are others that policies use for them."""
    own = [word for word in words(text) if word not in STOP_WORDS | _GENERAL and len(word) > 2]
    says = tuple(dict.fromkeys([*own, *near]))
    return Topic(" ".join(own), category, says) if own else None


@cache
def _topics() -> tuple[Topic, ...]:
    rows = table("topics").items()
    return tuple(Topic(name, **{**row, "says": row["asks"] + row["says"]}) for name, row in rows)


@lru_cache(100)
def _glance(says: tuple[str, ...]) -> re.Pattern[str]:
    """Find the same in a text as it is written: "e-mail you" with its hyphen."""
    parts = [r"\W+".join(map(re.escape, words(name.replace("#", "zzz")))).replace("zzz", _NUMBER) for name in says]
    return re.compile(rf"\b(?:{'|'.join(filter(None, parts))})")


@lru_cache(1000)
def _pattern(says: tuple[str, ...]) -> re.Pattern[str]:
    """Find words that begin so; of several all but the last are whole."""
    parts = [re.escape(" ".join(words(name.replace("#", "zzz")))).replace("zzz", _NUMBER) for name in says]
    return re.compile(rf"(?<![\w'-])(?:{'|'.join(filter(None, parts))})")
