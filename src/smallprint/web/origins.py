"""Which other sites' scripts may read the API: none, unless the setting serve_cors names them."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from smallprint.web.failures import API

# Headers of ours that scripts elsewhere could not see otherwise.
TOLD = ("Content-Disposition", "ETag", "Retry-After", "Smallprint-Export-Id")


class Origins:
    """ASGI middleware: lets the scripts of these sites read what is under /api/, and pages never."""

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        self.app = app
        self.readable = CORSMiddleware(
            app,
            allow_origins=origins,
            allow_methods=("GET", "HEAD"),
            allow_headers=("If-None-Match",),
            expose_headers=TOLD,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell browsers who may read the answer."""
        is_api = scope["type"] == "http" and scope["path"].startswith(API)
        await (self.readable if is_api else self.app)(scope, receive, send)
