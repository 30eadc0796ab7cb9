"""What a session remembers between two requests, in the attributes that Alexa carries back and forth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from smallprint.ask.conversation import Conversation, from_json
from smallprint.errors import BadConversation
from smallprint.voice.telling import MOST_SENTENCES, MOST_UNTOLD

LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class Session:
    """Where a session stands.

    `said` are the last sentences, for who asks to hear them again; `untold` what was left of an answer, and `more`
    whether the assistant has more besides; `waiting` a question that is still being read for.
    """

    conversation: Conversation = field(default_factory=Conversation)
    said: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()
    more: bool = False
    waiting: str = ""

    def to_json(self) -> dict[str, Any]:
        """Give the attributes."""
        return {
            "conversation": self.conversation.to_json(),
            "said": list(self.said),
            "untold": list(self.untold),
            "more": self.more,
            "waiting": self.waiting,
        }


def session_of(attributes: Mapping[str, Any]) -> Session:
    """Read the attributes; those of another version of ours, or of nobody's, begin anew."""
    given = attributes.get("conversation")
    try:
        conversation = from_json(given if isinstance(given, Mapping) else None)
    except BadConversation:
        return Session()
    waiting = attributes.get("waiting")
    return Session(
        conversation,
        _texts(attributes, "said", MOST_SENTENCES),
        _texts(attributes, "untold", MOST_UNTOLD),
        attributes.get("more") is True,
        waiting[:LONGEST] if isinstance(waiting, str) else "",
    )


def _texts(attributes: Mapping[str, Any], key: str, most: int) -> tuple[str, ...]:
    value = attributes.get(key)
    if not isinstance(value, list):
        return ()
    return tuple(one[:LONGEST] for one in value[:most] if isinstance(one, str))
