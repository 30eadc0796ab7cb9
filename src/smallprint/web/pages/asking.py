"""A question on a policy, answered on a page of its own or, where scripts run, within the policy's page."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from smallprint.shelf.answers import stored_answer
from smallprint.view.unusual import SILENCE
from smallprint.web.pages.finding import seek
from smallprint.web.quotations import QUESTIONS, shown
from smallprint.web.rendering import VARY, page, wants_part
from smallprint.web.site import DeskHere, PoolHere
from smallprint.web.verdicts import about_answer

router = APIRouter(include_in_schema=False)


@router.api_route("/policy/{policy_id}/ask", methods=["GET", "HEAD"])
def ask(
    request: Request, pool: PoolHere, desk: DeskHere, policy_id: str, question: str = "", version: str = "",
    thanks: bool = False,
) -> Response:  # fmt: skip
    """Answer a question; without one there is the form, and examples. `thanks` are for feedback on the answer."""
    inside = wants_part(request)
    answer = None
    with pool.library() as library:
        found = seek(request, library, policy_id, version, "/ask")
        if isinstance(found, Response):
            return found
        if question.strip():
            answer = stored_answer(desk, library, found.entry, found.version, question)
    said = page(
        request, "_answered.html" if inside else "ask.html", entry=found.entry, version=found.version,
        question=question, answer=shown(answer, inside=inside) if answer else None, questions=QUESTIONS,
        silence=SILENCE, inside=inside, about=about_answer(answer) if answer else None, thanks=thanks,
    )  # fmt: skip
    said.headers.update(VARY)
    return said
