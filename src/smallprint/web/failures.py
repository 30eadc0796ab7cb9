"""What went wrong, as an answer: one table from errors to status codes, and one from status codes to calm words."""

from __future__ import annotations

import logging
from collections.abc import Mapping
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
from smallprint.web.rendering import render

API = "/api/"
PROBLEM = "application/problem+json"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

# The nearest class above an error counts.
STATUS: Mapping[type[errors.SmallprintError], int] = {
    errors.SmallprintError: 500,
    errors.BadSetting: 400,
    errors.BadSource: 400,
    errors.BadAddress: 400,
    errors.NotFetched: 502,
    errors.DamagedText: 500,
    errors.NoSuchPolicy: 404,
    errors.BadQuery: 400,
    errors.BadIndex: 503,
    errors.NoSuchExport: 404,
    errors.LibraryChanged: 409,
    errors.LibraryError: 503,
    errors.TooSlow: 503,
    errors.TooBusy: 503,
    errors.JobFailed: 500,
    errors.TooLargeJob: 413,
    errors.ClientGone: 499,
    errors.MissingExtra: 501,
    errors.NotSignedIn: 401,
    errors.NoSuchPaste: 404,
    errors.TooManyTries: 429,
}
# Errors above 499 whose own words are meant for the reader; the others name files of the machine.
TOLD = (errors.NotFetched, errors.TooSlow, errors.TooBusy, errors.TooManyExports)
# Those that pass by themselves, and when to ask again.
PASSING = (errors.LibraryBusy, errors.TooSlow, errors.TooBusy)
RETRY = {"Retry-After": "5"}
HEADERS: Mapping[type[errors.SmallprintError], Mapping[str, str]] = {
    errors.NotSignedIn: {"WWW-Authenticate": 'Bearer realm="smallprint"', "HX-Redirect": "/sign-in"},
    errors.TooManyTries: {"Retry-After": "60"},
}
# What is said in the place of those, where there is more to say than the status does.
INSTEAD: Mapping[type[errors.SmallprintError], str] = {
    errors.ReadOnlyLibrary: "The library is on storage that cannot be written to, so nothing can be kept in it.",
    errors.DamagedText: "The stored text of this policy is damaged, so nothing of it is shown. Whoever runs this "
    "server can list the damage with 'smallprint check' and restore a backup.",
    errors.BadIndex: "The search index is not there or cannot be read. Whoever runs this server makes it, or brings it "
    "up to date, with 'smallprint index'.",
}


class Words(NamedTuple):
    """What a page says of a status: a headline, and what to do."""

    headline: str
    advice: str


WORDS: Mapping[int, Words] = {
    400: Words("That was not understood", "Something in the request cannot be read. Check it and try again."),
    401: Words("Sign in first", "This takes the token of this server."),
    403: Words(
        "Not from here",
        "This came from another site, or the browser does not say from where. Open the page itself and use what is "
        "there; away from localhost, browsers say so over HTTPS only.",
    ),
    404: Words("Nothing is here", "The address leads nowhere. It may be misspelt, or what it named is gone."),
    405: Words("Not in this way", "The address is right, but it is not made to be used like that."),
    409: Words("Not the same any more", "The library has changed since. Ask for it as it is now."),
    413: Words("Too much at once", "What was sent is larger than this server takes. Send less."),
    414: Words("Too long a request", "The address of the request is too long. Shorten the query or drop some filters."),
    421: Words(
        "Not by this name",
        "This server does not answer to the name in the address. Use localhost, or add the name to the setting "
        "serve_hosts.",
    ),
    429: Words("Too many requests", "Wait a little; then go on more slowly."),
    499: Words("You left before the answer was ready", "Ask again if you still want it."),
    500: Words(
        "Something went wrong",
        "The fault is ours, and nothing was lost. Whoever runs this server finds a line about it where it was started.",
    ),
    501: Words("Not installed here", "This needs a part of Smallprint that is not installed on this machine."),
    502: Words("Could not be fetched", "The other site did not give the page."),
    503: Words(
        "Not just now",
        "The library cannot be read at the moment, or reading takes too long. Try again in a little while.",
    ),
}
_PACKAGE = str(Path(__file__).parents[1])
_log = logging.getLogger("smallprint.web")


def answer(scope: Scope, status: int, detail: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """Make the answer for a status: problem details (RFC 9457) under /api/, a page elsewhere."""
    headline, advice = WORDS.get(status) or WORDS[500 if status >= 500 else 400]
    said = detail or advice
    if scope["path"].startswith(API):
        problem = {"status": status, "title": headline, "detail": said}
        return JSONResponse(problem, status, headers, media_type=PROBLEM)
    content = render("error.html", status=status, headline=headline, said=said)
    return HTMLResponse(content, status, headers)


def status_of(error: errors.SmallprintError) -> int:
    """Give an error's status: that of the nearest class in the table."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


async def on_error(request: Request, error: Exception) -> Response:
    """Answer an error of ours."""
    assert isinstance(error, errors.SmallprintError)
    status = status_of(error)
    headers = RETRY if isinstance(error, PASSING) else HEADERS.get(type(error))
    if status >= 500 and not isinstance(error, TOLD):
        note(error)
        said = next((words for kind, words in INSTEAD.items() if isinstance(error, kind)), "")
        return answer(request.scope, status, said, headers)
    return answer(request.scope, status, _sentence(str(error)), headers)


async def on_http_error(request: Request, error: Exception) -> Response:
    """Answer what the framework refuses: an unknown path, a wrong method."""
    assert isinstance(error, HTTPException)
    headers = {"Allow": _methods(request)} if "Allow" in (error.headers or ()) else error.headers
    return answer(request.scope, error.status_code, headers=headers)


async def on_bad_request(request: Request, error: Exception) -> Response:
    """Answer a parameter that is missing or of the wrong kind."""
    assert isinstance(error, RequestValidationError)
    # The place is such as ("query", "sector", 0), where the second is the parameter's name, or ("body", 17).
    found = [f"{[part for part in one['loc'][:2] if isinstance(part, str)][-1]}: {one['msg']}"
             for one in error.errors()[:3]]  # fmt: skip
    return answer(request.scope, 400, _sentence("; ".join(found)))


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


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?")) else ".")
