"""The endpoint that asks a policy a question: /ask."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool

from smallprint.api.endpoints import Marked, endpoint
from smallprint.api.parameters import Question, QuestionSent
from smallprint.api.site import PoolHere, QuestionsHere
from smallprint.library.pool import Pool
from smallprint.library.reading import PolicyEntry, VersionEntry, find_policy
from smallprint.processes.clients import finished
from smallprint.shelf.answers import PolicyAnswer
from smallprint.shelf.policies import version_of
from smallprint.shelf.questions import Questions

router = APIRouter(tags=["ask"], route_class=Marked)


@endpoint(router, "/ask", 404)
async def ask(
    request: Request, asked: Annotated[Question, Query()], pool: PoolHere, questions: QuestionsHere
) -> PolicyAnswer:
    """Ask a policy a question. The policy's own sentences with their places, what they come to, how sure that is."""
    return await _answer(request, pool, questions, asked)


@endpoint(router, "/ask", 404, method="POST")
async def ask_at_length(
    request: Request, asked: QuestionSent, pool: PoolHere, questions: QuestionsHere
) -> PolicyAnswer:
    """Ask a policy a long question. The same as with GET, for what is too long for an address."""
    return await _answer(request, pool, questions, asked)


async def _answer(request: Request, pool: Pool, questions: Questions, asked: Question | QuestionSent) -> PolicyAnswer:
    entry, version = await run_in_threadpool(_meant, pool, asked.policy, asked.version)
    return await finished(questions.answer(entry, version, asked.question, asked.passages), request.receive)


def _meant(pool: Pool, policy: str, version: str | None) -> tuple[PolicyEntry, VersionEntry]:
    with pool.library() as library:
        entry = find_policy(library, policy)
        return entry, version_of(library, entry, version)
