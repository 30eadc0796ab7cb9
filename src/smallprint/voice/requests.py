"""What Alexa sends, as a record: JSON in, the parts that count out, or one clear refusal.

https://developer.amazon.com/en-US/docs/alexa/custom-skills/request-and-response-json-reference.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from smallprint import limits
from smallprint.errors import NotFromAlexa

Kind = Literal["launch", "intent", "ended", "other"]
_KINDS: Mapping[str, Kind] = {"LaunchRequest": "launch", "IntentRequest": "intent", "SessionEndedRequest": "ended"}
LONGEST_ID = 1_000


@dataclass(frozen=True, slots=True)
class Progress:
    """Where and with which token Alexa lets a skill speak before it answers."""

    endpoint: str
    token: str


@dataclass(frozen=True, slots=True)
class VoiceRequest:
    """A request; `slots` are the words by the slot's name, `attributes` what the skill gave the session to keep."""

    kind: Kind
    request_id: str
    skill_id: str
    timestamp: datetime
    session_id: str = ""
    intent: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    progress: Progress | None = None


def read_request(body: bytes) -> VoiceRequest:
    """Read a request's body."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise NotFromAlexa("the request is no JSON") from None
    session, context = _part(given, "session"), _part(given, "context")
    request = _part(given, "request")
    system = _part(context, "System")
    kind = _KINDS.get(_text(request, "type"), "other")
    intent = _part(request, "intent")
    if kind == "intent" and not _text(intent, "name"):
        raise NotFromAlexa("the request names no intent")
    return VoiceRequest(
        kind,
        _needed(request, "requestId"),
        _skill(session, system),
        _time(_needed(request, "timestamp")),
        _text(session, "sessionId"),
        _text(intent, "name"),
        {name: _text(slot, "value", limits.MAX_SLOT) for name, slot in _slots(intent).items()},
        _part(session, "attributes"),
        _progress(system),
    )


def _skill(session: Mapping[str, Any], system: Mapping[str, Any]) -> str:
    """Give the skill's id; what is not of a session has it under the system alone."""
    named = {_text(_part(where, "application"), "applicationId") for where in (session, system)} - {""}
    if len(named) != 1:
        raise NotFromAlexa("the request does not say for which skill it is")
    return named.pop()


def _progress(system: Mapping[str, Any]) -> Progress | None:
    endpoint, token = _text(system, "apiEndpoint"), _text(system, "apiAccessToken", limits.MAX_SLOT)
    return Progress(endpoint, token) if endpoint and token and token.isascii() and token.isprintable() else None


def _slots(intent: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    slots = _part(intent, "slots")
    return {name: slot for name, slot in slots.items() if isinstance(slot, Mapping)}


def _time(given: str) -> datetime:
    try:
        found = datetime.fromisoformat(given)
    except ValueError:
        raise NotFromAlexa("the request's timestamp cannot be read") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _part(given: Any, key: str) -> Mapping[str, Any]:
    """Give a part that may be left out or null."""
    if not isinstance(given, Mapping):
        raise NotFromAlexa("the request is no JSON object")
    value = given.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise NotFromAlexa(f"the request's {key!r} is no object")
    return value


def _text(given: Mapping[str, Any], key: str, most: int = LONGEST_ID) -> str:
    value = given.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > most:
        raise NotFromAlexa(f"the request's {key!r} is no text of at most {most:,} characters")
    return value


def _needed(given: Mapping[str, Any], key: str) -> str:
    value = _text(given, key)
    if not value:
        raise NotFromAlexa(f"the request has no {key!r}")
    return value
