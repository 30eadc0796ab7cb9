"""One policy to be read: its text with contents, labels and marks, its measures, its versions; and the bare text."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import PlainTextResponse, Response

from smallprint.library import reading
from smallprint.library.file import Library
from smallprint.library.rates import rates
from smallprint.library.reading import PolicyEntry, duplicates
from smallprint.view.permalinks import policy_path, short
from smallprint.view.policy import policy_view
from smallprint.view.unusual import SILENCE, Unusual, in_words
from smallprint.web.pages.finding import seek
from smallprint.web.quotations import QUESTIONS
from smallprint.web.reader import Asked, known, places, reader
from smallprint.web.rendering import page
from smallprint.web.site import MemoryHere, PoolHere
from smallprint.web.standings import standings

router = APIRouter(include_in_schema=False)

Words = Annotated[tuple[str, ...], Query()]
Numbers = Annotated[tuple[int, ...], Query()]
MARKS = ("vague", "names")
# Places to which a rare statement is followed; it may be made fifty times.
MOST_PLACES = 5


@router.api_route("/policy/{policy_id}", methods=["GET", "HEAD"])
def policy(
    request: Request, pool: PoolHere, memory: MemoryHere, policy_id: str, version: str = "", q: str = "",
    show: Words = (), others: str = "dim", mark: Words = (), s: Numbers = (), question: str = "", at: Words = (),
) -> Response:  # fmt: skip
    """Show a policy; `show`, `others`, `mark` and `q` say what of it is to stand out, `s` what is ticked.

    Who comes from an answer has its question, and the places `at` which it quotes the policy.
    """
    with pool.library() as library:
        found = seek(request, library, policy_id, version)
    if isinstance(found, Response):
        return found
    counted = memory.recall("rates", rates)
    with pool.library() as library:
        view = policy_view(library, found.entry, found.version, counted)
        alike = _alike(library, found.entry)
    asked = Asked(
        show=known(show),
        others="hide" if others == "hide" else "dim",
        mark=tuple(one for one in MARKS if one in mark),
        q=q,
        ticked=frozenset(s),
        quoted=places(at),
    )
    return page(
        request, "policy.html", view=view, asked=asked, q=q, question=question, text=reader(view, asked),
        standings=standings(view, counted), findings=_findings(view.unusual), silence=SILENCE, alike=alike,
        questions=QUESTIONS, inside=True,
    )  # fmt: skip


@router.api_route("/policy/{policy_id}/text", methods=["GET", "HEAD"])
def text(request: Request, pool: PoolHere, policy_id: str, version: str = "") -> Response:
    """Give the text of a version and nothing else, so that it can be hashed."""
    with pool.library() as library:
        found = seek(request, library, policy_id, version, "/text")
        if isinstance(found, Response):
            return found
        words = reading.text(library, found.version.version_id)
    headers = {}
    if found.successor:
        today = policy_path(found.entry.policy_id, "/text", [("version", short(found.successor.version_id))])
        headers["Link"] = f'<{today}>; rel="successor-version"'  # the text itself is to be hashed, and says nothing
    return PlainTextResponse(words, headers=headers)


@router.api_route("/policy/{policy_id}/page", methods=["GET", "HEAD"])
def arrived(request: Request, pool: PoolHere, policy_id: str, version: str = "") -> Response:
    """Give the page that a version was read from, byte by byte, to be saved and never to be shown by a browser."""
    with pool.library() as library:
        found = seek(request, library, policy_id, version, "/page")
        if isinstance(found, Response):
            return found
        content = reading.page(library, found.version.page_id)
    name = f"page-{short(found.version.version_id)}.bin"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type="application/octet-stream")


def _alike(library: Library, entry: PolicyEntry) -> tuple[str, ...]:
    """Give the policies of its group of near-duplicates, the best known first."""
    leader = entry.folded_under or entry.policy_id
    return tuple(one for one in (leader, *duplicates(library, leader)) if one != entry.policy_id)


def _findings(unusual: Unusual | None) -> list[tuple[str, tuple[int, ...]]]:
    """Give each unusual thing in words, with the passages that say it."""
    if unusual is None:
        return []
    places = [*(one.segments[:MOST_PLACES] for one in unusual.rare), *([()] * len(unusual.missing + unusual.outliers))]
    return list(zip(in_words(unusual), places, strict=True))
