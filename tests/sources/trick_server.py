"""A web server on loopback that plays every trick, and a network on which all made-up hosts are that server.

The guard is on in these tests: names ending in .example resolve to a public address, and the wire, which stands where
the operating system's sockets would, takes a connection to that address to the server. A connection to anywhere else
is an error, and is noted.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import socketserver
import ssl
import struct
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpcore2

from smallprint.records import FrontierItem, Rejection
from smallprint.settings import Settings
from smallprint.sources.crawler import crawl_pages
from smallprint.sources.fetcher import Fetched
from smallprint.sources.guard import Network

PUBLIC = "93.184.215.14"
NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # reading the system's takes longer than most tests

# Small enough to test quickly, large enough to tell them from nothing.
QUICK = Settings(
    crawl_delay=0.01,
    crawl_hosts=8,
    crawl_timeout=2.0,
    crawl_page_seconds=4.0,
    crawl_redirects=4,
    crawl_retries=2,
    crawl_max_wait=2.0,
    max_page_bytes=200_000,
)


@dataclass(slots=True)
class Visit:
    """One request as the server saw it."""

    host: str
    path: str
    headers: dict[str, str]
    started: float
    ended: float = 0.0

    @property
    def address(self) -> str:
        return self.host + self.path


@dataclass(slots=True)
class Exchange:
    """What a trick is handed: the request, how often it came before, and the raw connection."""

    visit: Visit
    times: int
    connection: socket.socket
    open: bool = True

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def reply(self, status: int = 200, body: bytes | str = b"", **headers: str) -> None:
        """Send a whole response; keyword `content_type` gives the header Content-Type, and so on."""
        content = body.encode() if isinstance(body, str) else body
        named = {name.replace("_", "-").title(): value for name, value in headers.items()}
        named.setdefault("Content-Type", "text/html; charset=utf-8")
        named.setdefault("Content-Length", str(len(content)))
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
        self.send(f"HTTP/1.1 {status} Whatever\r\n{head}\r\n".encode() + content)

    def head(self, *lines: str) -> None:
        """Begin a response whose end is the end of the connection."""
        self.open = False
        self.send("\r\n".join(["HTTP/1.1 200 OK", "Connection: close", *lines, "", ""]).encode())

    def reset(self) -> None:
        """Break the connection the hard way."""
        self.open = False
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


Trick = Callable[[Exchange], None]


class _Handler(socketserver.BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            while self._one_request():
                pass

    def _one_request(self) -> bool:
        head = b""
        while b"\r\n\r\n" not in head:
            data = self.request.recv(65_536)
            if not data:
                return False
            head += data
        request, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
        visit = Visit(headers["host"].partition(":")[0], request.split()[1], headers, time.monotonic())
        tricks = self.server.tricks
        with tricks.lock:
            times = tricks.counts[visit.address]
            tricks.counts[visit.address] += 1
            tricks.log.append(visit)
        exchange = Exchange(visit, times, self.request)
        try:
            tricks.routes.get(visit.address, _not_found)(exchange)
        finally:
            visit.ended = time.monotonic()
        return exchange.open


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, tricks: TrickServer) -> None:
        self.tricks = tricks
        super().__init__(("127.0.0.1", 0), _Handler)


@dataclass
class TrickServer:
    """Every host there is. Use it as a context manager; `routes` maps "host/path" to a trick."""

    routes: dict[str, Trick] = field(default_factory=dict)
    log: list[Visit] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> TrickServer:
        self._server = _Server(self)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def page(self, address: str, body: bytes | str = "<p>We keep your data.</p>", **headers: str) -> None:
        """Put up an ordinary page."""
        self.routes[address] = lambda exchange: exchange.reply(200, body, **headers)

    def redirect(self, address: str, location: str, status: int = 302) -> None:
        """Put up a redirect."""
        self.routes[address] = lambda exchange: exchange.reply(status, location=location)

    def robots(self, host: str, *lines: str) -> None:
        """Put up a robots.txt."""
        self.page(f"{host}/robots.txt", "\n".join(lines) + "\n", content_type="text/plain")

    def visits(self, address: str) -> list[Visit]:
        """List the requests for one address."""
        return [visit for visit in self.log if visit.address == address]


def _not_found(exchange: Exchange) -> None:
    exchange.reply(404, "<h1>Nothing here</h1>")


@dataclass
class Wire(httpcore2.AsyncNetworkBackend):
    """Takes connections to the public address to the server, notes every attempt, and refuses all others."""

    port: int
    attempts: list[str] = field(default_factory=list)

    async def connect_tcp(self, host, _port, timeout=None, *_):
        self.attempts.append(host)
        if host != PUBLIC:
            raise AssertionError(f"a connection to {host} was tried")
        return await httpcore2.AnyIOBackend().connect_tcp("127.0.0.1", self.port, timeout)


@dataclass
class Names:
    """The name service: .example is public, what is set in `answers` is as set, and numbers are what the system says.

    Of several answers for one name each is given once, in turn, and the last for good.
    """

    answers: dict[str, list[list[str]]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked[host] += 1
        if host in self.answers:
            answers = self.answers[host]
            return answers[min(self.asked[host], len(answers)) - 1]
        if host.endswith(".example"):
            return [PUBLIC]
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        return [str(sockaddr[0]) for *_, sockaddr in found]


def network_of(server: TrickServer, **answers: list[list[str]]) -> Network:
    """Give a network of made-up hosts; keyword rebind=[["1.2.3.4"], ["10.0.0.1"]] is for rebind.example."""
    names = Names({f"{name}.example": given for name, given in answers.items()})
    return Network(resolve=names, wire=Wire(server.port), tls=NO_AUTHORITIES)


def certificate(folder: Path, *names: str) -> tuple[Path, Path]:
    """Make a certificate for some hosts that signs itself; give its file and that of its key."""
    certificate_file, key_file = folder / "certificate.pem", folder / "key.pem"
    names_in_it = "subjectAltName=" + ",".join(f"DNS:{name}" for name in names)
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", str(key_file)]
    about = ["-days", "2", "-subj", f"/CN={names[0]}", "-addext", names_in_it, "-out", str(certificate_file)]
    subprocess.run(["openssl", "req", "-x509", *key, *about], check=True, capture_output=True)
    return certificate_file, key_file


@dataclass
class TlsServer(TrickServer):
    """The same over TLS; `asked_for` lists the names that clients gave in the handshake."""

    files: tuple[Path, Path] = (Path(), Path())
    asked_for: list[str | None] = field(default_factory=list)

    def __enter__(self) -> TlsServer:
        super().__enter__()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.files)
        context.sni_callback = lambda _, name, __: self.asked_for.append(name)
        accept = self._server.get_request

        def get_request() -> tuple[socket.socket, object]:
            connection, address = accept()
            try:
                return context.wrap_socket(connection, server_side=True), address
            except OSError:
                connection.close()
                raise

        self._server.get_request = get_request
        return self


class MemoryFrontier:
    """A frontier that lives as long as the test."""

    def __init__(self, *items: str | FrontierItem) -> None:
        self.items: dict[str, FrontierItem] = {}
        self.outcomes: dict[str, str] = {}
        self.not_before: dict[str, float] = {}
        self.numbers = itertools.count(1)
        self.asked = 0
        self.add(FrontierItem(item) if isinstance(item, str) else item for item in items)

    def add(self, items: Iterable[FrontierItem]) -> int:
        new = {item.url: item for item in items if item.url not in self.items}
        self.items |= {url: replace(item, number=next(self.numbers)) for url, item in new.items()}
        return len(new)

    def due(self, limit: int, *, after: int = 0) -> list[FrontierItem]:
        self.asked += 1
        found = [item for url, item in self.items.items() if item.number > after and self._is_due(url)]
        return found[:limit]

    def _is_due(self, url: str) -> bool:
        return url not in self.outcomes and self.not_before.get(url, 0) <= time.time()

    def done(self, url: str, outcome: str, *, etag: str | None = None, last_modified: str | None = None) -> None:
        self.outcomes[url] = outcome
        self.items[url] = replace(self.items[url], etag=etag, last_modified=last_modified)

    def retry(self, url: str, not_before: float) -> None:
        self.not_before[url] = not_before
        self.items[url] = replace(self.items[url], attempts=self.items[url].attempts + 1)

    def note(self, fetched: Fetched) -> None:
        """Do what a consumer does in the transaction that stores the page."""
        self.add(fetched.links)
        if fetched.retry_at is None:
            self.done(fetched.item.url, fetched.outcome, etag=fetched.etag, last_modified=fetched.last_modified)
        else:
            self.retry(fetched.item.url, fetched.retry_at)


def crawled(
    server: TrickServer, *items: str | FrontierItem, settings: Settings = QUICK, network: Network | None = None
) -> dict[str, Fetched]:
    """Crawl to the end, and give what came of each address."""
    network = network or network_of(server)
    frontier = MemoryFrontier(*items)
    came: dict[str, Fetched] = {}
    for fetched in crawl_pages(frontier.due, settings, network=network):
        if fetched is None:
            continue
        assert fetched.item.url not in came
        came[fetched.item.url] = fetched
        frontier.note(fetched)
    assert set(network.wire.attempts) <= {PUBLIC}
    return came


def fetched_one(
    server: TrickServer, url: str | FrontierItem, settings: Settings = QUICK, **answers: list[list[str]]
) -> Fetched:
    """Crawl one address."""
    (came,) = crawled(server, url, settings=settings, network=network_of(server, **answers)).values()
    return came


def detail(fetched: Fetched) -> str:
    """Give the reason of a rejection, which must be one line."""
    assert isinstance(fetched.result, Rejection), fetched
    assert fetched.result.detail
    assert "\n" not in fetched.result.detail
    assert len(fetched.result.detail) < 500
    return fetched.result.detail
