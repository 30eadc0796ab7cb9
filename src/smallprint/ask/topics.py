"""What questions over the library ask for beside deeds: deletion, encryption, breaches and the like, told by words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from smallprint.ask.statements import DENIALS, IDLE
from smallprint.ask.stems import STOP_WORDS
from smallprint.text import words

_NUMBER = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty|sixty|ninety)"
# So many words before a topic's own a denial is of it: "we cannot, before its time, delete".
_BEFORE = 12
_AFTER = 9
_LATER = 14
_OWN_DENIAL = re.compile(r"\bdo not track\b")
LIKELY = 0.3
_GENERAL = frozenset(
    "data information info personal private policy policies site sites website websites app apps company companies "
    "service services people person user users mention mentions say says tell tells let lets allow allows offer offers "
    "give gives use uses rights right thing things anything something about me my".split()
)


# What a question says of any topic: "keep my data for a stated period".
_KEEPING = frozenset(
    "keep keeps kept store stores hold holds have has get gets make makes take want send sends".split()
)


@dataclass(frozen=True, slots=True)
class Topic:
    """Something a policy may speak of: the category it belongs to, and what its words begin with.

    A sentence is of it that has such a word, one of those `beside` if there are any, none that is `unlike` it, and is
    as likely of the category as `least`. What `leads` is meant even where a question names a deed as well, any or that
    one. Where a word that `spoils` it follows soon, something else is meant: "delete what is inaccurate". What
    `affirms` is affirmed by a denial too ("not longer than we need"); what is denied `later` is so in the next clause.
    """

    id: str
    category: str
    says: tuple[str, ...]
    beside: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    least: float = LIKELY
    leads: bool | str = False
    spoils: tuple[str, ...] = ()
    affirms: bool = False
    later: bool = False

    def places(self, text: str) -> list[tuple[int, bool]]:
        """Give where a sentence speaks of it, by the number of the word, and whether that is denied there."""
        tokens = words(IDLE.sub(" ", text.replace("\n", " ")))
        line = _OWN_DENIAL.sub("dnt", " ".join(tokens))  # which denies nothing
        tokens = line.split(" ")
        if self.beside and not _pattern(self.beside).search(line):
            return []
        if self.unlike and _pattern(self.unlike).search(line):
            return []
        denials = DENIALS - {one for one in DENIALS if _pattern(self.says).match(one)}  # "refuse" denies no refusal
        until = _LATER if self.later else 0
        return [
            (place, not self.affirms and not denials.isdisjoint(tokens[max(0, place - _BEFORE) : place + until]))
            for found in _pattern(self.says).finditer(line)
            for place in [line.count(" ", 0, found.start())]
            if not (self.spoils and _pattern(self.spoils).search(" ".join(tokens[place : place + _AFTER])))
        ]

    def may_be_in(self, text: str) -> bool:
        """Tell at a glance whether a text in lower case may speak of it."""
        return _glance(self.says).search(text) is not None

    def further(self, question: str) -> tuple[str, ...]:
        """Give what a question says beside the topic: "account" of "let me delete my account"."""
        named = _pattern((*self.says, *self.beside)).pattern
        rest = words(re.sub(rf"{named}[\w'-]*", " ", " ".join(words(question))))
        return tuple(word for word in rest if word not in STOP_WORDS | _GENERAL | _KEEPING and len(word) > 2)


def topic_of(text: str) -> Topic | None:
    """Find the topic that a question names, by its longest name; None where it names none."""
    line = " ".join(words(text))
    named = [(len(name), topic) for topic, asks in _topics() for name in asks if _pattern((name,)).search(line)]
    return max(named, key=lambda one: one[0])[1] if named else None


def unnamed(text: str, topic: Topic) -> str:
    """Give a question without the words that name its topic: "without notice" is what is asked, and denies nothing."""
    asks = next((asks for one, asks in _topics() if one == topic), ())
    return _pattern(asks).sub(" ", " ".join(words(text))) if asks else text


def own_topic(text: str, category: str, near: Iterable[str] = ()) -> Topic | None:
    """Make a topic of a question's own words; `near` are others that policies use for them."""
    own = [word for word in words(text) if word not in STOP_WORDS | _GENERAL and len(word) > 2]
    says = tuple(dict.fromkeys([*own, *near]))
    return Topic(" ".join(own), category, says) if own else None


@cache
def _topics() -> tuple[tuple[Topic, tuple[str, ...]], ...]:
    table = tomllib.loads(resources.files(__package__).joinpath("topics.toml").read_text(encoding="utf-8"))
    return tuple(
        (
            Topic(
                name, one["category"], (*one["asks"], *one["says"]), tuple(one.get("with", ())),
                tuple(one.get("unlike", ())), one.get("least", LIKELY), one.get("leads", False),
                tuple(one.get("spoils", ())), one.get("affirms", False), one.get("later", False),
            ),
            tuple(one["asks"]),
        )
        for name, one in table.items()
    )  # fmt: skip


@lru_cache(100)
def _glance(says: tuple[str, ...]) -> re.Pattern[str]:
    """Find the same in a text as it is written: "e-mail you" with its hyphen."""
    parts = [r"\W+".join(map(re.escape, words(one.replace("#", "zzz")))).replace("zzz", _NUMBER) for one in says]
    return re.compile(r"\b(?:" + "|".join(one for one in parts if one) + ")")


@lru_cache(1000)
def _pattern(says: tuple[str, ...]) -> re.Pattern[str]:
    """Find words that begin so; of several all but the last are whole."""
    parts = [" ".join(words(one.replace("#", "zzz"))).replace("zzz", "#") for one in says]
    return re.compile(
        r"(?<![\w'-])(?:" + "|".join(re.escape(one).replace(r"\#", _NUMBER) for one in parts if one) + ")"
    )
