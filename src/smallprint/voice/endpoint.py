"""The endpoint that Alexa calls: /alexa. What it did not sign, just now and for this skill, is refused with 400."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from smallprint.ask.conversation import Conversation
from smallprint.errors import BadSetting, NotFromAlexa
from smallprint.settings import Settings
from smallprint.shelf.questions import Questions
from smallprint.voice import network
from smallprint.voice.certificates import Certificates, utc_now
from smallprint.voice.checks import Seen, check_skill, check_time
from smallprint.voice.progress import Send, tell_progress
from smallprint.voice.requests import VoiceRequest, read_request
from smallprint.voice.skill import Answered, Skill
from smallprint.voice.working import Works

PATH = "/alexa"
CHAIN, SIGNATURE = "SignatureCertChainUrl", "Signature-256"
PROBLEM = "application/problem+json"
SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Gate:
    """Lets through what Alexa has just sent for one skill, once."""

    skill_id: str
    certificates: Certificates
    clock: Callable[[], datetime] = utc_now
    seen: Seen = field(default_factory=Seen)

    def passed(self, body: bytes, chain: str, signature: str) -> VoiceRequest:
        """Read a request and check it, what is cheap to check first; NotFromAlexa says what is wrong with it."""
        if not chain or not signature:
            raise NotFromAlexa("the request is not signed")
        request = read_request(body)
        check_skill(request, self.skill_id)
        check_time(request, self.clock())
        self.certificates.check(chain, signature, body)
        self.seen.check(request, self.clock())
        return request


class Endpoint:
    """Answers what the gate lets through, with the assistant of the app that it is part of."""

    def __init__(self, settings: Settings, gate: Gate, send: Send) -> None:
        self._gate = gate
        # An answer that is late for the site itself would be given up.
        self._seconds = min(settings.alexa_seconds, SHARE * (settings.serve_seconds or math.inf))
        self._tell = (lambda request: tell_progress(request, send)) if settings.alexa_progress else None
        self._works: Works[Answered] = Works()

    def answer(self, questions: Questions, body: bytes, chain: str, signature: str) -> Response:
        """Answer a request by asking the library of the app."""
        began = time.monotonic()
        try:
            request = self._gate.passed(body, chain, signature)
        except NotFromAlexa as error:
            problem = {"status": 400, "title": "Not from Alexa", "detail": str(error)}
            return JSONResponse(problem, 400, media_type=PROBLEM)
        return JSONResponse(self._skill(questions).answer(request, began))

    def _skill(self, questions: Questions) -> Skill:
        def ask(conversation: Conversation, words: str) -> Answered:
            return questions.reply(conversation, words).result()

        return Skill(ask, self._works, self._seconds, self._tell)


def alexa_router(settings: Settings, gate: Gate | None = None, send: Send = network.send) -> APIRouter:
    """Make the endpoint; BadSetting where no skill is named."""
    skill_id = settings.alexa_skill_id.strip()
    if not skill_id:
        raise BadSetting(
            "no skill is named that may call; set alexa_skill_id (SMALLPRINT_ALEXA_SKILL_ID) to the id that the Alexa "
            "developer console shows"
        )
    endpoint = Endpoint(settings, gate or Gate(skill_id, Certificates(network.fetch)), send)
    router = APIRouter()

    @router.post(PATH, include_in_schema=False)
    async def alexa(request: Request) -> Response:
        chain, signature = request.headers.get(CHAIN, ""), request.headers.get(SIGNATURE, "")
        return await run_in_threadpool(
            endpoint.answer, request.app.state.questions, await request.body(), chain, signature
        )

    return router
