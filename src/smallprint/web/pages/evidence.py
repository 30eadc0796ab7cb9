"""Chosen passages of a policy as a sheet to print: word for word, with addresses, dates, hashes, and how to check."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from smallprint.errors import NoSuchSegment
from smallprint.view.evidence import evidence
from smallprint.view.permalinks import policy_path, short
from smallprint.web.pages.finding import missing, seek
from smallprint.web.pages.policy import Numbers
from smallprint.web.rendering import page
from smallprint.web.site import PoolHere

router = APIRouter(include_in_schema=False)


@router.api_route("/policy/{policy_id}/evidence", methods=["GET", "HEAD"])
def sheet(request: Request, pool: PoolHere, policy_id: str, version: str = "", s: Numbers = ()) -> Response:
    """Show the evidence sheet of the passages `s`; without any it says how to choose them."""
    with pool.library() as library:
        found = seek(request, library, policy_id, version, "/evidence")
        if isinstance(found, Response):
            return found
        try:
            made = evidence(library, found.entry, found.version, s, successor=found.successor)
        except NoSuchSegment:
            return missing(request, found.entry, "This version has no passage of such a number; choose from its page.")
    fields = [("version", short(found.version.version_id))]
    here = str(request.base_url).rstrip("/")
    return page(
        request, "evidence.html", entry=found.entry, sheet=made, here_host=here,
        again=policy_path(made.policy_id, "/evidence", [*fields, *(("s", one.ordinal) for one in made.exhibits)]),
        as_text=policy_path(made.policy_id, "/text", fields), as_page=policy_path(made.policy_id, "/page", fields),
    )  # fmt: skip
