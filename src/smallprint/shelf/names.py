"""The companies and domains that policies of a library are known by, found in what somebody says."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from smallprint.ask.slots import may_stand_for_a_name, stands_for_a_name, unknown_places
from smallprint.ask.spelling import mended
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
# So well known (or on a list of companies) whoever is named by a word may be meant where a word may stand as well:
# "what about medium?". Three domains in a hundred that have a policy are.
WELL_KNOWN = 1.75


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text, by characters, and the policies it may mean, the best known first."""

    start: int
    end: int
    name: str
    policies: tuple[str, ...]


class Directory:
    """Who is known by which name; of two that fit at one place the longer holds."""

    def __init__(self, listed: Iterable[Listed], known: Vectors, elsewhere: frozenset[str] = frozenset()) -> None:
        """`elsewhere` are names that are well known whether or not they have a policy here."""
        self._known = known
        self._elsewhere = elsewhere
        self._well_known: set[str] = set()
        self.by_id = {one.policy_id: one for one in listed}
        names: dict[str, list[str]] = defaultdict(list)
        begins: dict[str, list[str]] = defaultdict(list)
        domains: dict[str, list[str]] = defaultdict(list)
        for one in sorted(self.by_id.values(), key=lambda one: (-one.popularity, one.is_folded, one.policy_id)):
            domains[one.domain].append(one.policy_id)
            if one.is_folded and names.get(one.domain.partition(".")[0].replace("-", "")):
                continue  # another stands for it
            own = _tokens(one.company) if one.company else []
            keys = {one.domain.partition(".")[0].replace("-", ""), "".join(own)}
            for key in keys - {""}:
                names[key].append(one.policy_id)
            if own:  # "zoom" of zoom.us, "Zoom Video Communications"
                self._well_known |= {key for key in keys if "".join(own).startswith(key)}
            if one.popularity >= WELL_KNOWN:
                self._well_known |= keys
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
        if found and not self.find(found[1]):
            return found[1]
        places = list(_WORD.finditer(text))
        tokens = [one[0].lower() for one in places]
        for start, end, may_be_a_word in unknown_places(tokens):
            said = text[places[start].start() : places[end - 1].end()]
            own = [_bare(one) for one in tokens[start:end]]
            is_a_word = "".join(own) not in self._elsewhere and all(
                one in self._known or mended(one, self._known) or len(one) < SHORTEST for one in own
            )
            if not (may_be_a_word and is_a_word and said.islower()) and not self.find(said):
                return re.sub(r"['’]s$", "", said)
        return None

    def _of_host(self, host: str) -> list[str]:
        """Find a domain, or the one that a host stands under."""
        parts = host.split(".")
        return next((own for n in range(len(parts) - 1) if (own := self._domains.get(".".join(parts[n:])))), [])

    def _at(self, text: str, tokens: Sequence[re.Match[str]], place: int) -> Mention | None:
        for length in range(min(LONGEST, len(tokens) - place), 0, -1):
            said = [_bare(one[0]) for one in tokens[place : place + length]]
            key = "".join(_and(said))
            policies = self._names.get(key) or (self._begins.get(key) if len(key) > 2 else None) or self._under(key)
            if policies and self._is_meant(tokens, place, length, key, said):
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

    def _is_meant(
        self, tokens: Sequence[re.Match[str]], place: int, length: int, key: str, said: Sequence[str]
    ) -> bool:
        """Tell a name from words of the language that are spelt the same, by where it stands and by its capital."""
        if len(key) < 2:
            return False
        if (length == 1 and key not in self._known) or not all(word in self._known for word in said):
            return True
        if len(tokens) == length or (place > 0 and all(one[0][:1].isupper() for one in tokens[place : place + length])):
            return True
        lower = [one[0].lower() for one in tokens]
        bare = [*lower[:place], *said, *lower[place + length :]]
        if stands_for_a_name(bare, place, place + length):
            return True
        owns = lower[place + length - 1] != said[-1]  # "medium's"
        return key in self._well_known and (owns or may_stand_for_a_name(bare, place, place + length))


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
