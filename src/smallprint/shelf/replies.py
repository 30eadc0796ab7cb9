"""What the assistant says, in one record that a terminal, a page, a program and a voice can each show."""

from __future__ import annotations

import re
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
# What is said aloud: so many sentences, and none longer than this.
SENTENCES, LONGEST = 3, 300
_END = re.compile(r"(?<=[.!?:])\s+")


@dataclass(frozen=True, slots=True)
class Spoken:
    """The policy that a reply is about, by id, name and domain."""

    policy_id: str
    version_id: str
    name: str
    domain: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply. `lines` are the assistant's own words; what policies say stands in `answer` and `policies` alone.

    `options` are what may be chosen, `suggestions` what may be asked next. `more` tells whether there is more to be
    told, `ends` whether the conversation is over.
    """

    kind: ReplyKind
    lines: tuple[str, ...]
    policy: Spoken | None = None
    answer: PolicyAnswer | None = None
    policies: tuple[PolicySaid, ...] = ()
    options: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    more: bool = False
    ends: bool = False


def speech(reply: Reply) -> str:
    """Give what is said aloud: at most three sentences, the assistant's line and what the policy says first."""
    said = [sentence for line in reply.lines for sentence in _END.split(line)]
    if reply.answer is not None:
        said = [reply.answer.line, *(quote.text for quote in reply.answer.quotes)]
    elif reply.policies:
        said = [*said[:1], *(f"{one.name}: {one.text}" for one in reply.policies)]
    if reply.kind in {"clarify", "which"} and reply.options:
        said = said[:1]
    return " ".join(_short(one) for one in said[:SENTENCES])


def _short(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= LONGEST:
        return line
    return f"{line[:LONGEST].rpartition(' ')[0]} …"
