"""Whether a statement affirms what is asked for, denies it, or is of another matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from smallprint.ask.lexicon import ANYBODY, ANYTHING
from smallprint.ask.statements import Statement

Stance = Literal["does", "does not"]


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
    if not statement.denied:
        fits = (
            not statement.harmless
            and _touch(matter.things, statement.things)
            and _touch(matter.whom, whom)
            and _touch(matter.ends, statement.ends)
        )
        return "does" if fits else None
    fits = (
        _covers(matter.things, statement.things, ANYTHING)
        and _covers(matter.whom, whom, ANYBODY)
        and (not statement.ends or _touch(matter.ends, statement.ends) or bool(matter.whom & whom))
        # Who does not share "information" with whomever it may be shares none of it; who says less may mean less.
        and (
            bool(matter.things & statement.things or matter.whom & whom or matter.ends & statement.ends)
            or _is_whole(matter, statement.deed, whom)
        )
    )
    return "does not" if fits else None


def _is_whole(matter: Matter, deed: str, whom: frozenset[str] | set[str]) -> bool:
    if matter.ends or (deed not in {"share", "sell"} and matter.things):
        return False
    return whom == {ANYBODY} or (not matter.whom and not matter.things and not whom)


def _touch(asked: frozenset[str], said: frozenset[str] | set[str]) -> bool:
    return not asked or bool(asked & said)


def _covers(asked: frozenset[str], said: frozenset[str] | set[str], whole: str) -> bool:
    """Tell whether what is denied of `said` is denied of all that was asked for."""
    return not said or whole in said or bool(asked & said)
