"""The fields of a form that a page of ours sent. Its size was measured before (safety.Sizes); files are not taken."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs

import anyio
from fastapi import Depends, Request
from starlette.datastructures import State
from starlette.exceptions import HTTPException

from smallprint import limits

# A longer form is read in a thread: 1.8 MB of escaped letters take 0.2 s, in which nobody else would be answered.
SHORT = 32_768
KIND = "application/x-www-form-urlencoded"


async def _fields(request: Request) -> dict[str, str]:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != KIND:
        raise HTTPException(400)
    body = await request.body()
    try:
        if len(body) <= SHORT:
            return _read(body)
        return await anyio.to_thread.run_sync(_read, body, limiter=_one_at_a_time(request.app.state))
    except ValueError:
        raise HTTPException(400) from None


def _read(body: bytes) -> dict[str, str]:
    found = parse_qs(body.decode("ascii"), max_num_fields=limits.MAX_FORM_FIELDS, errors="replace")
    return {name: values[-1] for name, values in found.items()}


def _one_at_a_time(state: State) -> anyio.CapacityLimiter:
    """Return the limiter of an app, so that many long forms at once take one thread, and half of the interpreter."""
    if not hasattr(state, "long_forms"):
        state.long_forms = anyio.CapacityLimiter(1)
    limiter: anyio.CapacityLimiter = state.long_forms
    return limiter


FormHere = Annotated[dict[str, str], Depends(_fields)]
