"""Who may write: whoever reaches the server on loopback, and elsewhere who has its token.

Programs send the token as `Authorization: Bearer TOKEN`. Browsers get a cookie for it at /sign-in, which says until
when it holds and is signed with the token, so that the server keeps no list of who is signed in.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
import time
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request

from smallprint.errors import NotSignedIn, TokenInAddress, TooManyTries
from smallprint.limits import MAX_TOKEN_TRIES, SESSION_SECONDS
from smallprint.server.middleware.rates import Buckets, client_of
from smallprint.settings import Settings

COOKIE = "smallprint_session"
# What proxies add: such a request comes from elsewhere, whatever address it has here.
FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
HOW = "sign in at /sign-in, or send the token in the header 'Authorization: Bearer TOKEN'"
_SESSION = re.compile(r"([0-9]{1,12})\.([0-9a-f]{64})")


class Gate:
    """Decides whether a request may write."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.time) -> None:
        self.needs_token = bool(settings.serve_token) or not is_loopback(settings.serve_host)
        # Where others can reach the server and no token is set, nobody knows this one.
        self._token = settings.serve_token or secrets.token_urlsafe()
        self._clock = clock
        self._tries = Buckets(MAX_TOKEN_TRIES)

    def check(self, request: Request) -> None:
        """Raise where a request may not write, with a line that says why and what to do."""
        if "token" in request.query_params:
            raise TokenInAddress(
                "send the token as a header, not in the address: browsers and proxies keep addresses. The header is "
                "'Authorization: Bearer TOKEN'"
            )
        if not self.needs_token:
            if any(name in request.headers for name in FORWARDED):
                raise NotSignedIn("this came through a proxy, and no token is set; set serve_token to allow changes")
            return
        if header := request.headers.get("authorization"):
            scheme, _, token = header.partition(" ")
            if scheme.lower() != "bearer" or not token.strip():
                raise NotSignedIn("the header is 'Authorization: Bearer TOKEN'")
            self.check_token(request, token.strip())
        elif session := request.cookies.get(COOKIE):
            self._check_session(request, session)
        else:
            raise NotSignedIn(f"adding a policy, giving feedback and fetching need this server's token; {HOW}")

    def allows(self, request: Request) -> bool:
        """Return whether a request may write, for pages that show a button only where it works."""
        try:
            self.check(request)
        except (NotSignedIn, TokenInAddress, TooManyTries):
            return False
        return True

    def check_token(self, request: Request, token: str) -> None:
        """Raise where a token is not the right one, or too many were tried."""
        if not self._guess(request, hmac.compare_digest(token.encode(), self._token.encode())):
            raise NotSignedIn(
                "this is not the right token; it was printed when the server started, or chosen by those who run it"
            )

    def session(self) -> str:
        """Return a new session: until when it holds, and a signature."""
        until = str(int(self._clock()) + SESSION_SECONDS)
        return f"{until}.{self._signature(until)}"

    def _check_session(self, request: Request, session: str) -> None:
        parts = _SESSION.fullmatch(session)
        until, signature = parts.groups() if parts else ("0", "")
        if not self._guess(request, hmac.compare_digest(signature, self._signature(until))):
            raise NotSignedIn("you are no longer signed in; sign in again at /sign-in")
        if int(until) < self._clock():
            hours = SESSION_SECONDS // 3600
            raise NotSignedIn(f"your {hours} hours are over; sign in again at /sign-in")

    def _signature(self, until: str) -> str:
        return hmac.new(self._token.encode(), f"session until {until}".encode(), hashlib.sha256).hexdigest()

    def _guess(self, request: Request, is_right: bool) -> bool:
        """Count a wrong guess; whoever made too many is not told whether this one is right."""
        client = client_of(request.scope)
        if self._tries.wait(client):
            raise TooManyTries("too many wrong tokens; wait a minute and try again")
        if not is_right:
            self._tries.take(client)
        return is_right


async def _check(request: Request) -> None:
    gate: Gate = request.app.state.gate
    gate.check(request)


# An endpoint with this parameter answers only who may write.
WriterHere = Annotated[None, Depends(_check)]


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
