"""What pages and endpoints may ask for, as parameters: what the site holds, and the fields of a form of ours."""

from __future__ import annotations

import binascii
import re
from typing import Annotated

import anyio
from fastapi import Depends, Request
from starlette.datastructures import State
from starlette.exceptions import HTTPException

from smallprint import limits
from smallprint.processes.jobs import Jobs
from smallprint.server.access import Gate
from smallprint.server.fetching import Fetcher, Glances
from smallprint.server.remembered import Readings, Recent
from smallprint.settings import Settings
from smallprint.shelf import Shelf
from smallprint.shelf.questions import Questions
from smallprint.shelf.records import Pastes

# A longer form is read in a thread: 2 MB of stray percent signs take 0.2 s, in which nobody else would be answered.
SHORT = 32_768
_STRAY = re.compile(rb"%(?![0-9A-Fa-f]{2})")
KIND = "application/x-www-form-urlencoded"


class Site(State):
    """What an application holds."""

    settings: Settings
    shelf: Shelf
    pastes: Pastes
    jobs: Jobs
    gate: Gate
    recent: Recent
    readings: Readings
    fetcher: Fetcher
    glances: Glances
    questions: Questions
    fetching_questions: Questions
    long_forms: anyio.CapacityLimiter


# Coroutines, since plain functions would be sent to a thread for nothing.
async def _site(request: Request) -> Site:
    site: Site = request.app.state
    return site


async def _shelf(request: Request) -> Shelf:
    return (await _site(request)).shelf


async def _questions(request: Request) -> Questions:
    """Return who answers: one that fetches only where the server does and the request may write."""
    site = await _site(request)
    may_fetch = site.settings.serve_fetch and site.gate.allows(request)
    return site.fetching_questions if may_fetch else site.questions


async def _fields(request: Request) -> dict[str, str]:
    """Read a form. Its size was measured before (safety.Sizes); files are not taken."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != KIND:
        raise HTTPException(400)
    body = await request.body()
    try:
        if len(body) <= SHORT:
            return _read(body)
        return await anyio.to_thread.run_sync(_read, body, limiter=(await _site(request)).long_forms)
    except ValueError:
        raise HTTPException(400) from None


def _read(body: bytes) -> dict[str, str]:
    """Read fields as urllib's parse_qs does, the last of each name; ValueError where they are none, or too many."""
    parts = body.split(b"&", limits.MAX_FORM_FIELDS)
    if not body.isascii() or len(parts) > limits.MAX_FORM_FIELDS:
        raise ValueError("not a form, or too many fields")
    pairs = [part.partition(b"=") for part in parts]
    return {_unescaped(name): _unescaped(value) for name, _, value in pairs if value}


def _unescaped(escaped: bytes) -> str:
    """Undo the escapes of a form, ten times as fast as urllib: they are those of quoted-printable with another sign."""
    whole = _STRAY.sub(b"%25", escaped)
    quoted = whole.replace(b"=", b"=3D").replace(b"+", b"=20").replace(b"%", b"=")
    return binascii.a2b_qp(quoted).decode("utf-8", "replace")


SiteHere = Annotated[Site, Depends(_site)]
ShelfHere = Annotated[Shelf, Depends(_shelf)]
QuestionsHere = Annotated[Questions, Depends(_questions)]
FormHere = Annotated[dict[str, str], Depends(_fields)]
