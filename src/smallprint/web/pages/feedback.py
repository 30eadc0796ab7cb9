"""What readers say of an answer: right, wrong, or that something is missing. It is kept in the library."""

from __future__ import annotations

from contextlib import suppress

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from smallprint import limits
from smallprint.ask.conversation import from_json
from smallprint.errors import BadConversation
from smallprint.library.feedback import give
from smallprint.web.access import WriterHere
from smallprint.web.addresses import ask_path
from smallprint.web.forms import FormHere
from smallprint.web.pages.conversation import resumed
from smallprint.web.rendering import page, wants_part
from smallprint.web.site import PoolHere
from smallprint.web.verdicts import verdict_of

router = APIRouter(include_in_schema=False)


@router.post("/feedback")
def judge(request: Request, fields: FormHere, pool: PoolHere, _: WriterHere) -> Response:
    """Keep a verdict on an answer, and lead back to where it was given."""
    said = verdict_of(fields)
    with pool.library() as library:
        give(library, said)
    if wants_part(request):
        return page(request, "_thanks.html")
    if fields.get("conversation"):
        with suppress(BadConversation):
            return resumed(request, from_json(fields["conversation"]))
    if said.policy_id and said.version_id and len(said.question) <= limits.MAX_FORM_QUESTION:
        # An address of its own, so that the form is not sent again when the page is.
        return RedirectResponse(f"{ask_path(said.policy_id, said.version_id, said.question)}&thanks=1", 303)
    return RedirectResponse("/ask", 303)
