"""The skill: a checked request in, what Alexa says out. Its only memory is the session's attributes."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from smallprint.errors import BadConversation, DamagedText, SmallprintError
from smallprint.shelf.records import Conversation, Reply, from_json
from smallprint.voice.requests import VoiceRequest, utterance_of
from smallprint.voice.speech import HEAR_MORE, MOST_SENTENCES, MOST_UNTOLD, Card, first_portion, portion_of, ssml

LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class Session:
    """Where a session stands: what was `said` last, what is `untold` of an answer, the question that is `waiting`."""

    conversation: Conversation = field(default_factory=Conversation)
    said: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()
    more: bool = False
    waiting: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the attributes."""
        return {**asdict(self), "conversation": self.conversation.to_json()}


def session_of(attributes: Mapping[str, Any]) -> Session:
    """Read the attributes; a session of another version of ours, or of nobody's, starts over."""
    known = attributes.get("conversation")
    try:
        conversation = from_json(known if isinstance(known, Mapping) else None)
    except BadConversation:
        return Session()
    said, untold = _texts(attributes.get("said")), _texts(attributes.get("untold"))
    waiting = "".join(_texts([attributes.get("waiting")]))
    return Session(conversation, said[:MOST_SENTENCES], untold[:MOST_UNTOLD], attributes.get("more") is True, waiting)


def _texts(value: Any) -> tuple[str, ...]:
    """Return what of a list are texts, none of them endless."""
    return tuple(text[:LONGEST] for text in value if isinstance(text, str)) if isinstance(value, list) else ()


# Answering takes only the processor: more at once would each be slower.
WORKERS = 2
# Results that nobody came back for are forgotten, the oldest first.
MOST_KEPT = 64

Answered = tuple[Conversation, Reply]
Ask = Callable[[Conversation, str], Answered]
Tell = Callable[[VoiceRequest], None]


class Works:
    """Answers that are being made by a key, such as a session's id; a new one replaces the one before."""

    def __init__(self, workers: int = WORKERS, most: int = MOST_KEPT) -> None:
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="smallprint-voice")
        self._most = most
        self._lock = threading.Lock()
        self._begun: OrderedDict[str, Future[Answered]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._begun)

    def begin(self, key: str, work: Callable[[], Answered]) -> None:
        """Begin a piece of work; one that still waits for its turn may be dropped for it."""
        future = self._executor.submit(work)
        with self._lock:
            dropped = [self._begun.pop(key, None)]
            self._begun[key] = future
            while len(self._begun) > self._most:
                dropped.append(self._begun.popitem(last=False)[1])
        for work_dropped in filter(None, dropped):
            work_dropped.cancel()

    def has(self, key: str) -> bool:
        """Return whether there is work that nobody has taken yet."""
        with self._lock:
            return key in self._begun

    def take(self, key: str, seconds: float) -> Answered | None:
        """Wait for a result; None if it takes longer, and it can be waited for again. Its errors are raised."""
        with self._lock:
            future = self._begun[key]
        wait([future], timeout=max(0.0, seconds))
        if not future.done():
            return None
        with self._lock:
            if self._begun.get(key) is future:
                del self._begun[key]
        return future.result()


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
CANNOT_READ = ("I cannot read the library right now.", "Please try again later.")
DAMAGED = ("The stored text of that policy is damaged, so I cannot read from it.", "Ask me about another policy.")
NOTHING_SAID = ("I have not said anything yet.", "What do you want to know?")
GOODBYE = ("Goodbye.",)
ANYTHING_ELSE = "Is there anything else you want to know?"
GO_ON = "Say yes, or ask something else."
WHICH_ONE = "Say the first one or the second one, or ask something else."
# After this many seconds people wonder whether they were heard.
SILENCE = 2.5
VERSION = "1.0"
_log = logging.getLogger("smallprint.voice")


