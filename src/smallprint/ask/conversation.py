"""A conversation as it can be stored, resumed and handed over: plain JSON in, a frozen record out, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast, get_args

from smallprint import limits
from smallprint.errors import BadConversation

VERSION = 1
# What a conversation remembers of what was said, and how much of each; and how large its JSON may be that is handed in.
MOST_PAST, LONGEST_LINE = 6, 300
MOST_OPTIONS, MOST_TOLD = 5, 10_000
LONGEST_ASKED, LONGEST_ID = 4_000, 500

Waits = Literal["clarify", "which", "fetch"]


@dataclass(frozen=True, slots=True)
class Option:
    """One of the things that may be meant: as it is said, the question it stands for, and the policy it is of."""

    label: str
    question: str = ""
    policy_id: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """What the assistant waits for: a choice among options, or leave to fetch an address."""

    waits: Waits
    options: tuple[Option, ...] = ()
    question: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was said, and the line that it was answered with."""

    asked: str
    said: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where a conversation stands.

    `policy_id` is the policy spoken of, `question` the last whole question, `told` how many sentences or policies of
    its answer were told. `asked_back` is set where the assistant's last reply was a question.
    """

    policy_id: str = ""
    question: str = ""
    told: int = 0
    over_library: bool = False
    asked_back: bool = False
    ended: bool = False
    pending: Pending | None = None
    past: tuple[Exchange, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Give the conversation as plain JSON."""
        return {"version": VERSION, **asdict(self)}

    def remember(self, asked: str, said: str) -> tuple[Exchange, ...]:
        """Give what is remembered once this was said as well; the oldest is forgotten."""
        return (*self.past, Exchange(_short(asked), _short(said)))[-MOST_PAST:]


def from_json(given: str | Mapping[str, Any] | None) -> Conversation:
    """Read a conversation; nothing gives a new one, and what is none is one clear error."""
    if not given:
        return Conversation()
    if isinstance(given, str):
        if len(given) > limits.MAX_CONVERSATION:
            raise BadConversation(f"a conversation has at most {limits.MAX_CONVERSATION:,} characters; begin a new one")
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            raise BadConversation("the conversation is no JSON; give back what you were given, or begin anew") from None
    if not isinstance(given, Mapping):
        raise BadConversation("the conversation is no JSON object; give back what you were given, or begin anew")
    if given.get("version") != VERSION:
        raise BadConversation(f"the conversation is not of version {VERSION}; begin a new one")
    try:
        return _read(given)
    except (KeyError, TypeError, ValueError) as error:
        raise BadConversation(f"the conversation cannot be read ({error}); begin a new one") from None


def _read(given: Mapping[str, Any]) -> Conversation:
    unknown = given.keys() - {"version", *Conversation.__dataclass_fields__}
    if unknown:
        raise ValueError(f"it has no {min(unknown)!r}"[:100])
    pending = given.get("pending")
    return Conversation(
        _text(given, "policy_id", LONGEST_ID),
        _text(given, "question", LONGEST_ASKED),
        _count(given, "told"),
        _switch(given, "over_library"),
        _switch(given, "asked_back"),
        _switch(given, "ended"),
        None if pending is None else _pending(pending),
        tuple(
            Exchange(_text(one, "asked", LONGEST_LINE), _text(one, "said", LONGEST_LINE))
            for one in _list(given, "past", MOST_PAST)
        ),
    )


def _pending(given: Mapping[str, Any]) -> Pending:
    waits = given["waits"]
    if waits not in get_args(Waits):
        raise ValueError("it waits for nothing known")
    options = tuple(
        Option(
            _text(one, "label", LONGEST_LINE),
            _text(one, "question", LONGEST_ASKED),
            _text(one, "policy_id", LONGEST_ID),
        )
        for one in _list(given, "options", MOST_OPTIONS)
    )
    return Pending(
        cast("Waits", waits), options, _text(given, "question", LONGEST_ASKED), _text(given, "address", LONGEST_ASKED)
    )


def _text(given: Mapping[str, Any], key: str, most: int) -> str:
    value = given.get(key, "")
    if not isinstance(value, str) or len(value) > most:
        raise ValueError(f"{key} is no text of at most {most} characters")
    value.encode()  # which half a character of a pair cannot be
    return value


def _count(given: Mapping[str, Any], key: str) -> int:
    value = given.get(key, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_TOLD:
        raise ValueError(f"{key} is no number")
    return value


def _switch(given: Mapping[str, Any], key: str) -> bool:
    value = given.get(key, False)
    if not isinstance(value, bool):
        raise ValueError(f"{key} is neither true nor false")
    return value


def _list(given: Mapping[str, Any], key: str, most: int) -> list[Mapping[str, Any]]:
    value = given.get(key, [])
    if not isinstance(value, list | tuple) or len(value) > most or not all(isinstance(one, Mapping) for one in value):
        raise ValueError(f"{key} is no list of at most {most}")
    return list(value)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"
