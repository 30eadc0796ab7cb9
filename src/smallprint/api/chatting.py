"""The endpoint that talks: /chat. The conversation comes and goes with each turn; nothing of it is kept here."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter

from smallprint.api.answers import TurnAnswered
from smallprint.api.endpoints import endpoint
from smallprint.api.parameters import Turn
from smallprint.api.site import AssistantHere, PoolHere
from smallprint.ask.conversation import from_json
from smallprint.library.reading import find_policy

router = APIRouter(tags=["ask"])


@endpoint(router, "/chat", 404, method="POST")
def chat(turn: Turn, pool: PoolHere, assistant: AssistantHere) -> TurnAnswered:
    """Go on with a conversation, or begin one. The reply with its citations, and where the conversation stands."""
    was = from_json(turn.conversation.model_dump() if turn.conversation else None)
    with pool.library() as library:
        if turn.policy:
            was = replace(was, policy_id=find_policy(library, turn.policy).policy_id)
        now, reply = assistant.reply(library, was, turn.said)
    return TurnAnswered(reply, now.to_json())
