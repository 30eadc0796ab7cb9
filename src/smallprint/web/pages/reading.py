"""A policy that is pasted or fetched to be read: a first look, kept for a while at an address of its own, or added."""

from __future__ import annotations

import math
import re
import time
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from smallprint import limits
from smallprint.addresses import KEEP, READ, SEARCH, policy_path
from smallprint.errors import NoSuchPaste
from smallprint.records import Reason, Rejection
from smallprint.server.access import WriterHere
from smallprint.server.dependencies import FormHere, SiteHere
from smallprint.server.fetching import written
from smallprint.shelf import Shelf
from smallprint.shelf.records import Glance, pasted, site_name
from smallprint.web.rendering import page

router = APIRouter(include_in_schema=False)

# One word with a dot or a scheme in it; a text has blanks.
ADDRESS = re.compile(r"(?:https?://\S+|[^\s/:@]+\.[^\s/:@.]{2,63}(?:[/:?#]\S*)?)", re.IGNORECASE)
STATUSES = {Reason.NOT_FETCHED: 502, Reason.TOO_LARGE: 413}
REASONS = {
    Reason.TOO_SHORT: "This text is too short to analyse",
    Reason.NOT_ENGLISH: "Only English policies can be read",
    Reason.NOT_FETCHED: "The page could not be fetched",
    Reason.TOO_LARGE: "This text is too long",
    Reason.MOVED: "The address redirects elsewhere",
}
UNFETCHED = "This address is not in the library."


@router.post(READ)
async def read(request: Request, fields: FormHere, site: SiteHere) -> Response:
    """Read a text, or the page at an address; an address that the library has leads to its policy."""
    given = fields.get("given", "").strip()
    if not given:
        return _refuse(request, 400, "Please paste the text of a policy, or its address.")
    if len(given) > limits.MAX_ADDRESS or not ADDRESS.fullmatch(given):
        if len(given) > limits.MAX_PASTED:
            words = f"A text can have at most {limits.MAX_PASTED:,} characters; this one has {len(given):,}."
            return _refuse(request, 413, words)
        result = await site.glances.read(request, pasted(given))
        if isinstance(result, Rejection) or (paste := await run_in_threadpool(site.pastes.keep, given)) is None:
            return await run_in_threadpool(_show, request, result, given)
        site.readings.put(paste.paste_id, result)
        return RedirectResponse(f"{READ}/{paste.paste_id}", 303)
    address = written(given)
    if known := await run_in_threadpool(_known, site.shelf, address):
        return RedirectResponse(known, 303)
    if not site.settings.serve_fetch:
        return _refuse(request, 404, UNFETCHED, address=address)
    site.gate.check(request)
    fetched = await site.fetcher.page(address)
    if isinstance(fetched, Rejection):
        return _show(request, fetched, given, address)
    result = await site.glances.read(request, fetched)
    if isinstance(result, Glance) and result.is_policy:
        site.recent.put(address, fetched)  # it may be kept, and its site need not be asked again for that
    return await run_in_threadpool(_show, request, result, given, address)


@router.post(KEEP)
async def keep_it(request: Request, fields: FormHere, site: SiteHere, _: WriterHere) -> Response:
    """Add the policy at an address to the library, and lead to it."""
    address = written(fields.get("address", "").strip())
    if not site.settings.serve_fetch:
        return _refuse(request, 404, UNFETCHED, address=address)
    outcome = await site.fetcher.keep(address)
    if outcome.policy_id is None:
        return _refuse(request, 422, f"It was not added: {outcome.reason} ({outcome.detail}).", address)
    return RedirectResponse(policy_path(outcome.policy_id), 303)


def _known(shelf: Shelf, address: str) -> str | None:
    """Find where the library has what was asked for: a policy's page, or of a whole site the list of its policies."""
    ids = shelf.policies_at(address)
    if len(ids) == 1:
        return policy_path(ids[0])
    return f"{SEARCH}?{urlencode({'q': f'site:{site_name(address)}'})}" if ids else None


def _show(
    request: Request, result: Glance | Rejection, given: str, address: str = "", *, paste_id: str = "", minutes: int = 0
) -> Response:
    """Show a reading, or why there is none; `minutes` is how long a pasted text is still kept."""
    if isinstance(result, Rejection):
        words = f"{REASONS.get(result.reason, 'This could not be read')}: {result.detail}."
        return _refuse(request, STATUSES.get(result.reason, 422), words, given)
    return page(
        request, "reading.html", read=result, address=address, paste_id=paste_id, minutes=minutes,
        likely=likelihood(result.p_policy),
    )  # fmt: skip


def _refuse(request: Request, status: int, said: str, given: str = "", address: str = "") -> Response:
    """Say why nothing was read, with the form to try again; a text of some length is not sent back."""
    kept = given if len(given) <= limits.MAX_ADDRESS else ""
    return page(request, "unread.html", status=status, said=said, given=kept, address=address)


def likelihood(probability: float) -> str:
    """Return a probability as how many of a hundred: "about 12 are"."""
    of_hundred = round(100 * probability)
    if of_hundred < 1:
        return "fewer than 1 is"
    return "more than 99 are" if of_hundred > 99 else f"about {of_hundred} {'is' if of_hundred == 1 else 'are'}"


@router.api_route(f"{READ}/{{paste_id}}", methods=["GET", "HEAD"])
async def reading_of(request: Request, paste_id: str, site: SiteHere) -> Response:
    """Show the reading of a kept text; it is read again where that is not remembered, as after a restart."""
    paste = await run_in_threadpool(site.pastes.find, paste_id)
    if paste is None:
        site.readings.forget(paste_id)
        raise NoSuchPaste("no text is kept here any more: it was deleted or has expired; paste it again")
    result = site.readings.get(paste_id) or await site.glances.read(request, pasted(paste.text))
    if isinstance(result, Glance):
        site.readings.put(paste_id, result)
    minutes = max(1, math.ceil((paste.until - time.time()) / 60))
    return await run_in_threadpool(_show, request, result, paste.text, paste_id=paste_id, minutes=minutes)


@router.post(f"{READ}/{{paste_id}}/forget")
def forget(request: Request, paste_id: str, site: SiteHere) -> Response:
    """Delete a text and its reading at once. Whoever knows its address may."""
    site.readings.forget(paste_id)
    if not site.pastes.forget(paste_id):
        raise NoSuchPaste("no text is kept here any more: it was deleted or has expired")
    return page(request, "forgotten.html")
