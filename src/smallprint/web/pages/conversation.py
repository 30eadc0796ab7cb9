"""A conversation over the library, which the form carries; nothing is kept of it but what readers say of an answer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response

from smallprint import limits
from smallprint.addresses import ASK, FEEDBACK, ask_path
from smallprint.errors import BadConversation
from smallprint.server.access import WriterHere
from smallprint.server.dependencies import FormHere, QuestionsHere, ShelfHere
from smallprint.server.failures import sentence
from smallprint.shelf import Shelf
from smallprint.shelf.questions import Questions
from smallprint.shelf.records import OF_LIBRARY, OF_POLICY, Conversation, PolicyEntry, Reply, from_json
from smallprint.web.present.answers import QUESTIONS, again, carried, read_feedback, turn
from smallprint.web.rendering import page, wants_part

router = APIRouter(include_in_schema=False)

_BARE = {
    "entry": None, "past": (), "turn": None, "reply": None, "typed": "", "examples": (), "is_empty": False,
    "thanks": False,
}  # fmt: skip


@router.api_route(ASK, methods=["GET", "HEAD"])
async def begin(
    request: Request, shelf: ShelfHere, questions: QuestionsHere, q: str = "", policy: str = ""
) -> Response:
    """Begin a conversation, on a policy if the address names one, and with a question if it has one."""
    entry = await run_in_threadpool(shelf.find, policy) if policy else None
    now = Conversation(policy_id=entry.policy_id if entry else "")
    if q.strip():
        return await _answer(request, questions, now, q.strip())
    return await run_in_threadpool(_begin, request, shelf, now, entry)


def _begin(request: Request, shelf: Shelf, now: Conversation, entry: PolicyEntry | None) -> Response:
    known = "" if entry else shelf.best_known()
    named = (f"Does {known} sell my data?", f"What is {known} vague about?") if known else ()
    questions = (*QUESTIONS[:3], *OF_POLICY) if entry else (*named, *OF_LIBRARY)
    examples = [(question, again(question, now.policy_id)) for question in questions]
    return _page(request, now, entry=entry, examples=examples, is_empty=not entry and not known)


@router.post(ASK)
async def go_on(request: Request, fields: FormHere, questions: QuestionsHere) -> Response:
    """Answer what is said next, in a conversation that the form carries; what is no conversation is begun anew."""
    said = (fields.get("choice") or fields.get("said", "")).strip()
    try:
        was = from_json(fields.get("conversation"))
    except BadConversation as error:
        return _refuse(request, Conversation(), f"{sentence(error)} This is a new one.", said)
    # An option is chosen by its number, and remembered by its words.
    options = was.pending.options if was.pending else ()
    labels = {str(number): option.label for number, option in enumerate(options, 1)}
    return await _answer(request, questions, was, said, labels.get(fields.get("choice", ""), ""))


@router.post(FEEDBACK)
def judge(request: Request, fields: FormHere, shelf: ShelfHere, _: WriterHere) -> Response:
    """Keep a verdict on an answer, and lead back to where it was given."""
    feedback = read_feedback(fields)
    shelf.give_feedback(feedback)
    if wants_part(request):
        return page(request, "_thanks.html")
    if fields.get("conversation"):
        with suppress(BadConversation):
            now = from_json(fields["conversation"])
            return _page(request, now, past=now.past, thanks=True)
    if feedback.policy_id and feedback.version_id and len(feedback.question) <= limits.MAX_FORM_QUESTION:
        # An address of its own, so that the form is not sent again when the page is.
        path = ask_path(feedback.policy_id, feedback.version_id, feedback.question)
        return RedirectResponse(f"{path}&thanks=1", 303)
    return RedirectResponse(ASK, 303)


async def _answer(
    request: Request, questions: Questions, was: Conversation, said: str, label: str = ""
) -> HTMLResponse:
    if len(said) > limits.MAX_FORM_QUESTION:
        words = f"Ask in at most {limits.MAX_FORM_QUESTION} characters; this has {len(said):,}."
        return _refuse(request, was, words, said)
    now, reply = await questions.turn(was, said, request.receive)
    if label:
        now = replace(now, past=replace(now, past=now.past[:-1]).remember(label, reply.lines[0]))
    return await run_in_threadpool(_show, request, now, reply, label or said)


def _refuse(request: Request, was: Conversation, words: str, said: str) -> HTMLResponse:
    """Say why there is no answer; what was said stays in the field."""
    now = replace(was, past=was.remember(said, words))
    return _show(request, now, Reply("note", (words,)), said, 400, typed=said[: limits.MAX_FORM_QUESTION])


def _show(
    request: Request, now: Conversation, reply: Reply, said: str, status: int = 200, typed: str = ""
) -> HTMLResponse:
    new: dict[str, Any] = {"past": now.past[:-1], "turn": turn(said, reply, now), "reply": reply, "typed": typed}
    if wants_part(request):
        return _page(request, now, "_turned.html", **new)  # of an error htmx would put nothing into the page
    return _page(request, now, status=status, **new)


def _page(request: Request, now: Conversation, template: str = "conversation.html", **context: Any) -> HTMLResponse:
    return page(request, template, **{**_BARE, "carried": carried(now), **context})
