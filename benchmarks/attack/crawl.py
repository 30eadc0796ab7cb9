"""Point 3 again: a home page made to stop a crawl, among innocent sites whose policies must all arrive."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from outcome import Outcome
from server import Server, smallprint

PROSE = "We collect your name and share it with our partners. You can ask us to delete your data at any time. "
HOSTILE = "127.0.2.1"


class _Site(BaseHTTPRequestHandler):
    """A site with a home page and a policy; the hostile one's home page is dear to read."""

    def do_GET(self) -> None:
        host = str(self.server.server_address[0])
        if self.path == "/robots.txt":
            self.send_error(404)
            return
        page = _policy(host) if self.path == "/privacy" else _home(host)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


def attack(server: Server, *, quick: bool) -> Outcome:
    """Crawl innocent sites beside a hostile one."""
    innocent = [f"127.0.1.{number}" for number in range(1, 6 if quick else 21)]
    library = server.library.with_name("crawled.db")
    with _sites([HOSTILE, *innocent]) as homes:
        ran = smallprint(
            "crawl", *homes, "--home", "--allow-private", "--library", str(library), "--quality", "none",
            SMALLPRINT_CRAWL_DELAY="0.1", SMALLPRINT_CRAWL_TIMEOUT="5",
        )  # fmt: skip
    status = smallprint("status", "--library", str(library), "--json")
    if ran.returncode or status.returncode:
        return Outcome(len(innocent), (ran.stderr or status.stderr,))
    told = json.loads(status.stdout)
    captures = told["captures"]
    missing = len(innocent) - captures
    return Outcome(len(innocent), ("an innocent page was not kept",) * max(0, missing))


def _home(host: str) -> bytes:
    link = '<a href="/privacy">Privacy policy</a>'
    if host != HOSTILE:
        return f"<html><body><p>Welcome.</p>{link}</body></html>".encode()
    attributes = " ".join(f"a{number}=1" for number in range(123_000))
    links = "".join(f'<div><a href="/{number}">privacy {number}' for number in range(60_000))
    return f"<html><body><p {attributes}></p>{links}</body></html>".encode()


def _policy(host: str) -> bytes:
    prose = f"{PROSE * 20} This is the policy of {host}."
    return f"<html><title>Privacy Policy</title><body><h1>Privacy Policy</h1><p>{prose}</p></body></html>".encode()


@contextmanager
def _sites(hosts: list[str]) -> Iterator[list[str]]:
    """Serve each host on its own address of loopback."""
    servers = [ThreadingHTTPServer((host, 0), _Site) for host in hosts]
    for site in servers:
        threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield [f"http://{site.server_address[0]}:{site.server_address[1]}/" for site in servers]
    finally:
        for site in servers:
            site.shutdown()
            site.server_close()
