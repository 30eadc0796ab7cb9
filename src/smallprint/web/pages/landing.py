"""The first page: where to search, a form to read a policy at once, and how large the library is."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from smallprint.library.reading import status
from smallprint.web.rendering import page
from smallprint.web.site import MemoryHere

router = APIRouter(include_in_schema=False)

# One each of what people ask for: a kind of information, a choice, a period, a number nobody likes to give away.
EXAMPLES = ("payment information", "do not track", "retention period", "social security number")


@router.api_route("/", methods=["GET", "HEAD"])
def landing(request: Request, memory: MemoryHere) -> HTMLResponse:
    """Show the landing page."""
    return page(request, "landing.html", examples=EXAMPLES, size=memory.recall("status", status))
