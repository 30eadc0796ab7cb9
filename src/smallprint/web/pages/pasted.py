"""A text that was pasted and is kept for a while: its reading at an address of its own, and a button to forget it."""

from __future__ import annotations

import math
import time

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from smallprint.errors import NoSuchPaste
from smallprint.pipeline.glance import Glance
from smallprint.web.pages.reading import shown
from smallprint.web.rendering import page
from smallprint.web.site import GlancesHere, PastesHere, ReadingsHere

router = APIRouter(include_in_schema=False)


@router.api_route("/read/{paste_id}", methods=["GET", "HEAD"])
async def reading_of(
    request: Request, paste_id: str, glances: GlancesHere, pastes: PastesHere, readings: ReadingsHere
) -> Response:
    """Show the reading of a kept text; it is read again where that is not remembered, as after a restart."""
    paste = await run_in_threadpool(pastes.find, paste_id)
    if paste is None:
        readings.forget(paste_id)
        raise NoSuchPaste("no text is kept here any more: it was forgotten, or its time is over; paste it again")
    result = readings.get(paste_id) or await glances.read_text(request, paste.text)
    if isinstance(result, Glance):
        readings.put(paste_id, result)
    minutes = max(1, math.ceil((paste.until - time.time()) / 60))
    return await run_in_threadpool(shown, request, result, paste.text, paste_id=paste_id, minutes=minutes)


@router.post("/read/{paste_id}/forget")
def forget(request: Request, paste_id: str, pastes: PastesHere, readings: ReadingsHere) -> Response:
    """Delete a text and its reading at once. Whoever knows its address may."""
    readings.forget(paste_id)
    if not pastes.forget(paste_id):
        raise NoSuchPaste("no text is kept here any more: it was forgotten, or its time is over")
    return page(request, "forgotten.html")
