"""Whether a statement affirms what is asked for, denies it, or is of another matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from smallprint.ask.english.lexicon import ANYBODY, ANYTHING, Sort
from smallprint.ask.english.statements import Statement

Stance = Literal["does", "does not"]
# Who may be spared by a denial that is one for all that: whoever works for the company, and the law.
HANDS = frozenset({"providers", "authorities", "people", "law", "security"})


@dataclass(frozen=True, slots=True)
class Matter:
    """What a statement may be about; what is left empty may be anything."""

    deeds: frozenset[str]
    things: frozenset[str] = frozenset()
    whom: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()

    @property
    def parts(self) -> dict[Sort, frozenset[str]]:
        """The terms that name the matter, by their sort."""
        return {"things": self.things, "whom": self.whom, "ends": self.ends}


def stance(statement: Statement, matter: Matter) -> Stance | None:
    """Return whether a statement affirms a matter or denies it; None where it is of another.

    Who denies the whole denies its parts; who affirms a part affirms the whole, but not the other way round.
    """
    if statement.deed not in matter.deeds:
        return None
    things, whom, ends = set(statement.things), set(statement.whom), set(statement.ends)
    if "advertising" in ends and statement.deed == "share":
        whom.add("advertisers")
    if "advertisers" in whom and "cookies" in matter.things:
        ends.add("advertising")
    same_things, same_whom, same_ends = matter.things & things, matter.whom & whom, matter.ends & ends
    if not statement.denied:
        affirms = (
            not statement.harmless
            and (not matter.things or same_things)
            and (not matter.whom or same_whom or (ANYBODY in matter.whom and whom))
            and (not matter.ends or same_ends)
        )
        return "does" if affirms else None
    by_name = same_whom - {ANYBODY}
    denies = (
        not _spares(matter, statement)
        and _covers(matter.things, things, ANYTHING)
        and (_covers(matter.whom, whom, ANYBODY) or same_ends)
        # What is denied for one purpose may be done for all others.
        and (not statement.ends or same_ends or by_name)
        # Who does not share "information" with whomever it may be shares none of it; who says less may mean less.
        and (same_things or by_name or same_ends or _is_whole(matter, statement, whom))
    )
    return "does not" if denies else None


def _spares(matter: Matter, statement: Statement) -> bool:
    """Return whether the exceptions to a denial are what was asked about, or whoever is no hand of the company."""
    if statement.spared & (matter.whom | matter.ends):
        return True
    asks_of_all = not matter.whom or ANYBODY in matter.whom
    return asks_of_all and statement.deed == "share" and not statement.spared <= HANDS


def _is_whole(matter: Matter, statement: Statement, whom: set[str]) -> bool:
    if matter.ends or (statement.deed not in {"share", "sell"} and matter.things):
        return False
    if statement.deed == "sell" and ANYTHING in statement.things:
        return whom <= {ANYBODY}
    return whom == {ANYBODY} or (not matter.whom and not matter.things and not whom)


def _covers(asked: frozenset[str], denied: set[str], whole: str) -> bool:
    """Return whether what is denied of some is denied of all that was asked for."""
    if "cookies" in asked:  # which are no information
        return "cookies" in denied
    return not denied or whole in denied or bool(asked & denied)
