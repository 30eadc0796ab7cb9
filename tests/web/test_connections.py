"""Connections over real sockets: how long a client may take in each phase, and how many there may be at once."""

from __future__ import annotations

import asyncio
import socket
import threading

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from smallprint.limits import BODY_SECONDS, HEAD_SECONDS, UNREAD_BYTES, UNREAD_SECONDS
from smallprint.server.http_server import Connections, Listener, server_of

WAIT = 60  # seconds that a busy machine may take; none of them are asserted
HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "
WHOLE = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
BODY = b"POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
STREAM = b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGE = b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
HELD = b"GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Site:
    """A server in a thread, whose clock stands still unless it is moved."""

    def __init__(self, most=100):
        self.now = 1000.0
        self.connections = Connections(most, clock=lambda: self.now)
        self.streams_ended = 0
        self.release = threading.Event()
        self.clients = []
        self.listener = Listener(socket.AF_INET)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen()
        routes = [
            Route("/", lambda _: PlainTextResponse("page")),
            Route("/body", self._body, methods=["POST"]),
            Route("/stream", lambda _: StreamingResponse(self._pieces())),
            Route("/large", lambda _: PlainTextResponse("x" * 30_000_000)),
            Route("/refused", lambda _: PlainTextResponse("too much", 413), methods=["POST"]),
            Route("/held", lambda _: PlainTextResponse(str(self.release.wait(WAIT)))),
        ]
        self.server = server_of(Starlette(routes=routes), self.connections)
        self.thread = threading.Thread(target=lambda: asyncio.run(self._run()))

    async def _run(self):
        self.loop = asyncio.get_running_loop()
        await self.server.serve(sockets=[self.listener])

    async def _body(self, request):
        return PlainTextResponse(str(len(await request.body())))

    async def _pieces(self):
        try:
            while True:
                yield b"x" * 64_000
                await asyncio.sleep(0)
        finally:
            self.streams_ended += 1

    def __enter__(self):
        self.thread.start()
        self.until(lambda: self.server.started)
        return self

    def __exit__(self, *_):
        self.release.set()
        for client in self.clients:
            client.close()
        self.server.should_exit = True
        self.thread.join()

    def until(self, holds):
        """Wait for something that the server's thread brings about."""
        while not holds():
            assert self.thread.is_alive()
            self.thread.join(0.002)

    def phases(self):
        return [connection.phase for connection in list(self.connections._open)]

    def connect(self):
        self.clients.append(socket.create_connection(self.listener.getsockname(), timeout=WAIT))
        return self.clients[-1]

    def client(self, data, phase="head"):
        """Connect, send, and wait until the server's newest connection is in a phase."""
        before = len(self.connections)
        client = self.connect()
        client.sendall(data)
        self.until(lambda: len(self.connections) > before and self.phases()[-1] == phase)
        return client

    def sweep(self, seconds=0.0):
        """Let time pass, and have the server look for what is overdue."""
        self.now += seconds
        asyncio.run_coroutine_threadsafe(self.connections.sweep(), self.loop).result(WAIT)


def is_closed(client):
    """Tell whether the server has ended a connection, reading whatever it sent before."""
    try:
        while client.recv(1_000_000):
            pass
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return True


@pytest.fixture
def site():
    with Site() as running:
        yield running


@pytest.mark.parametrize(
    ("data", "phase", "seconds"),
    [
        (b"", "head", HEAD_SECONDS),
        (HALF, "head", HEAD_SECONDS),
        (BODY, "body", BODY_SECONDS),
        (BODY + b"x" * 500, "body", BODY_SECONDS),
        (STREAM, "unread", UNREAD_SECONDS),
        (LARGE, "unread", UNREAD_SECONDS),
    ],
    ids=["nothing", "half a head", "no body", "half a body", "an unread export", "an unread page"],
)
def test_a_client_that_does_not_get_on_is_let_go(site, data, phase, seconds):
    client = site.client(data, phase)
    site.sweep()
    site.sweep(seconds)
    assert site.phases() == [phase]
    site.sweep(0.1)
    site.until(lambda: len(site.connections) == 0)
    assert is_closed(client)


def test_dripping_does_not_help(site):
    heads, bodies = site.client(HALF), site.client(BODY, "body")
    for _ in range(5):
        site.sweep(BODY_SECONDS / 5)
        for client in (heads, bodies):
            try:
                client.send(b"x")
            except OSError:
                continue
    site.sweep(BODY_SECONDS / 5)
    site.sweep(0.1)
    site.until(lambda: len(site.connections) == 0)


def test_a_body_that_was_refused_has_no_more_time_for_that(site):
    client = site.client(BODY.replace(b"/body", b"/refused"), "body")
    assert client.recv(1000).startswith(b"HTTP/1.1 413")
    site.sweep()
    site.sweep(BODY_SECONDS + 0.1)
    assert is_closed(client)


def test_an_export_that_nobody_reads_is_ended_and_its_place_is_free(site):
    clients = [site.client(STREAM, "unread") for _ in range(8)]
    site.sweep()
    site.sweep(UNREAD_SECONDS + 0.1)
    site.until(lambda: site.streams_ended == 8)
    assert all(map(is_closed, clients))


@pytest.mark.parametrize("data", [STREAM, LARGE])
def test_who_reads_slowly_may_go_on(site, data):
    client = site.client(data, "unread")
    site.sweep()
    connection = next(iter(site.connections._open))
    for _ in range(4):
        site.until(lambda: connection.flow.write_paused)  # else the client may keep pace with the server for ever
        resumed, buffered = connection._resumed, connection.transport.get_write_buffer_size()
        while connection._resumed == resumed and buffered - connection.transport.get_write_buffer_size() < UNREAD_BYTES:
            assert client.recv(65_536)
        site.sweep(UNREAD_SECONDS - 0.1)
    assert len(site.connections) == 1


def test_a_second_request_has_a_deadline_of_its_own(site):
    client = site.client(b"")
    site.sweep()
    site.sweep(HEAD_SECONDS - 1)
    client.sendall(WHOLE)
    assert client.recv(100).startswith(b"HTTP/1.1 200")
    client.sendall(HALF)
    site.sweep(2)
    assert len(site.connections) == 1
    site.sweep(HEAD_SECONDS + 0.1)
    assert is_closed(client)


def test_requests_may_come_one_after_the_other_without_waiting(site):
    client = site.client(WHOLE + WHOLE)
    answers = b""
    while answers.count(b"page") < 2:
        answers += client.recv(10_000)
    assert answers.count(b"HTTP/1.1 200 OK") == 2
    assert b"server:" not in answers.lower()


def test_beyond_the_limit_the_oldest_without_a_whole_request_is_closed():
    with Site(most=3) as site:
        held = site.client(HELD, "answer")
        first, second = site.client(HALF), site.client(BODY, "body")
        third = site.connect()
        assert is_closed(first)
        third.sendall(WHOLE)
        assert third.recv(1000).startswith(b"HTTP/1.1 200")
        site.connect()
        assert is_closed(second)
        assert len(site.connections) == 3
        site.release.set()
        assert held.recv(1000).startswith(b"HTTP/1.1 200")


def test_where_all_are_being_answered_the_new_one_is_closed():
    with Site(most=2) as site:
        held = [site.client(HELD, "answer") for _ in range(2)]
        assert is_closed(site.connect())
        site.release.set()
        assert all(client.recv(1000).startswith(b"HTTP/1.1 200") for client in held)
