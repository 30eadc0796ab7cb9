"""What Alexa sends, as a record; and what can be said to the skill: intents with phrases, made into sentences again.

Alexa hears free words only after words that are fixed, and hands over the free ones alone ("does {question}" gives
"kitegram sell my data"). So every beginning of a question is an intent of its own, and is put back before its words.
https://developer.amazon.com/en-US/docs/alexa/custom-skills/request-and-response-json-reference.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import AliasPath, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from smallprint import limits
from smallprint.errors import BadSetting, NotFromAlexa

Kind = Literal["ask", "more", "yes", "no", "again", "anew", "help", "unheard", "end"]
SLOT = "question"


# Beginnings of a question: the words that are put back, and the phrases that are heard.
CARRIERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "AskIntent": ("", ("ask", "tell me", "find", "find out", "search for", "my question is")),
    "WhetherIntent": ("", ("ask whether", "ask if", "tell me whether", "tell me if", "find out whether")),
    "DoesIntent": ("does", ("does", "ask does")),
    "DoIntent": ("do", ("do", "ask do")),
    "IsIntent": ("is", ("is",)),
    "AreIntent": ("are", ("are",)),
    "CanIntent": ("can", ("can", "could", "may")),
    "WillIntent": ("will", ("will", "would")),
    "HasIntent": ("has", ("has",)),
    "HaveIntent": ("have", ("have",)),
    "WhatIntent": ("what", ("what", "ask what", "tell me what")),
    "WhichIntent": ("which", ("which", "ask which", "find which")),
    "WhoIntent": ("who", ("who", "ask who", "tell me who")),
    "WhyIntent": ("why", ("why", "ask why", "tell me why")),
    "WhereIntent": ("where", ("where", "ask where", "tell me where")),
    "WhenIntent": ("when", ("when", "ask when", "tell me when")),
    "HowIntent": ("how", ("how", "ask how", "tell me how")),
    "CompareIntent": ("compare", ("compare",)),
    "AboutIntent": ("what about", ("what about", "how about", "tell me about")),
    "AndIntent": ("and", ("and",)),
    "MeanIntent": ("I mean", ("i mean", "i meant", "no i meant", "the policy of", "the one of")),
}
# Whole phrases, and what is said to the assistant for them.
PHRASES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "MoreIntent": ("more", ("more", "tell me more", "go on", "continue", "what else", "read on", "say more")),
    "FirstIntent": ("the first one", ("the first", "the first one", "first", "number one", "option one")),
    "SecondIntent": ("the second one", ("the second", "the second one", "second", "number two", "option two")),
    "ThirdIntent": ("the third one", ("the third", "the third one", "third", "number three", "option three")),
    "WhyAloneIntent": ("why?", ("why", "why is that", "what for")),
    "WhoElseIntent": ("who else?", ("who else", "anybody else", "anyone else")),
    "VagueIntent": ("What is it vague about?", ("what is it vague about", "where is it vague", "is it vague")),
    "SurpriseIntent": (
        "Is there anything surprising in it?",
        ("is there anything surprising", "is there anything surprising in it", "what is surprising", "any surprises"),
    ),
}
BUILT_IN: Mapping[str, Kind] = {
    "AMAZON.YesIntent": "yes",
    "AMAZON.NoIntent": "no",
    "AMAZON.RepeatIntent": "again",
    "AMAZON.StartOverIntent": "anew",
    "AMAZON.HelpIntent": "help",
    "AMAZON.FallbackIntent": "unheard",
    "AMAZON.StopIntent": "end",
    "AMAZON.CancelIntent": "end",
    "AMAZON.NavigateHomeIntent": "end",
}
# Devices with a screen send the first two although they are not in the model.
ALSO: Mapping[str, Kind] = {"AMAZON.MoreIntent": "more", "AMAZON.NextIntent": "more", "MoreIntent": "more"}


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was said: its kind, and the words for the assistant."""

    kind: Kind
    text: str = ""


def utterance_of(intent: str, question: str) -> Utterance:
    """Return what was said; an intent that is not ours, or a question without words, was not understood."""
    if intent in CARRIERS:
        words = " ".join(question.split())
        return Utterance("ask", f"{CARRIERS[intent][0]} {words}".strip()) if words else Utterance("unheard")
    if intent in PHRASES and intent != "MoreIntent":
        return Utterance("ask", PHRASES[intent][0])
    kind = BUILT_IN.get(intent) or ALSO.get(intent, "unheard")
    return Utterance(kind, "start over" if kind == "anew" else kind)


