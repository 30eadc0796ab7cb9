"""How an endpoint is declared: its methods, its errors, and, where it is read, a mark of the library's state."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Literal, TypeVar

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from smallprint.api.answers import Problem
from smallprint.shelf import Shelf

# The library counts its states from its opening: what was kept of another run says nothing of this one.
_RUN = secrets.token_hex(4)
_PROBLEM = {"application/problem+json": {"schema": Problem.model_json_schema()}}
_WAIT = {"Retry-After": {"description": "Seconds after which to ask again.", "schema": {"type": "integer"}}}
_ERRORS: Mapping[int | str, dict[str, Any]] = {
    400: {"description": "A parameter is unknown or its value cannot be read; the detail says which.",
          "content": _PROBLEM},
    401: {"description": "This takes the server's token.", "content": _PROBLEM},
    403: {"description": "This server does not fetch pages.", "content": _PROBLEM},
    404: {"description": "Nothing is known by that name: no policy, no version of it, no export.", "content": _PROBLEM},
    409: {"description": "The library has changed since the export was made.", "content": _PROBLEM},
    429: {"description": "Too many requests: wait.", "content": _PROBLEM, "headers": _WAIT},
    "4XX": {"description": "Any other refusal: a wrong method, a request that is too long, an unknown host name.",
            "content": _PROBLEM},
    500: {"description": "The fault is ours; whoever runs the server finds a line about it.", "content": _PROBLEM},
    503: {"description": "The library or its index cannot be read just now, or reading takes too long.",
          "content": _PROBLEM, "headers": _WAIT},
}  # fmt: skip
_MARK = {"ETag": {"description": "Changes when the library does.", "schema": {"type": "string"}}}
_Endpoint = TypeVar("_Endpoint", bound=Callable[..., Any])


def endpoint(
    router: APIRouter,
    path: str,
    *errors: int,
    method: Literal["GET", "POST"] = "GET",
    responses: Mapping[int | str, dict[str, Any]] | None = None,
    **more: Any,
) -> Callable[[_Endpoint], _Endpoint]:
    """Declare an endpoint; `errors` are those it can end in besides those that any can. GET comes with HEAD."""
    known: tuple[int | str, ...] = (400, *errors, 429, "4XX", 500, 503)
    described = {status: _ERRORS[status] for status in known} | dict(responses or {})
    is_marked = router.route_class is Marked and method == "GET"
    if is_marked:
        described[200] = {"headers": _MARK}
        described[304] = {"description": "The library is as it was: what `If-None-Match` names still holds."}

    def declared(function: _Endpoint) -> _Endpoint:
        summary = (function.__doc__ or "").partition(".")[0]
        # The first of the two answers to both; a description of both would give two operations one name.
        ways = (("GET HEAD", False), ("GET", True)) if method == "GET" else ((method, True),)
        for methods, is_described in ways:
            router.add_api_route(
                path, function, methods=methods.split(), include_in_schema=is_described, responses=dict(described),
                operation_id=function.__name__, summary=summary, response_description="What was asked for.",
                route_class_override=None if is_marked else APIRoute, **more,
            )  # fmt: skip
        return function

    return declared


class Marked(APIRoute):
    """A route whose answers depend on the library alone: they carry an ETag, and are not sent to whoever has them."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Mark the answer with the state that the library had before it was read; make none where the mark is known."""
        answer = super().get_route_handler()

        async def marked(request: Request) -> Response:
            shelf: Shelf = request.app.state.shelf
            mark = mark_of(await run_in_threadpool(shelf.pool.state), str(request.url))
            # Whoever has the mark of this address was answered before, and the library is as it was then.
            is_known = request.method in {"GET", "HEAD"} and mark in request.headers.get("if-none-match", "")
            response = Response(status_code=304) if is_known else await answer(request)
            response.headers["ETag"] = mark
            return response

        return marked


def mark_of(state: tuple[int, ...], address: str) -> str:
    """Return the mark of an address in a state of the library; it means nothing elsewhere, nor after a restart."""
    return f'"{hashlib.blake2b(f"{_RUN} {state} {address}".encode(), digest_size=8).hexdigest()}"'
