"""The fields of a form that a page of ours sent. Its size was measured before (safety.Sizes); files are not taken."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, Request
from starlette.exceptions import HTTPException

from smallprint import limits

KIND = "application/x-www-form-urlencoded"


async def _fields(request: Request) -> dict[str, str]:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != KIND:
        raise HTTPException(400)
    try:
        body = (await request.body()).decode("ascii")
        found = parse_qs(body, max_num_fields=limits.MAX_FORM_FIELDS, errors="replace")
    except ValueError:
        raise HTTPException(400) from None
    return {name: values[-1] for name, values in found.items()}


FormHere = Annotated[dict[str, str], Depends(_fields)]
