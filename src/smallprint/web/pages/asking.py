"""A question on a policy, answered on a page of its own or, where scripts run, within the policy's page."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from smallprint.library.pool import Pool
from smallprint.processes.clients import finished
from smallprint.view.unusual import SILENCE
from smallprint.web.pages.finding import Found, seek
from smallprint.web.quotations import QUESTIONS, shown
from smallprint.web.rendering import VARY, page, wants_part
from smallprint.web.site import PoolHere, QuestionsHere
from smallprint.web.verdicts import about_answer

router = APIRouter(include_in_schema=False)


@router.api_route("/policy/{policy_id}/ask", methods=["GET", "HEAD"])
async def ask(
    request: Request, pool: PoolHere, questions: QuestionsHere, policy_id: str, question: str = "", version: str = "",
    thanks: bool = False,
) -> Response:  # fmt: skip
    """Answer a question; without one there is the form, and examples. `thanks` are for feedback on the answer."""
    inside = wants_part(request)
    answer = None
    found = await run_in_threadpool(_sought, request, pool, policy_id, version)
    if isinstance(found, Response):
        return found
    if question.strip():
        answer = await finished(questions.answer(found.entry, found.version, question), request.receive)
    said = await run_in_threadpool(
        page, request, "_answered.html" if inside else "ask.html", entry=found.entry, version=found.version,
        question=question, answer=shown(answer, inside=inside) if answer else None, questions=QUESTIONS,
        silence=SILENCE, inside=inside, about=about_answer(answer) if answer else None, thanks=thanks,
    )  # fmt: skip
    said.headers.update(VARY)
    return said


def _sought(request: Request, pool: Pool, policy_id: str, version: str) -> Found | Response:
    with pool.library() as library:
        return seek(request, library, policy_id, version, "/ask")
