"""A policy read at once: a text or an address in, a first reading out. Nothing is stored unless it is asked for."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from smallprint import limits
from smallprint.errors import NoSuchPolicy
from smallprint.library import Library
from smallprint.library.pool import Pool
from smallprint.library.reading import find_policy, policies_of
from smallprint.pipeline.glance import Glance
from smallprint.records import Reason, Rejection
from smallprint.search.language import site_name
from smallprint.sectors import sector
from smallprint.view.permalinks import policy_path
from smallprint.web.access import WriterHere
from smallprint.web.fetching import written
from smallprint.web.forms import FormHere
from smallprint.web.modes import PATH
from smallprint.web.rendering import page, share
from smallprint.web.site import (
    FetcherHere,
    GateHere,
    GlancesHere,
    PastesHere,
    PoolHere,
    ReadingsHere,
    RecentHere,
    SettingsHere,
)

router = APIRouter(include_in_schema=False)

# One word with a dot or a scheme in it; a text has blanks.
ADDRESS = re.compile(r"(?:https?://\S+|[^\s/:@]+\.[^\s/:@.]{2,63}(?:[/:?#]\S*)?)", re.IGNORECASE)
STATUSES = {Reason.NOT_FETCHED: 502, Reason.TOO_LARGE: 413}


@router.post("/read")
async def read(
    request: Request, fields: FormHere, settings: SettingsHere, pool: PoolHere, fetcher: FetcherHere,
    recent: RecentHere, gate: GateHere, pastes: PastesHere, glances: GlancesHere, readings: ReadingsHere,
) -> Response:  # fmt: skip
    """Read a text, or the page at an address; an address that the library has leads to its policy."""
    given = fields.get("given", "").strip()
    if not given:
        return _refused(request, 400, "There was nothing to read. Paste a policy, or give its address.")
    if len(given) > limits.MAX_ADDRESS or not ADDRESS.fullmatch(given):
        if len(given) > limits.MAX_PASTED:
            return _refused(
                request, 413, f"A text may have {limits.MAX_PASTED:,} characters; this one has {len(given):,}."
            )
        result = await glances.read_text(request, given)
        if isinstance(result, Rejection) or (paste := await run_in_threadpool(pastes.keep, given)) is None:
            return await run_in_threadpool(shown, request, result, given)
        readings.put(paste.paste_id, result)
        return RedirectResponse(f"/read/{paste.paste_id}", 303)
    address = written(given)
    known = await run_in_threadpool(_known, pool, address)
    if known:
        return RedirectResponse(known, 303)
    if not settings.serve_fetch:
        return _unfetched(request, address)
    gate.check(request)
    fetched = await fetcher.page(address)
    if isinstance(fetched, Rejection):
        return shown(request, fetched, given, address)
    result = await glances.read_page(request, fetched)
    if isinstance(result, Glance) and result.is_policy:
        recent.put(address, fetched)  # it may be kept, and its site need not be asked again for that
    return await run_in_threadpool(shown, request, result, given, address)


@router.post("/keep")
async def keep_it(
    request: Request, fields: FormHere, settings: SettingsHere, fetcher: FetcherHere, _: WriterHere
) -> Response:
    """Add the policy at an address to the library, and lead to it."""
    address = written(fields.get("address", "").strip())
    if not settings.serve_fetch:
        return _unfetched(request, address)
    outcome = await fetcher.keep(address)
    if outcome.policy_id is None:
        return _refused(request, 422, f"It was not kept: {outcome.reason} ({outcome.detail}).", address)
    return RedirectResponse(policy_path(outcome.policy_id), 303)


def _known(pool: Pool, address: str) -> str | None:
    with pool.library() as library:
        return _known_in(library, address)


def _known_in(library: Library, address: str) -> str | None:
    """Find where the library has what was asked for: a policy's page, or of a whole site the list of its policies."""
    try:
        entry = find_policy(library, address)
        return policy_path(entry.copy_of or entry.policy_id)
    except NoSuchPolicy:
        name = site_name(address)
    is_whole = address.partition("://")[2].rstrip("/") in {name, f"www.{name}"}
    found = policies_of(library, name) if is_whole else ()
    if len(found) == 1:
        return policy_path(found[0])
    return f"{PATH}?{urlencode({'q': f'site:{name}'})}" if found else None


def shown(
    request: Request, result: Glance | Rejection, given: str, address: str = "", *, paste_id: str = "", minutes: int = 0
) -> Response:
    """Show a reading, or why there is none; `minutes` is how long a pasted text is still kept."""
    if isinstance(result, Rejection):
        return _refused(request, STATUSES.get(result.reason, 422), _why(result), given)
    return page(
        request,
        "reading.html",
        read=result,
        address=address,
        paste_id=paste_id,
        minutes=minutes,
        likely=likelihood(result.p_policy),
        vague=None if result.vague is None else share(result.vague, 1),
        sector=sector(result.sector.sector).name,
    )


def _unfetched(request: Request, address: str) -> Response:
    return page(
        request, "unread.html", status=404, said="That address is not in the library.", address=address, given=""
    )


def _refused(request: Request, status: int, said: str, given: str = "") -> Response:
    """Say why nothing was read, with the form to try again; a text of some length is not sent back."""
    return page(
        request, "unread.html", status=status, said=said, given=given if len(given) <= limits.MAX_ADDRESS else ""
    )


def _why(result: Rejection) -> str:
    words = {
        Reason.TOO_SHORT: "There is too little text to read",
        Reason.NOT_ENGLISH: "Only English policies can be read",
        Reason.NOT_FETCHED: "The page could not be fetched",
        Reason.TOO_LARGE: "There is too much of it",
        Reason.MOVED: "The address leads elsewhere",
    }
    return f"{words.get(result.reason, 'This cannot be read')}: {result.detail}."


def likelihood(probability: float) -> str:
    """Say a probability as how many of a hundred: "about 12 are"."""
    of_hundred = round(100 * probability)
    if of_hundred < 1:
        return "fewer than 1 is"
    return "more than 99 are" if of_hundred > 99 else f"about {of_hundred} {'is' if of_hundred == 1 else 'are'}"
