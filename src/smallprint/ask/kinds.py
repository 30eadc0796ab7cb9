"""Kinds of companies that are narrower than a sector, such as banks: told of a question, and of a policy."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from smallprint.text import words

# Of fewer such words nobody can tell, however short a policy is.
LEAST = 3
# So many characters before a claim it may be denied, or be about others: "we do not … knowingly direct it to children".
BEFORE = 90
_DENIED = re.compile(
    r"\b(?:not|never|nor|no|none|neither)\b|n['’]t\b|\b(?:collect|information|privacy|protection)", re.IGNORECASE
)
# Where begins what is asked of them: "which banks do not …".
_ENDS = frozenset("that do does don't doesn't who will let lets share sell collect use keep with".split())


@dataclass(frozen=True, slots=True)
class CompanyKind:
    """A kind of company: the sector it is of, if of one, and by which words policies of it are told."""

    id: str
    sector: str
    named: tuple[str, ...]
    says: tuple[str, ...]
    called: str
    often: float
    least: int = LEAST
    claims: tuple[str, ...] = ()

    def is_of(self, name: str, text: str) -> bool:
        """Tell whether a policy is of such a company: by its name and domain, or by what it speaks of all the time."""
        lower = name.lower()
        if any(part in lower for part in self.named):
            return True
        count = len(_begins(self.says).findall(text))
        return count >= max(self.least, self.often * text.count(" ") / 1000) and self._is_claimed(text)

    def _is_claimed(self, text: str) -> bool:
        """Tell whether a policy says what it is for, and does not deny it: "our site is not directed to children"."""
        if not self.claims:
            return True
        found = (match.start() for match in _begins(self.claims).finditer(text))
        return any(not _DENIED.search(text[max(0, place - BEFORE) : place]) for place in found)


def kind_named(text: str) -> CompanyKind | None:
    """Give the kind of company that a question is asked of, by its first words; None where it names none."""
    tokens = words(text)
    for place in range(len(tokens)):
        for length in (2, 1):
            found = _kinds().get(" ".join(tokens[place : place + length]))
            if found is not None:
                return found
        if tokens[place] in _ENDS:
            return None
    return None


@cache
def _kinds() -> dict[str, CompanyKind]:
    table = tomllib.loads(resources.files(__package__).joinpath("kinds.toml").read_text(encoding="utf-8"))
    return {
        said: CompanyKind(
            name, one["sector"], tuple(one["named"]), tuple(one["says"]), one.get("called", name), one["often"],
            one.get("least", LEAST), tuple(one.get("claims", ())),
        )
        for name, one in table.items()
        for said in one["asks"]
    }  # fmt: skip


@cache
def _begins(says: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, says))})", re.IGNORECASE)
