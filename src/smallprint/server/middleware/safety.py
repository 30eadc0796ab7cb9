"""What every request passes and every answer carries: strict headers, known names only, our own forms only, sizes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from smallprint.server.failures import API, answer

# No script or style but ours from files: whatever a policy smuggles into a page cannot run.
CONTENT_POLICY = "; ".join((
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",  # htmx fetches parts of pages
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
))  # fmt: skip
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}
# Pages show what somebody looked for: no cache keeps them, unless the page itself says otherwise.
CACHE = "no-store"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
# Headers of ours that scripts of other sites could not see otherwise.
TOLD = ("Content-Disposition", "ETag", "Retry-After", "Smallprint-Export-Id")


class SafeHeaders:
    """ASGI middleware: every answer, of whatever kind, carries the headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers as the answer begins."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", CACHE)
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


class Origins:
    """ASGI middleware: lets the scripts of sites that serve_cors names read what is under /api/; pages never."""

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


class Guard:
    """ASGI middleware that answers some requests with a refusal, and passes all others on."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        refusal = self.refusal(scope) if scope["type"] == "http" else None
        await (self.app if refusal is None else refusal)(scope, receive, send)

    def refusal(self, scope: Scope) -> Response | None:
        """Return what a request is refused with; None where it is not."""
        raise NotImplementedError


class KnownHosts(Guard):
    """Answers only to names it knows.

    A site whose name is made to point to this machine (DNS rebinding) could else read the pages as its own. Paths in
    `any_name` tell nothing to who is not entitled to it, whatever the name.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str], any_name: Collection[str] = ()) -> None:
        super().__init__(app)
        self.names = {name_of(name) for name in names}
        self.any_name = frozenset(any_name)

    def refusal(self, scope: Scope) -> Response | None:
        """Compare the Host header, without its port."""
        if "*" in self.names or scope["path"] in self.any_name:
            return None
        hosts = Headers(scope=scope).getlist("host")
        return None if len(hosts) == 1 and name_of(hosts[0]) in self.names else answer(scope, 421)


class OwnPages(Guard):
    """Lets browsers ask only from our own pages; other sites may link here, and nothing else.

    Browsers say where a request comes from (Sec-Fetch-Site, or Origin with forms); programs that are no browser say
    nothing. `origins` are the sites whose scripts may read the API.
    """

    def __init__(self, app: ASGIApp, origins: Collection[str] = ()) -> None:
        super().__init__(app)
        self.origins = frozenset(origins)

    def refusal(self, scope: Scope) -> Response | None:
        """Refuse what another site has the browser ask for."""
        return None if self._is_allowed(scope, Headers(scope=scope)) else answer(scope, 403)

    def _is_allowed(self, scope: Scope, headers: Headers) -> bool:
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        is_safe = scope["method"] in SAFE_METHODS
        if site is None:  # an old browser, or none
            return is_safe or origin is None or origin.partition("://")[2] == headers.get("host")
        if site in {"same-origin", "none"}:  # "same-site" may be another program on localhost
            return True
        is_link = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        is_named = scope["path"].startswith(API) and origin is not None and not self.origins.isdisjoint({origin, "*"})
        return is_safe and (is_link or is_named)


class Sizes(Guard):
    """Refuses long addresses and large bodies; it reads the body, so that no page sees half of one."""

    def __init__(self, app: ASGIApp, body_bytes: int, query_bytes: int) -> None:
        super().__init__(app)
        self.body_bytes = body_bytes
        self.query_bytes = query_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Measure before anything is read, then while it is read."""
        is_read = scope["type"] == "http" and self.refusal(scope) is None and _has_body(Headers(scope=scope))
        body = await _read(receive, self.body_bytes) if is_read else b""
        if body is None:
            await answer(scope, 413)(scope, receive, send)
        else:
            await super().__call__(scope, _again(body, receive) if is_read else receive, send)

    def refusal(self, scope: Scope) -> Response | None:
        """Measure what a request says of itself."""
        if max(len(scope["query_string"]), len(scope.get("raw_path") or b"")) > self.query_bytes:
            return answer(scope, 414)
        claimed = Headers(scope=scope).get("content-length", "0")
        return None if claimed.isdecimal() and int(claimed[:20]) <= self.body_bytes else answer(scope, 413)


def name_of(host: str) -> str:
    """Return the name in a Host header: small letters, without port, brackets or a last dot."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name = host.rpartition(":")[0] if host.count(":") == 1 else host
    return name.removesuffix(".")


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


async def _read(receive: Receive, limit: int) -> bytes | None:
    """Read a body, or return None as soon as it is too large."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            return None
        more = message.get("more_body", False)
    return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Return the body once more, then what comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
