"""The fields of a form that a page of ours sent. Its size was measured before (safety.Sizes); files are not taken."""

from __future__ import annotations

import binascii
import re
from typing import Annotated

import anyio
from fastapi import Depends, Request
from starlette.datastructures import State
from starlette.exceptions import HTTPException

from smallprint import limits

# A longer form is read in a thread: 2 MB of stray percent signs take 0.2 s, in which nobody else would be answered.
SHORT = 32_768
_STRAY = re.compile(rb"%(?![0-9A-Fa-f]{2})")
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


def _one_at_a_time(state: State) -> anyio.CapacityLimiter:
    """Return the limiter of an app, so that many long forms at once take one thread, and half of the interpreter."""
    if not hasattr(state, "long_forms"):
        state.long_forms = anyio.CapacityLimiter(1)
    limiter: anyio.CapacityLimiter = state.long_forms
    return limiter


FormHere = Annotated[dict[str, str], Depends(_fields)]
