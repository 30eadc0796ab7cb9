"""What Alexa is told to do, as the JSON that it takes."""

from __future__ import annotations

from typing import Any

from smallprint.voice.sessions import Session
from smallprint.voice.speech import ssml
from smallprint.voice.telling import Card

VERSION = "1.0"


def spoken(
    sentences: tuple[str, ...], session: Session, *, reprompt: str = "", card: Card | None = None, ends: bool = False
) -> dict[str, Any]:
    """Say something; with a reprompt, listen for what is said next."""
    response: dict[str, Any] = {
        "outputSpeech": {"type": "SSML", "ssml": ssml(sentences), "playBehavior": "REPLACE_ENQUEUED"},
        "shouldEndSession": ends,
    }
    if reprompt and not ends:
        response["reprompt"] = {"outputSpeech": {"type": "SSML", "ssml": ssml((reprompt,))}}
    if card is not None:
        response["card"] = {"type": "Simple", "title": card.title, "content": card.text}
    return {"version": VERSION, "sessionAttributes": {} if ends else session.to_json(), "response": response}


def silent() -> dict[str, Any]:
    """Say nothing: a session that has ended takes no speech."""
    return {"version": VERSION, "response": {}}
