"""Point 7: a server that others can reach. Whoever has no token changes nothing; other sites' scripts read nothing."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from outcome import Outcome
from server import Server, serving
from wire import ATTACKERS, Reply, Request, form, send

from smallprint.library import Library
from smallprint.library.dump import digest

TOKEN = "a-token-for-the-attack-0123456789"  # noqa: S105 - set here, for a server that lives for a minute
EVERYWHERE = "0.0.0.0"  # noqa: S104 - as a server that others can reach; only loopback is asked
MARKER = "zanzibarquestion"
WRITES: tuple[tuple[str, dict[str, str]], ...] = (
    ("/keep", {"address": "https://shop.example/privacy"}),
    ("/read", {"given": "https://shop.example/privacy"}),
    ("/feedback", {"verdict": "wrong", "question": MARKER, "state": "told", "line": "x", "places": "[]"}),
)
CREDENTIALS: tuple[tuple[tuple[str, str], ...], ...] = (
    (),
    (("Authorization", "Bearer wrong-token-0123456789"),),
    (("Authorization", f"Basic {TOKEN}"),),
    (("Authorization", "Bearer "),),
    (("Cookie", f"token={TOKEN}; session={TOKEN}"),),
    (("X-Forwarded-For", "127.0.0.1"),),
)
CROSS_SITE = (
    (("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")),
    (("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors"), ("Origin", "https://evil.example")),
    (("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "cors"), ("Origin", "http://127.0.0.1:9")),
    (("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")),
)
READS = (
    "/search?q=cookies",
    "/api/v1/search?q=cookies",
    "/ask?q=do+you+sell",
    "/api/v1/export?format=csv",
    "/statistics",
)


def attack(server: Server, *, quick: bool) -> Outcome:
    """Write without the right token, read from another site, and look for a question in the log."""
    del quick
    broken: list[str] = []
    before = _digest(server)
    settings = {"SMALLPRINT_SERVE_TOKEN": TOKEN, "SMALLPRINT_SERVE_FETCH": "yes"}
    with serving(server.library, "--host", EVERYWHERE, **settings) as other:
        tries = list(_writes())
        for number, request in enumerate(tries):
            reply = send(other.port, _from(request, number))
            if not _refused(reply):
                broken.append(f"{request.method} {request.path} without the token got {reply.status}")
        reads = [Request(path, headers=headers) for path, headers in product(READS, CROSS_SITE)]
        for number, request in enumerate(reads):
            reply = send(other.port, _from(request, number))
            if not _refused(reply):
                broken.append(f"{request.path} from another site got {reply.status}")
        navigation = (("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"))
        if send(other.port, Request("/search?q=cookies", headers=navigation, source="127.0.0.1")).status != 200:
            broken.append("a link on another site does not lead here")
        send(other.port, Request(f"/ask?q={MARKER}"))
        send(other.port, Request(f"/api/v1/ask?policy=none&question={MARKER}"))
        log = other.errors.read_text(encoding="utf-8")
    if MARKER in log:
        broken.append("a question stands in the log")
    if _digest(server) != before:
        broken.append("the library was changed")
    return Outcome(len(tries) + len(reads) + 3, tuple(broken))


def _writes() -> Iterable[Request]:
    for (path, fields), headers in product(WRITES, CREDENTIALS):
        yield form(path, fields, headers)
    for path, fields in WRITES:
        yield form(f"{path}?token={TOKEN}", fields)


def _refused(reply: Reply) -> bool:
    """Tell whether a reply gave nothing: an error, or the way to the sign-in page."""
    return reply.status >= 400 or (reply.status == 303 and "sign-in" in reply.header("location"))


def _from(request: Request, number: int) -> Request:
    return Request(request.path, request.method, request.body, request.headers, ATTACKERS[number % len(ATTACKERS)])


def _digest(server: Server) -> str:
    with Library(server.library) as library:
        return digest(library)
