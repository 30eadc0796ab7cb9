"""What the assistant says, in one record that a terminal, a page, a program and a voice can each show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from smallprint.shelf.answers import PolicyAnswer
from smallprint.shelf.gathering import PolicySaid

ReplyKind = Literal[
    "answer",
    "policies",
    "comparison",
    "vague",
    "surprising",
    "clarify",
    "which",
    "offer",
    "fetched",
    "note",
    "help",
    "bye",
]


@dataclass(frozen=True, slots=True)
class Spoken:
    """The policy that a reply is about, by id, name and domain."""

    policy_id: str
    version_id: str
    name: str
    domain: str


@dataclass(frozen=True, slots=True)
class Compared:
    """What one of several policies says that were asked the same: the line it got, and its best sentence if any."""

    name: str
    line: str
    said: PolicySaid | None


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply. `lines` are the assistant's own words; what policies say stands in `answer` and `policies` alone.

    `compared` has every policy of a comparison, in the order they were named, those that are silent too. `options` are
    what may be chosen, `suggestions` what may be asked next. `more` tells whether there is more to be
    told, `ends` whether the conversation is over.
    """

    kind: ReplyKind
    lines: tuple[str, ...]
    policy: Spoken | None = None
    answer: PolicyAnswer | None = None
    policies: tuple[PolicySaid, ...] = ()
    compared: tuple[Compared, ...] = ()
    options: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    more: bool = False
    ends: bool = False
