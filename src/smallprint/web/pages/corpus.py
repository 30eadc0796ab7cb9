"""The whole library in charts, each with its figures as a table."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from smallprint.library.statistics import mentions_by_sector, statistics
from smallprint.web import figures
from smallprint.web.rendering import page
from smallprint.web.site import MemoryHere

router = APIRouter(include_in_schema=False)


@router.api_route("/corpus", methods=["GET", "HEAD"])
def corpus(request: Request, memory: MemoryHere) -> HTMLResponse:
    """Show how the library's policies are spread over sectors, measures and what they name."""
    counted = memory.recall("statistics", statistics)
    by_sector = memory.recall("mentions by sector", mentions_by_sector)
    return page(
        request,
        "corpus.html",
        counted=counted,
        sectors=figures.sectors(counted),
        grade=figures.grade(counted),
        vagueness=figures.vagueness(counted),
        practices=figures.practices(counted),
        named=[figures.mentions(counted, group) for group in figures.GROUPS],
        heat=figures.regulations_by_sector(counted, by_sector),
    )
