"""The server where descriptors are scarce, and what it writes of errors that nobody catches."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from smallprint.limits import MAX_BACKLOG, MAX_CONNECTIONS
from smallprint.server import http_server as server
from smallprint.server.http_server import RESERVED, Listener, connection_limit, quieten


@contextmanager
def no_descriptors():
    """Let this process open nothing more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(name.name) for name in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest, hard))
    taken = []
    try:
        with suppress(OSError):
            while True:
                taken.append(os.dup(0))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in taken:
            os.close(descriptor)


@pytest.fixture
def listener():
    with Listener(socket.AF_INET) as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        bound.setblocking(False)
        yield bound


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts descriptors as Linux lists them")
def test_without_descriptors_connections_are_closed_one_by_one(listener):
    clients = [socket.socket() for _ in range(3)]
    for client in clients:
        client.settimeout(60)
        client.connect(listener.getsockname())
    with no_descriptors():
        for client in clients:
            with pytest.raises(BlockingIOError):
                listener.accept()
            assert client.recv(1) == b""
    for client in clients:
        client.close()
    with socket.create_connection(listener.getsockname()) as client:
        accepted, address = listener.accept()
        with accepted:
            assert address == client.getsockname()


def test_other_errors_of_accepting_are_raised(listener):
    with pytest.raises(BlockingIOError):
        listener.accept()
    listener.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        listener.accept()


@pytest.mark.parametrize(
    ("descriptors", "connections"),
    [
        (20_000, MAX_CONNECTIONS),
        (MAX_CONNECTIONS + MAX_BACKLOG + RESERVED, MAX_CONNECTIONS),
        (MAX_CONNECTIONS + MAX_BACKLOG + RESERVED - 1, MAX_CONNECTIONS - 1),
        (1_024, 512),
        (64, 16),
    ],
)
def test_connections_leave_descriptors_for_everything_else(descriptors, connections):
    assert connection_limit(descriptors) == connections


def test_the_limit_on_descriptors_is_raised_as_far_as_it_may_be(monkeypatch):
    limits = [256, 1_000]
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(limits))
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: limits.__setitem__(slice(None), wanted))
    assert (server.raise_descriptor_limit(), limits) == (1_000, [1_000, 1_000])
    limits[:] = [256, resource.RLIM_INFINITY]
    wanted = MAX_CONNECTIONS + MAX_BACKLOG + RESERVED
    assert (server.raise_descriptor_limit(), limits) == (wanted, [wanted, resource.RLIM_INFINITY])


def test_errors_that_nobody_catches_are_noted_without_their_words(capsys, caplog, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    quieten()

    def fail():
        raise ValueError("what somebody asked")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(server._on_loop_error)
    loop.call_soon(fail)
    loop.call_exception_handler({"message": "accepting", "exception": OSError(errno.EMFILE, "no descriptor")})
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()
    assert [record.getMessage().partition(" at ")[0] for record in caplog.records] == ["smallprint: ValueError"] * 2
    assert "asked" not in caplog.text + "".join(capsys.readouterr())
