"""A conversation over the library: what was said comes with the form, the reply goes into the page; nothing is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response

from smallprint import limits
from smallprint.ask.conversation import Conversation, from_json
from smallprint.errors import BadConversation
from smallprint.library import Library
from smallprint.library.directory import directory
from smallprint.library.memory import Memory
from smallprint.library.pool import Pool
from smallprint.library.reading import PolicyEntry, find_policy
from smallprint.shelf.names import plain_name
from smallprint.shelf.questions import Questions
from smallprint.shelf.replies import Reply
from smallprint.shelf.suggestions import OF_LIBRARY, OF_POLICY
from smallprint.web.forms import FormHere
from smallprint.web.quotations import QUESTIONS
from smallprint.web.rendering import page, wants_part
from smallprint.web.replies import PATH, again, carried, turn
from smallprint.web.site import MemoryHere, PoolHere, QuestionsHere

router = APIRouter(include_in_schema=False)

_BARE: Mapping[str, Any] = {
    "entry": None, "past": (), "turn": None, "reply": None, "typed": "", "examples": (), "is_empty": False,
    "thanks": False,
}  # fmt: skip


@router.api_route(PATH, methods=["GET", "HEAD"])
async def begin(
    request: Request, pool: PoolHere, memory: MemoryHere, questions: QuestionsHere, q: str = "", policy: str = ""
) -> Response:
    """Begin a conversation, on a policy if the address names one, and with a question if it has one."""
    entry = await run_in_threadpool(_entry, pool, policy) if policy else None
    now = Conversation(policy_id=entry.policy_id if entry else "")
    if q.strip():
        return await _answered(request, questions, now, q.strip())
    return await run_in_threadpool(_begun, request, memory, now, entry)


def _entry(pool: Pool, policy: str) -> PolicyEntry:
    with pool.library() as library:
        return find_policy(library, policy)


def _begun(request: Request, memory: Memory, now: Conversation, entry: PolicyEntry | None) -> Response:
    known = "" if entry else memory.recall("best known", best_known)
    questions = (*QUESTIONS[:3], *OF_POLICY) if entry else _questions(known)
    examples = [(one, again(one, now.policy_id)) for one in questions]
    return _page(request, now, entry=entry, examples=examples, is_empty=not entry and not known)


@router.post(PATH)
async def go_on(request: Request, fields: FormHere, questions: QuestionsHere) -> Response:
    """Answer what is said next, in a conversation that the form carries; what is no conversation is begun anew."""
    said = (fields.get("choice") or fields.get("said", "")).strip()
    try:
        was = from_json(fields.get("conversation"))
    except BadConversation as error:
        words = f"{str(error)[:1].upper()}{str(error)[1:]}. This is a new one."
        return _told(request, Conversation(), words, said, 400)
    return await _answered(request, questions, was, said, chosen(was, fields.get("choice", "")))


def chosen(was: Conversation, choice: str) -> str:
    """Give the words of an option that was chosen by its number; nothing where none was."""
    options = was.pending.options if was.pending else ()
    return next((one.label for number, one in enumerate(options, 1) if choice == str(number)), "")


def resumed(request: Request, now: Conversation) -> HTMLResponse:
    """Show where a conversation stands, after something else was done."""
    return _page(request, now, past=now.past, thanks=True)


def best_known(library: Library) -> str:
    """Name the best known policy, for an example that can be asked; nothing where the library is empty."""
    listed = max(directory(library), key=lambda one: (one.popularity, one.policy_id), default=None)
    return plain_name(listed) if listed else ""


def _questions(known: str) -> tuple[str, ...]:
    named = (f"Does {known} sell my data?", f"What is {known} vague about?") if known else ()
    return (*named, *OF_LIBRARY)


async def _answered(
    request: Request, questions: Questions, was: Conversation, said: str, label: str = ""
) -> HTMLResponse:
    if len(said) > limits.MAX_FORM_QUESTION:
        words = f"Ask in at most {limits.MAX_FORM_QUESTION} characters; this has {len(said):,}."
        return _told(request, was, words, said, 400)
    now, reply = await questions.turn(was, said, request.receive)
    if label:
        now = replace(now, past=replace(now, past=now.past[:-1]).remember(label, reply.lines[0]))
    return await run_in_threadpool(_shown, request, now, reply, label or said)


def _told(request: Request, was: Conversation, words: str, said: str, status: int) -> HTMLResponse:
    """Say why there is no answer; what was said stays in the field."""
    now = replace(was, past=was.remember(said, words))
    return _shown(request, now, Reply("note", (words,)), said, status, typed=said[: limits.MAX_FORM_QUESTION])


def _shown(
    request: Request, now: Conversation, reply: Reply, said: str, status: int = 200, typed: str = ""
) -> HTMLResponse:
    new: dict[str, Any] = {"past": now.past[:-1], "turn": turn(said, reply, now), "reply": reply, "typed": typed}
    if wants_part(request):
        return _page(request, now, "_turned.html", **new)  # of an error htmx would put nothing into the page
    return _page(request, now, status=status, **new)


def _page(request: Request, now: Conversation, template: str = "conversation.html", **context: Any) -> HTMLResponse:
    return page(request, template, **{**_BARE, "carried": carried(now), **context})
