"""The page of results: what is asked stands in the address, all of it, and whoever has the address sees the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from markupsafe import escape
from starlette.responses import HTMLResponse, RedirectResponse, Response

from smallprint.errors import BadQuery, NoSuchPolicy
from smallprint.search.request import PAGE_SIZE, read_request
from smallprint.search.request import Request as Search
from smallprint.search.results import Results, alike, search
from smallprint.web.chips import chips
from smallprint.web.entries import alike_address, entries, listed, to_mark
from smallprint.web.modes import PATH, address, modes
from smallprint.web.narrowing import narrowing
from smallprint.web.paging import paging
from smallprint.web.rendering import VARY, page, wants_part
from smallprint.web.site import EnginesHere, PoolHere

router = APIRouter(include_in_schema=False)

# Near-duplicates that are listed under a result; the page of the group has them all.
MOST_ALIKE = 10


@router.api_route(PATH, methods=["GET", "HEAD"])
def results(request: Request, pool: PoolHere, engines: EnginesHere) -> Response:
    """Answer a search with a page, or with the part of it that changes."""
    part = wants_part(request)
    try:
        asked = read_request(request.query_params.multi_items())
    except BadQuery as error:
        if part:
            return _said(error)
        raise
    if not part and request.query_params.multi_items() != parse_qsl(asked.address()):
        # Forms send every field: the short spelling is the one to be kept and mailed.
        return RedirectResponse(address(asked), 303)
    engine = engines.engine(asked.index)
    with pool.library() as library:
        found = search(library, engine, asked)
    answer = page(request, "_searched.html" if part else "results.html", **_context(found))
    answer.headers.update({**VARY, "HX-Push-Url": address(asked)} if part else VARY)
    return answer


@router.api_route(f"{PATH}/alike", methods=["GET", "HEAD"])
def near_duplicates(request: Request, pool: PoolHere, engines: EnginesHere) -> Response:
    """List the near-duplicates that were folded under a result."""
    pairs = request.query_params.multi_items()
    group = "".join(value for key, value in pairs if key == "group")
    if not group:
        raise BadQuery("group is missing; follow the link under a result")
    asked = read_request((key, value) for key, value in pairs if key != "group")
    engine = engines.engine(asked.index)
    with pool.library() as library:
        members = alike(library, engine, asked, group)
    fields = to_mark(asked)
    found = tuple(listed(one, rank, fields) for rank, one in enumerate(members, 1))
    if not found:
        raise NoSuchPolicy("this search finds no policy of that group")
    context: dict[str, Any] = {"found": found, "back": address(asked), "every": alike_address(asked, group)}
    if not wants_part(request):
        return page(request, "alike.html", **context)
    # The first is the one that they are folded under.
    context |= {"found": found[1 : MOST_ALIKE + 1], "more": max(0, len(found) - 1 - MOST_ALIKE)}
    return page(request, "_alike.html", **context)


def _context(found: Results) -> dict[str, Any]:
    asked = found.request
    facets, limits = narrowing(found)
    return {
        "found": found,
        "q": asked.text,
        "where": asked.where,
        "entries": list(entries(found)),
        "facets": facets,
        "limits": limits,
        "chips": list(chips(asked)),
        "clear": address(asked.unnarrowed()),
        "modes": list(modes(asked)),
        "paging": paging(found),
        "kept": _kept(asked),
        "ways": [(way.what, address(way.request), way.count) for way in found.ways_out],
        # An export has all results on one page.
        "query": replace(asked, page=1, size=PAGE_SIZE).address(),
    }


def _kept(asked: Search) -> list[tuple[str, str]]:
    """Give what the form must send along because no field of it shows it."""
    bare = Search(rank=asked.rank, index=asked.index, match=asked.match, fold=asked.fold, size=asked.size)
    return parse_qsl(bare.address())


def _said(error: BadQuery) -> Response:
    """Say what is wrong where the count stands; the results stay as they are."""
    words = str(error)
    head = {**VARY, "HX-Retarget": "#count", "HX-Reswap": "innerHTML", "HX-Push-Url": "false"}
    return HTMLResponse(f'<p class="note">{escape(words[:1].upper() + words[1:])}.</p>', headers=head)