@dataclass(frozen=True, slots=True)
class Skill:
    """Answers requests by what `ask` replies within `seconds`; `tell` says meanwhile that the answer is on its way."""

    ask: Ask
    works: Works
    seconds: float
    tell: Tell | None = None

    def answer(self, request: VoiceRequest, began: float | None = None) -> dict[str, Any]:
        """Return the response; `began` is when the request came, by the monotonic clock."""
        until = (time.monotonic() if began is None else began) + self.seconds
        if request.kind == "launch":
            return response_of(WELCOME, Session(said=WELCOME), reprompt=WELCOME[1])
        if request.kind != "intent":
            return {"version": VERSION, "response": {}}  # a session that has ended takes no speech
        session, utterance = session_of(request.attributes), utterance_of(request.intent, request.question)
        if utterance.kind == "end":
            return response_of(GOODBYE, session, ends=True)
        if utterance.kind in {"help", "unheard"}:
            return _plain(HELP if utterance.kind == "help" else UNHEARD, session)
        if session.waiting and utterance.kind in {"yes", "more", "again"}:
            return self._answered(request, session, session.waiting, until, resumes=True)
        if utterance.kind == "again":
            return _plain(session.said or NOTHING_SAID, session)
        if session.untold and utterance.kind in {"yes", "more"}:
            return _more(session)
        return self._answered(request, session, utterance.text, until)

    def _answered(
        self, request: VoiceRequest, session: Session, words: str, until: float, *, resumes: bool = False
    ) -> dict[str, Any]:
        key = request.session_id or request.request_id
        if not resumes or not self.works.has(key):
            self.works.begin(key, lambda: self.ask(session.conversation, words))
        try:
            answered = self._wait(request, key, until)
        except SmallprintError as error:
            _log.error("smallprint: %s in an answer to a voice", type(error).__name__)
            sentences = DAMAGED if isinstance(error, DamagedText) else CANNOT_READ
            return _plain(sentences, replace(session, waiting=""))
        if answered is None:
            waits = replace(session, waiting=words, untold=(), more=False)
            return response_of(STILL_READING, waits, reprompt=STILL_READING[1])
        conversation, reply = answered
        now = portion_of(reply)
        session = Session(conversation, now.sentences, now.untold, now.more)
        return response_of(now.sentences, session, reprompt=_reprompt(reply, session), card=now.card, ends=reply.ends)

    def _wait(self, request: VoiceRequest, key: str, until: float) -> Answered | None:
        """Wait for the answer; after a while, say that it is on its way."""
        if self.tell is not None and request.allows_progress:
            answered = self.works.take(key, min(SILENCE, until - time.monotonic()))
            if answered is not None:
                return answered
            self.tell(request)
        return self.works.take(key, until - time.monotonic())


def _more(session: Session) -> dict[str, Any]:
    """Continue with the rest of an answer, before the assistant is asked for more."""
    now = first_portion(session.untold, more=session.more)
    after = replace(session, said=now.sentences, untold=now.untold)
    return response_of(now.sentences, after, reprompt=GO_ON if now.sentences[-1] == HEAR_MORE else ANYTHING_ELSE)


def _plain(sentences: tuple[str, ...], session: Session) -> dict[str, Any]:
    return response_of(sentences, replace(session, said=sentences), reprompt=ANYTHING_ELSE)


def _reprompt(reply: Reply, session: Session) -> str:
    if reply.kind in {"clarify", "which"} and reply.options:
        return WHICH_ONE
    if reply.kind == "offer" or session.untold or session.more:
        return GO_ON
    return ANYTHING_ELSE


def response_of(
    sentences: tuple[str, ...], session: Session, *, reprompt: str = "", card: Card | None = None, ends: bool = False
) -> dict[str, Any]:
    """Return the JSON that makes Alexa speak; with a reprompt it listens for what is said next."""
    response: dict[str, Any] = {
        "outputSpeech": {"type": "SSML", "ssml": ssml(sentences), "playBehavior": "REPLACE_ENQUEUED"},
        "shouldEndSession": ends,
    }
    if reprompt and not ends:
        response["reprompt"] = {"outputSpeech": {"type": "SSML", "ssml": ssml((reprompt,))}}
    if card is not None:
        response["card"] = {"type": "Simple", "title": card.title, "content": card.text}
    return {"version": VERSION, "sessionAttributes": {} if ends else session.to_json(), "response": response}
