"""Whether a statement affirms what is asked for, denies it, or is of another matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from smallprint.ask.lexicon import ANYBODY, ANYTHING
from smallprint.ask.statements import Statement

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


def stance(statement: Statement, matter: Matter) -> Stance | None:
    """Say whether a statement affirms a matter, denies it, or is of another.

    Who denies the whole denies its parts; who affirms a part affirms the whole, but not the other way round.
    """
    if statement.deed not in matter.deeds:
        return None
    whom = statement.whom | (
        {"advertisers"} if "advertising" in statement.ends and statement.deed == "share" else set()
    )
    ends = statement.ends | ({"advertising"} if "advertisers" in whom and "cookies" in matter.things else set())
    if not statement.denied:
        fits = (
            not statement.harmless
            and _touch(matter.things, statement.things)
            and (_touch(matter.whom, whom) or (ANYBODY in matter.whom and bool(whom)))
            and _touch(matter.ends, ends)
        )
        return "does" if fits else None
    if _spares(matter, statement):
        return None
    fits = (
        _covers(matter.things, statement.things, ANYTHING)
        and (_covers(matter.whom, whom, ANYBODY) or bool(matter.ends & ends))
        # What is denied for one purpose may be done for all others.
        and (not statement.ends or bool(matter.ends & ends) or bool((matter.whom - {ANYBODY}) & whom))
        # Who does not share "information" with whomever it may be shares none of it; who says less may mean less.
        and (
            bool(matter.things & statement.things or (matter.whom - {ANYBODY}) & whom or matter.ends & ends)
            or _is_whole(matter, statement, whom)
        )
    )
    return "does not" if fits else None


def _spares(matter: Matter, statement: Statement) -> bool:
    """Tell whether the exceptions to a denial are what was asked about, or whoever is no hand of the company."""
    if statement.spared & (matter.whom | matter.ends):
        return True
    asks_of_all = not matter.whom or ANYBODY in matter.whom
    return asks_of_all and statement.deed == "share" and not statement.spared <= HANDS


def _is_whole(matter: Matter, statement: Statement, whom: frozenset[str] | set[str]) -> bool:
    if matter.ends or (statement.deed not in {"share", "sell"} and matter.things):
        return False
    if statement.deed == "sell" and ANYTHING in statement.things:
        return whom <= {ANYBODY}
    return whom == {ANYBODY} or (not matter.whom and not matter.things and not whom)


def _touch(asked: frozenset[str], said: frozenset[str] | set[str]) -> bool:
    return not asked or bool(asked & said)


def _covers(asked: frozenset[str], said: frozenset[str] | set[str], whole: str) -> bool:
    """Tell whether what is denied of `said` is denied of all that was asked for."""
    if "cookies" in asked:  # which are no information
        return "cookies" in said
    return not said or whole in said or bool(asked & said)
