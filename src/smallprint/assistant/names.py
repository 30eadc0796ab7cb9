"""The companies and domains that policies of a library are known by, found in what somebody says."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from smallprint.ask.english.companies import may_stand_for_a_name, stands_for_a_name, unknown_places
from smallprint.ask.english.lexicon import pattern
from smallprint.ask.question.normalising import mended
from smallprint.library.directory import Listed, proper
from smallprint.models.vectors import Vectors
from smallprint.records import Span

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|&")
_DOMAIN = pattern(r"(?<![\w@.-])(?:https?://)?(?:www\.)?((?:[a-z0-9-]+\.)+[a-z]{2,24})(?:/\S*)?(?![\w-])")
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
class Mention(Span):
    """A name in a text, by characters, and the policies it may mean, the best known first."""

    name: str
    policies: tuple[str, ...]


class Directory:
    """Who is known by which name; of two that fit at one place the longer holds."""

    def __init__(self, listed: Iterable[Listed], known: Vectors, elsewhere: frozenset[str] = frozenset()) -> None:
        """`elsewhere` are names that are well known whether or not they have a policy here."""
        self._known = known
        self._elsewhere = elsewhere
        self._well_known: set[str] = set()
        self.by_id = {policy.policy_id: policy for policy in listed}
        self._names, self._begins, self._domains = (defaultdict[str, list[str]](list) for _ in range(3))
        for policy in sorted(self.by_id.values(), key=lambda each: (-each.popularity, each.is_folded, each.policy_id)):
            self._add(policy)
        self._sorted = sorted(self._names)

    def _add(self, policy: Listed) -> None:
        self._domains[policy.domain].append(policy.policy_id)
        domain = policy.domain.partition(".")[0].replace("-", "")
        if policy.is_folded and domain in self._names:
            return  # another stands for it
        own = _tokens(policy.company) if policy.company else []
        company = "".join(own)
        keys = {domain, company} - {""}
        for key in keys:
            self._names[key].append(policy.policy_id)
        if policy.popularity >= WELL_KNOWN:
            self._well_known |= keys
        elif own:  # "zoom" of zoom.us, "Zoom Video Communications"
            self._well_known |= {key for key in keys if company.startswith(key)}
        begins = [word for word in _tokens(policy.title) if word not in self._known and len(word) >= SHORTEST]
        if own and own[0] not in self._known:
            # "Brightwithy" is enough for "Brightwithy Dental Ashford", where it is no word of the language.
            begins += ["".join(own[:length]) for length in range(1, len(own))]
        for key in begins:
            self._begins[key].append(policy.policy_id)

    def find(self, text: str) -> tuple[Mention, ...]:
        """Find the names in a text, from left to right."""
        mentions: list[Mention] = []
        for match in _DOMAIN.finditer(text):
            policies = self._of_host(match[1].lower())
            if policies:
                mentions.append(Mention(match.start(), match.end(), match[1], tuple(policies)))
        tokens = list(_WORD.finditer(text))
        place = 0
        while place < len(tokens):
            mention = self._at(text, tokens, place)
            if mention and not any(other.start < mention.end and mention.start < other.end for other in mentions):
                mentions.append(mention)
                place = next(n for n in range(place, len(tokens)) if tokens[n].end() >= mention.end)
            place += 1
        return tuple(sorted(mentions, key=lambda mention: mention.start))

    def unknown(self, text: str) -> str | None:
        """Return a name or domain that is asked about and that nobody here is known by."""
        for match in _DOMAIN.finditer(text):
            if not self._of_host(match[1].lower()):
                return match[0].rstrip("?!.,;")
        capital = _UNKNOWN.search(text)
        if capital and not self.find(capital[1]):
            return capital[1]
        places = list(_WORD.finditer(text))
        tokens = [match[0].lower() for match in places]
        for start, end, may_be_a_word in unknown_places(tokens):
            name = text[places[start].start() : places[end - 1].end()]
            own = [_bare(token) for token in tokens[start:end]]
            is_a_word = "".join(own) not in self._elsewhere and all(
                word in self._known or mended(word, self._known) or len(word) < SHORTEST for word in own
            )
            if not (may_be_a_word and is_a_word and name.islower()) and not self.find(name):
                return re.sub(r"['’]s$", "", name)
        return None

    def _of_host(self, host: str) -> list[str]:
        """Find a domain, or the one that a host stands under."""
        while "." in host and host not in self._domains:
            host = host.partition(".")[2]
        return self._domains.get(host, []) if "." in host else []

    def _at(self, text: str, tokens: Sequence[re.Match[str]], place: int) -> Mention | None:
        for length in range(min(LONGEST, len(tokens) - place), 0, -1):
            own = [_bare(token[0]) for token in tokens[place : place + length]]
            key = "".join(_and(own))
            policies = self._names.get(key) or (self._begins.get(key) if len(key) > 2 else None) or self._under(key)
            if policies and self._is_meant(tokens, place, key, own):
                first, last = tokens[place], tokens[place + length - 1]
                end = last.end() - (2 if last[0].lower().endswith(("'s", "’s")) else 0)
                return Mention(first.start(), end, text[first.start() : end], tuple(dict.fromkeys(policies)))
        return None

    def _under(self, key: str) -> list[str] | None:
        """Return the policies of names that begin so, unless it is a word, or the beginning of too many."""
        if len(key) < SHORTEST or key in self._known:
            return None
        first = bisect_left(self._sorted, key)
        same = [name for name in self._sorted[first : first + LONGEST + 1] if name.startswith(key)]
        return [policy for name in same for policy in self._names[name]] if 0 < len(same) <= LONGEST else None

    def _is_meant(self, tokens: Sequence[re.Match[str]], place: int, key: str, own: Sequence[str]) -> bool:
        """Return whether this is a name, not a word spelt the same, by where it stands and by its capital."""
        if len(key) < 2:
            return False
        end = place + len(own)
        is_capital = place > 0 and all(token[0][:1].isupper() for token in tokens[place:end])
        is_no_word = (len(own) == 1 and key not in self._known) or not all(word in self._known for word in own)
        if is_no_word or is_capital or len(tokens) == len(own):
            return True
        lower = [token[0].lower() for token in tokens]
        bare = [*lower[:place], *own, *lower[end:]]
        if stands_for_a_name(bare, place, end):
            return True
        owns = lower[end - 1] != own[-1]  # "medium's"
        return key in self._well_known and (owns or may_stand_for_a_name(bare, place, end))


def plain_name(listed: Listed) -> str:
    """Return the name that a policy is spoken of by."""
    return proper(listed.company) or listed.domain


def _tokens(name: str) -> list[str]:
    tokens = _and([_bare(match[0]) for match in _WORD.finditer(name)])
    return [word for word in tokens if word not in _FORMS] or tokens


def _and(tokens: Sequence[str]) -> list[str]:
    return ["and" if word == "&" else word for word in tokens]


def _bare(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s").replace("'", "")
