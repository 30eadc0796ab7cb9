"""The endpoint that talks: /chat. The conversation comes and goes with each turn; nothing of it is kept here."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

from smallprint.api.answers import TurnAnswered
from smallprint.api.endpoints import endpoint
from smallprint.api.parameters import Turn
from smallprint.api.site import PoolHere, QuestionsHere
from smallprint.ask.conversation import from_json
from smallprint.library.pool import Pool
from smallprint.library.reading import find_policy

router = APIRouter(tags=["ask"])


@endpoint(router, "/chat", 404, method="POST")
async def chat(request: Request, turn: Turn, pool: PoolHere, questions: QuestionsHere) -> TurnAnswered:
    """Go on with a conversation, or begin one. The reply with its citations, and where the conversation stands."""
    was = from_json(turn.conversation.model_dump() if turn.conversation else None)
    if turn.policy:
        was = replace(was, policy_id=await run_in_threadpool(_policy_id, pool, turn.policy))
    now, reply = await questions.turn(was, turn.said, request.receive)
    return TurnAnswered(reply, now.to_json())


def _policy_id(pool: Pool, policy: str) -> str:
    with pool.library() as library:
        return find_policy(library, policy).policy_id
