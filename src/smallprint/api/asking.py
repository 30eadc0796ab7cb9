"""The endpoint that asks a policy a question: /ask."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from smallprint.api.endpoints import Marked, endpoint
from smallprint.api.parameters import Question, QuestionSent
from smallprint.api.site import DeskHere, PoolHere
from smallprint.ask.desk import Desk
from smallprint.library.pool import Pool
from smallprint.library.reading import find_policy
from smallprint.shelf.answers import PolicyAnswer, stored_answer
from smallprint.shelf.policies import version_of

router = APIRouter(tags=["ask"], route_class=Marked)


@endpoint(router, "/ask", 404)
def ask(asked: Annotated[Question, Query()], pool: PoolHere, desk: DeskHere) -> PolicyAnswer:
    """Ask a policy a question. The policy's own sentences with their places, what they come to, how sure that is."""
    return _answer(pool, desk, asked)


@endpoint(router, "/ask", 404, method="POST")
def ask_at_length(asked: QuestionSent, pool: PoolHere, desk: DeskHere) -> PolicyAnswer:
    """Ask a policy a long question. The same as with GET, for what is too long for an address."""
    return _answer(pool, desk, asked)


def _answer(pool: Pool, desk: Desk, asked: Question | QuestionSent) -> PolicyAnswer:
    with pool.library() as library:
        entry = find_policy(library, asked.policy)
        version = version_of(library, entry, asked.version)
        return stored_answer(desk, library, entry, version, asked.question, asked.passages)
