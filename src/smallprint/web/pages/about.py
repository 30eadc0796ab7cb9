"""Pages that only speak: what this is and how its measures are made, and our own privacy policy."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from smallprint.annotate.mentions import names
from smallprint.web.rendering import page

router = APIRouter(include_in_schema=False)


@router.api_route("/about", methods=["GET", "HEAD"])
def about(request: Request) -> HTMLResponse:
    """Say what this is, how measures are made, and what they are worth."""
    return page(request, "about.html", names=names())


@router.api_route("/privacy", methods=["GET", "HEAD"])
def privacy(request: Request) -> HTMLResponse:
    """Say what becomes of what people type here."""
    return page(request, "privacy.html")
