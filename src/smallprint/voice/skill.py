"""The skill: a checked request in, what Alexa says out. The session's attributes are all that it remembers."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from smallprint.ask.conversation import Conversation
from smallprint.errors import DamagedText, SmallprintError
from smallprint.shelf.replies import Reply
from smallprint.voice.intents import Heard, heard
from smallprint.voice.requests import VoiceRequest
from smallprint.voice.responses import silent, spoken
from smallprint.voice.sessions import Session, session_of
from smallprint.voice.telling import HEAR_MORE, portioned, told
from smallprint.voice.working import Works

Answered = tuple[Conversation, Reply]
Ask = Callable[[Conversation, str], Answered]
Tell = Callable[[VoiceRequest], None]

WELCOME = (
    "Welcome to Small Print.",
    "Ask what a privacy policy says, for example: does a company sell my data?",
    "What do you want to know?",
)
HELP = (
    "Name a company and ask what its policy says, or ask which policies do not share data with advertisers.",
    "Then go on with: what about my location, why, or more.",
    "What do you want to know?",
)
UNHEARD = (
    "I did not catch that.",
    "Begin with ask, does, what or which, and name the company.",
    "What do you want to know?",
)
STILL_READING = ("I am still reading.", "Ask me again in a moment, or say yes to wait for it.")
CANNOT_READ = ("I cannot read the library just now.", "Please try again in a while.")
DAMAGED = ("The stored text of that policy is damaged, so I do not read from it.", "Ask me about another policy.")
NOTHING_SAID = ("I have not said anything yet.", "What do you want to know?")
GOODBYE = ("Goodbye.",)
ANYTHING_ELSE = "Is there anything else that you want to know?"
GO_ON = "Say yes, or ask something else."
WHICH_ONE = "Say the first one or the second one, or ask something else."
# After so many seconds somebody wonders whether they were heard.
SILENCE = 2.5
_log = logging.getLogger("smallprint.voice")


@dataclass(frozen=True, slots=True)
class Skill:
    """Answers requests with an assistant's replies.

    `ask` gives the assistant's reply, `works` keeps what outlasts a request, `seconds` is how long one may take, and
    `tell`, if there is one, says in the meantime that the answer is on its way.
    """

    ask: Ask
    works: Works[Answered]
    seconds: float
    tell: Tell | None = None

    def answer(self, request: VoiceRequest, began: float | None = None) -> dict[str, Any]:
        """Give the response; `began` is when the request came, by the monotonic clock."""
        until = (time.monotonic() if began is None else began) + self.seconds
        if request.kind == "launch":
            return spoken(WELCOME, Session(said=WELCOME), reprompt=WELCOME[1])
        if request.kind != "intent":
            return silent()
        session, said = session_of(request.attributes), heard(request.intent, request.slots)
        if said.says == "end":
            return spoken(GOODBYE, session, ends=True)
        if said.says == "help":
            return _plain(HELP, session)
        if said.says == "unheard":
            return _plain(UNHEARD, session)
        if session.waiting and said.says in {"yes", "more", "again"}:
            return self._answered(request, session, session.waiting, until, resumes=True)
        if said.says == "again":
            return _plain(session.said or NOTHING_SAID, session)
        if session.untold and said.says in {"yes", "more"}:
            return _more(session)
        return self._answered(request, session, _words(said), until)

    def _answered(
        self, request: VoiceRequest, session: Session, words: str, until: float, *, resumes: bool = False
    ) -> dict[str, Any]:
        key = request.session_id or request.request_id
        if not resumes or not self.works.has(key):
            self.works.begin(key, lambda: self.ask(session.conversation, words))
        try:
            found = self._made(request, key, until)
        except SmallprintError as error:
            _log.error("smallprint: %s in an answer to a voice", type(error).__name__)
            words_for = DAMAGED if isinstance(error, DamagedText) else CANNOT_READ
            return _plain(words_for, replace(session, waiting=""))
        if found is None:
            waits = replace(session, waiting=words, untold=(), more=False)
            return spoken(STILL_READING, waits, reprompt=STILL_READING[1])
        return _replied(*found)

    def _made(self, request: VoiceRequest, key: str, until: float) -> Answered | None:
        """Wait for the answer, and after a while say that it is on its way."""
        if self.tell is not None and request.progress is not None:
            found = self.works.take(key, min(SILENCE, until - time.monotonic()))
            if found is not None:
                return found
            self.tell(request)
        return self.works.take(key, until - time.monotonic())


def _replied(conversation: Conversation, reply: Reply) -> dict[str, Any]:
    now = told(reply)
    session = Session(conversation, now.sentences, now.untold, now.more)
    return spoken(now.sentences, session, reprompt=_reprompt(reply, session), card=now.card, ends=reply.ends)


def _more(session: Session) -> dict[str, Any]:
    """Go on with what was left of an answer, before the assistant is asked for more."""
    now = portioned(session.untold, more=session.more)
    after = replace(session, said=now.sentences, untold=now.untold)
    return spoken(now.sentences, after, reprompt=GO_ON if now.sentences[-1] == HEAR_MORE else ANYTHING_ELSE)


def _plain(sentences: tuple[str, ...], session: Session) -> dict[str, Any]:
    return spoken(sentences, replace(session, said=sentences), reprompt=ANYTHING_ELSE)


def _reprompt(reply: Reply, session: Session) -> str:
    if reply.kind in {"clarify", "which"} and reply.options:
        return WHICH_ONE
    if reply.kind == "offer" or session.untold or session.more:
        return GO_ON
    return ANYTHING_ELSE


def _words(said: Heard) -> str:
    """Give what the assistant is told; it has words of its own for each kind."""
    return {"ask": said.text, "more": "more", "yes": "yes", "no": "no", "anew": "start over"}[said.says]