LOCALES = ("en-US", "en-GB")
INVOCATION = "small print"
# Phrases of one country only.
_LOCAL = {
    "en-US": {"AskIntent": ("look up",), "MoreIntent": ("keep going",)},
    "en-GB": {"AskIntent": ("have a look for",), "MoreIntent": ("carry on",)},
}


def interaction_model(locale: str) -> dict[str, Any]:
    """Return the model to upload."""
    if locale not in LOCALES:
        raise BadSetting(f"there is no skill in the language {locale!r}; choose {' or '.join(LOCALES)}")
    intents: list[dict[str, Any]] = [{"name": name, "samples": []} for name in BUILT_IN]
    for name, (_, phrases) in (*PHRASES.items(), *CARRIERS.items()):
        slots = [{"name": SLOT, "type": "AMAZON.SearchQuery"}] if name in CARRIERS else []
        free = f" {{{SLOT}}}" if slots else ""
        samples = [f"{phrase}{free}" for phrase in (*phrases, *_LOCAL[locale].get(name, ()))]
        intents.append({"name": name, "slots": slots, "samples": samples})
    model = {"invocationName": INVOCATION, "intents": intents, "types": []}
    return {"interactionModel": {"languageModel": model}}


RequestKind = Literal["launch", "intent", "ended", "other"]
_KINDS: Mapping[str, RequestKind] = {
    "LaunchRequest": "launch",
    "IntentRequest": "intent",
    "SessionEndedRequest": "ended",
}


def _at(*path: str, default: Any = "", longest: int | None = 1_000, **more: Any) -> Any:
    return Field(default, max_length=longest, validation_alias=AliasPath(*path), **more)


class VoiceRequest(BaseModel):
    """A request; `question` is the free words of it, `attributes` what the skill gave the session to keep."""

    model_config = ConfigDict(strict=True, frozen=True)

    type: str = _at("request", "type")
    request_id: str = _at("request", "requestId", default=..., min_length=1)
    timestamp: datetime = _at("request", "timestamp", default=..., longest=None, strict=False)
    intent: str = _at("request", "intent", "name")
    question: str = _at("request", "intent", "slots", SLOT, "value", longest=limits.MAX_SLOT)
    session_id: str = _at("session", "sessionId")
    session_skill_id: str = _at("session", "application", "applicationId")
    attributes: dict[str, Any] = _at("session", "attributes", default={}, longest=None)
    system_skill_id: str = _at("context", "System", "application", "applicationId")
    endpoint: str = _at("context", "System", "apiEndpoint")
    token: str = _at("context", "System", "apiAccessToken", longest=limits.MAX_SLOT)

    @field_validator("*", mode="before")
    @classmethod
    def _without_nulls(cls, value: Any, info: ValidationInfo) -> Any:
        """Let what is null count as left out."""
        return cls.model_fields[info.field_name or ""].default if value is None else value

    @field_validator("timestamp")
    @classmethod
    def _in_utc(cls, timestamp: datetime) -> datetime:
        return timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)

    @property
    def kind(self) -> RequestKind:
        """What is asked for."""
        return _KINDS.get(self.type, "other")

    @property
    def skill_id(self) -> str:
        """The skill it is for. What is not part of a session has the skill's id under the system alone."""
        return self.session_skill_id or self.system_skill_id

    @property
    def allows_progress(self) -> bool:
        """Whether Alexa lets the skill speak before it answers: it says where to, and with which token."""
        return bool(self.endpoint and self.token and self.token.isascii() and self.token.isprintable())


def read_request(body: bytes) -> VoiceRequest:
    """Read a request's body."""
    try:
        request = VoiceRequest.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise NotFromAlexa(f"the request cannot be read ({f'{place}: ' if place else ''}{first['msg']})") from None
    if request.kind == "intent" and not request.intent:
        raise NotFromAlexa("the request names no intent")
    if len({request.session_skill_id, request.system_skill_id} - {""}) != 1:
        raise NotFromAlexa("the request does not say for which skill it is")
    return request
