"""A conversation as it can be stored, resumed and handed over: plain JSON in, a frozen record out, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from smallprint import limits
from smallprint.errors import BadConversation

VERSION = 1
# What a conversation remembers of what was said, and how much of each; and how large its JSON may be that is handed in.
MOST_PAST, LONGEST_LINE = 6, 300
MOST_OPTIONS, MOST_TOLD = 5, 10_000
LONGEST_ASKED, LONGEST_ID = 4_000, 500

Waits = Literal["clarify", "which", "fetch"]


def _number(value: Any) -> Any:
    """Return 2 for 2.0, as JSON has it, and anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Line = Annotated[str, Field(max_length=LONGEST_LINE, strict=True)]
Text = Annotated[str, Field(max_length=LONGEST_ASKED, strict=True)]
Id = Annotated[str, Field(max_length=LONGEST_ID, strict=True)]
Switch = Annotated[bool, Field(strict=True)]
Count = Annotated[int, BeforeValidator(_number), Field(ge=0, le=MOST_TOLD, strict=True)]


class _Stored:
    """What may be handed in from outside; fields that nobody knows are refused."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class Option(_Stored):
    """One of the things that may be meant: as it is said, the question it stands for, and the policy it is of."""

    label: Line
    question: Text = ""
    policy_id: Id = ""


@dataclass(frozen=True, slots=True)
class Pending(_Stored):
    """What the assistant waits for: a choice among options, or leave to fetch an address."""

    waits: Waits
    options: Annotated[tuple[Option, ...], Field(max_length=MOST_OPTIONS)] = ()
    question: Text = ""
    address: Text = ""


@dataclass(frozen=True, slots=True)
class Exchange(_Stored):
    """What was said, and the line that it was answered with."""

    asked: Line
    said: Line


@dataclass(frozen=True, slots=True)
class Conversation(_Stored):
    """Where a conversation stands.

    `policy_id` is the policy spoken of, `question` the last whole question, `told` how many sentences or policies of
    its answer were told. `asked_back` is set where the assistant's last reply was a question.
    """

    policy_id: Id = ""
    question: Text = ""
    told: Count = 0
    over_library: Switch = False
    asked_back: Switch = False
    ended: Switch = False
    pending: Pending | None = None
    past: Annotated[tuple[Exchange, ...], Field(max_length=MOST_PAST)] = ()
    version: Literal[1] = 1

    def to_json(self) -> dict[str, Any]:
        """Return the conversation as plain JSON."""
        return asdict(self)

    def remember(self, asked: str, said: str) -> tuple[Exchange, ...]:
        """Return what is remembered once this was said as well; the oldest is forgotten."""
        return (*self.past, Exchange(_short(asked), _short(said)))[-MOST_PAST:]


_READER = TypeAdapter(Conversation)


def from_json(content: str | Mapping[str, Any] | None) -> Conversation:
    """Read a conversation; nothing gives a new one, and what is none is one clear error."""
    if not content:
        return Conversation()
    if isinstance(content, str):
        if len(content) > limits.MAX_CONVERSATION:
            raise BadConversation(f"a conversation has at most {limits.MAX_CONVERSATION:,} characters; begin a new one")
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            raise BadConversation("the conversation is no JSON; give back what you were given, or begin anew") from None
    if not isinstance(content, Mapping):
        raise BadConversation("the conversation is no JSON object; give back what you were given, or begin anew")
    if content.get("version") != VERSION:
        raise BadConversation(f"the conversation is not of version {VERSION}; begin a new one")
    try:
        return _READER.validate_python(content)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, wrong["loc"]))[:60]
        raise BadConversation(f"the conversation cannot be read ({place}: {wrong['msg']}); begin a new one") from None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"
