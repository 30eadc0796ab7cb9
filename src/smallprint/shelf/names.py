"""The companies and domains that policies of a library are known by, found in what somebody says."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from smallprint.library.directory import Listed, proper
from smallprint.models.vectors import Vectors

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|&")
_DOMAIN = re.compile(
    r"(?<![\w@.-])(?:https?://)?(?:www\.)?((?:[a-z0-9-]+\.)+[a-z]{2,24})(?:/\S*)?(?![\w-])", re.IGNORECASE
)
_FORMS = frozenset("inc incorporated ltd limited llc llp plc gmbh ag sa bv co corp corporation company the".split())
# One that nobody knows has a capital and stands where the company stands that is asked about.
_UNKNOWN = re.compile(
    r"\b(?:[Dd]oes|[Dd]id|[Cc]an|[Ww]ill|[Ww]ould|[Cc]ould|[Hh]as|[Ii]s|[Aa]bout|[Oo]f|[Aa]t|[Aa]sk|[Mm]eant?)\s+"
    r"((?!(?:I|It|They|The|My|You|This|That|We|He|She|Do|A|An|GDPR|CCPA|California|Europe|EU)\b)"
    r"[A-Z][\w&'’-]*(?:\s+(?:&\s+|of\s+)?[A-Z][\w&'’-]*){0,3})"
)
LONGEST = 5
# The beginning of a domain's name is enough where it is so long and no word of the language: "trundle" of trundlerides.
SHORTEST = 5


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text, by characters, and the policies it may mean, the best known first."""

    start: int
    end: int
    name: str
    policies: tuple[str, ...]


class Directory:
    """Who is known by which name; of two that fit at one place the longer holds."""

    def __init__(self, listed: Iterable[Listed], known: Vectors) -> None:
        self._known = known
        self.by_id = {one.policy_id: one for one in listed}
        names: dict[str, list[str]] = defaultdict(list)
        begins: dict[str, list[str]] = defaultdict(list)
        domains: dict[str, list[str]] = defaultdict(list)
        for one in sorted(self.by_id.values(), key=lambda one: (-one.popularity, one.policy_id)):
            domains[one.domain].append(one.policy_id)
            own = _tokens(one.company) if one.company else []
            keys = {one.domain.partition(".")[0].replace("-", ""), "".join(own)}
            for key in keys - {""}:
                names[key].append(one.policy_id)
            for word in _tokens(one.title):
                if word not in known and len(word) >= SHORTEST:
                    begins[word].append(one.policy_id)
            # "Brightwithy" is enough for "Brightwithy Dental Ashford", where it is no word of the language.
            for length in range(1, len(own)):
                if own[0] not in known:
                    begins["".join(own[:length])].append(one.policy_id)
        self._names, self._begins, self._domains = dict(names), dict(begins), dict(domains)
        self._sorted = sorted(self._names)

    def find(self, text: str) -> tuple[Mention, ...]:
        """Find the names in a text, from left to right."""
        found: list[Mention] = []
        for match in _DOMAIN.finditer(text):
            policies = self._domains.get(match[1].lower()) or self._of_host(match[1].lower())
            if policies:
                found.append(Mention(match.start(), match.end(), match[1], tuple(policies)))
        tokens = list(_WORD.finditer(text))
        place = 0
        while place < len(tokens):
            mention = self._at(text, tokens, place)
            if mention and not any(one.start < mention.end and mention.start < one.end for one in found):
                found.append(mention)
                place = next(n for n in range(place, len(tokens)) if tokens[n].end() >= mention.end)
            place += 1
        return tuple(sorted(found, key=lambda one: one.start))

    def unknown(self, text: str) -> str | None:
        """Give a name or domain that is asked about and that nobody here is known by."""
        for match in _DOMAIN.finditer(text):
            if not self._of_host(match[1].lower()):
                return match[0].rstrip("?!.,;")
        found = _UNKNOWN.search(text)
        return found[1] if found and not self.find(found[1]) else None

    def _of_host(self, host: str) -> list[str]:
        """Find a domain, or the one that a host stands under."""
        parts = host.split(".")
        return next((own for n in range(len(parts) - 1) if (own := self._domains.get(".".join(parts[n:])))), [])

    def _at(self, text: str, tokens: Sequence[re.Match[str]], place: int) -> Mention | None:
        for length in range(min(LONGEST, len(tokens) - place), 0, -1):
            said = [_bare(one[0]) for one in tokens[place : place + length]]
            key = "".join(_and(said))
            policies = self._names.get(key) or (self._begins.get(key) if len(key) > 2 else None) or self._under(key)
            if policies and self._is_meant(tokens, place, length, key):
                first, last = tokens[place], tokens[place + length - 1]
                end = last.end() - (2 if last[0].lower().endswith(("'s", "’s")) else 0)
                return Mention(first.start(), end, text[first.start() : end], tuple(dict.fromkeys(policies)))
        return None

    def _under(self, key: str) -> list[str] | None:
        """Give the policies of names that begin so, unless it is a word, or the beginning of too many."""
        if len(key) < SHORTEST or key in self._known:
            return None
        first = bisect_left(self._sorted, key)
        same = [one for one in self._sorted[first : first + LONGEST + 1] if one.startswith(key)]
        return [policy for one in same for policy in self._names[one]] if 0 < len(same) <= LONGEST else None

    def _is_meant(self, tokens: Sequence[re.Match[str]], place: int, length: int, key: str) -> bool:
        """Tell a name from a word of the language that is spelt the same."""
        if length > 1 or key not in self._known:
            return len(key) > 1
        word = tokens[place][0]
        before = tokens[place - 1][0].lower() if place else ""
        alone = len(tokens) == 1
        return alone or (word[:1].isupper() and place > 0) or (before in {"does", "did", "has", "at"} and len(key) > 3)


def plain_name(listed: Listed) -> str:
    """Give the name that a policy is spoken of by."""
    return proper(listed.company) or listed.domain


def _tokens(name: str) -> list[str]:
    said = _and([_bare(match[0]) for match in _WORD.finditer(name)])
    return [word for word in said if word not in _FORMS] or said


def _and(said: Sequence[str]) -> list[str]:
    return ["and" if word == "&" else word for word in said]


def _bare(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s").replace("'", "")
