"""What went wrong, as an answer: one table from errors to status codes, and one from status codes to calm words."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from html import escape
from pathlib import Path
from traceback import extract_tb
from typing import NamedTuple

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Match
from starlette.types import Scope

from smallprint import errors
from smallprint.addresses import SIGN_IN

API = "/api/"
PROBLEM = "application/problem+json"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

# The nearest class above an error counts.
STATUS: Mapping[type[errors.SmallprintError], int] = {
    kind: status
    for status, kinds in {
        400: (errors.BadSetting, errors.BadSource, errors.BadAddress, errors.BadQuery),
        401: (errors.NotSignedIn,),
        403: (errors.FetchingIsOff,),
        404: (errors.NoSuchPolicy, errors.NoSuchExport, errors.NoSuchPaste),
        409: (errors.LibraryChanged,),
        413: (errors.TooLargeJob,),
        429: (errors.TooManyTries,),
        499: (errors.ClientGone,),
        500: (errors.SmallprintError, errors.DamagedText),
        501: (errors.MissingExtra,),
        502: (errors.NotFetched,),
        503: (errors.BadIndex, errors.LibraryError, errors.TooSlow, errors.TooBusy),
    }.items()
    for kind in kinds
}
# Errors above 499 whose own words are meant for the reader; the others name files of the machine.
TOLD = (errors.NotFetched, errors.TooSlow, errors.TooBusy, errors.TooManyExports)
# Those that pass by themselves, and when to ask again.
PASSING = (errors.LibraryBusy, errors.TooSlow, errors.TooBusy)
RETRY = {"Retry-After": "5"}
HEADERS: Mapping[type[errors.SmallprintError], Mapping[str, str]] = {
    errors.NotSignedIn: {"WWW-Authenticate": 'Bearer realm="smallprint"', "HX-Redirect": SIGN_IN},
    errors.TooManyTries: {"Retry-After": "60"},
}
# What is said in the place of those, where there is more to say than the status does.
INSTEAD: Mapping[type[errors.SmallprintError], str] = {
    errors.ReadOnlyLibrary: "The library is on read-only storage, so nothing can be added to it.",
    errors.DamagedText: "The stored text of this policy is damaged, so it is not shown. The people who run this server "
    "can list the damage with 'smallprint check' and restore a backup.",
    errors.BadIndex: "The search index is missing or cannot be read. The people who run this server can rebuild it "
    "with 'smallprint index'.",
}


class Words(NamedTuple):
    """What a page says of a status: a headline, and what to do."""

    headline: str
    advice: str


WORDS: Mapping[int, Words] = {
    400: Words("Bad request", "Part of the request could not be understood. Check it and try again."),
    401: Words("Sign in first", "This takes the token of this server."),
    403: Words(
        "Not allowed from this address",
        "This request came from another site, or your browser did not say where it came from. Open the page itself and "
        "use it from there; except on localhost, this takes HTTPS.",
    ),
    404: Words("Not found", "There is no page at this address. It may be misspelt, or the page may be gone."),
    405: Words("Method not allowed", "This address exists, but not for this kind of request."),
    409: Words("The library has changed", "The library has changed since this was made. Ask for it as it is now."),
    413: Words("Too large", "This is larger than this server accepts. Send less."),
    414: Words("Address too long", "Shorten the query, or remove some filters."),
    421: Words(
        "Unknown host",
        "This server does not use the host name in the address. Use localhost, or add the name to the setting "
        "serve_hosts.",
    ),
    429: Words("Too many requests", "Please wait a moment, then try again."),
    499: Words("You left before the answer was ready", "Ask again if you still want it."),
    500: Words(
        "Something went wrong",
        "This is our mistake, and nothing was lost. The people who run this server can find it in their log.",
    ),
    501: Words("Not installed", "This feature needs a part of Smallprint that is not installed on this machine."),
    502: Words("The page could not be fetched", "The other site did not return the page."),
    503: Words(
        "Not available right now",
        "The library cannot be read at the moment, or it is taking too long. Please try again shortly.",
    ),
}
_PACKAGE = str(Path(__file__).parents[1])
_log = logging.getLogger("smallprint.web")


def answer(scope: Scope, status: int, detail: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """Make the answer for a status: problem details (RFC 9457) under /api/, a page elsewhere."""
    headline, advice = WORDS.get(status) or WORDS[500 if status >= 500 else 400]
    words = detail or advice
    if scope["path"].startswith(API):
        problem = {"status": status, "title": headline, "detail": words}
        return JSONResponse(problem, status, headers, media_type=PROBLEM)
    if render := getattr(getattr(scope.get("app"), "state", None), "error_page", None):
        return HTMLResponse(render(status=status, headline=headline, said=words), status, headers)
    return HTMLResponse(f"{status} {escape(headline)}. {escape(words)}", status, headers)  # of an app without pages


def status_of(error: errors.SmallprintError) -> int:
    """Return an error's status: that of the nearest class in the table."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


async def on_error(request: Request, error: Exception) -> Response:
    """Answer an error of ours."""
    assert isinstance(error, errors.SmallprintError)
    status = status_of(error)
    headers = RETRY if isinstance(error, PASSING) else HEADERS.get(type(error))
    words = sentence(error)
    if status >= 500 and not isinstance(error, TOLD):
        note(error)
        words = next((instead for kind, instead in INSTEAD.items() if isinstance(error, kind)), "")
    return answer(request.scope, status, words, headers)


async def on_http_error(request: Request, error: Exception) -> Response:
    """Answer what the framework refuses: an unknown path, a wrong method."""
    assert isinstance(error, HTTPException)
    headers = {"Allow": _methods(request)} if "Allow" in (error.headers or ()) else error.headers
    return answer(request.scope, error.status_code, headers=headers)


async def on_bad_request(request: Request, error: Exception) -> Response:
    """Answer a parameter that is missing or of the wrong kind."""
    assert isinstance(error, RequestValidationError)
    # The place is such as ("query", "sector", 0), where the second is the parameter's name, or ("body", 17).
    faults = [(fault["msg"], [part for part in fault["loc"][:2] if isinstance(part, str)]) for fault in error.errors()]
    return answer(request.scope, 400, sentence("; ".join(f"{place[-1]}: {message}" for message, place in faults[:3])))


def note(error: Exception) -> None:
    """Tell whoever runs the server what failed and where, without the words of any request."""
    places = [f"{frame.filename}:{frame.lineno}" for frame in extract_tb(error.__traceback__)]
    ours = [place for place in places if _PACKAGE in place] or places or ["an unknown place"]
    _log.error("smallprint: %s at %s", type(error).__name__, ours[-1])


def _methods(request: Request) -> str:
    """List the methods that an address takes: the framework names only those of the first route that it fits."""

    def is_taken(method: str) -> bool:
        scope = {**request.scope, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)

    return ", ".join(filter(is_taken, METHODS))


def sentence(message: object) -> str:
    """Return a message as a sentence."""
    words = str(message)
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?")) else ".")
