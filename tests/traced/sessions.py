"""The commands that somebody has to talk with, traced while they are talked with: serve, mcp, chat, and a voice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import anyio
import httpx2

from mcp import Client, StdioServerParameters, stdio_client

from .places import Place, Row, row
from .strace import read_events, traced
from .surfaces import OTHER, OVER_LIBRARY, POLICY, QUESTION, SURFACES, Request

# The models load in the first question, under the tracer, perhaps on a busy machine.
PATIENCE = 300
# Telemetry begins to look names up 9 to 10 seconds after onnxruntime is imported.
LINGER = 14.0


def program(*arguments: str) -> list[str]:
    """Return the command line of Smallprint's own command."""
    return [sys.executable, "-m", "smallprint", *arguments]


def serve_rows(place: Place) -> list[Row]:
    """Trace the server while every surface is used; the first row is all that it did, from its start to its end."""
    log = place.logs / "serve"
    with served(place, log) as address:
        marks = talk_to_server(address)
        time.sleep(LINGER)
    events = read_events(log)
    surfaces = [
        row(f"serve: {name}", [event for event in events if start <= event.time < end], place)
        for name, (start, end) in zip(SURFACES, pairwise(marks), strict=True)
    ]
    return [row("serve", events, place), *surfaces]


@contextmanager
def served(place: Place, log: Path | None = None) -> Iterator[str]:
    """Run the server, under the tracer where there is a log; yields its address."""
    command = program("serve", "--port", "0", "--json")
    limits = {"SMALLPRINT_SERVE_RATE": "0", "SMALLPRINT_SERVE_SECONDS": "0"}  # the machine may be busy
    with _started(traced(command, log) if log else command, place, **limits) as server:
        assert server.stdout
        yield json.loads(server.stdout.readline())["address"]
        os.killpg(server.pid, signal.SIGINT)
        server.communicate(timeout=PATIENCE)


def talk_to_server(address: str) -> list[float]:
    """Use every surface of a server; return the times at which each began, and at which the last ended."""
    marks: list[float] = []
    ids = {"export_id": "", "paste_id": ""}  # as the server gives them
    with httpx2.Client(base_url=address, timeout=PATIENCE, trust_env=False) as client:
        client.get("/")  # what the server does at its start belongs to no surface
        for requests in SURFACES.values():
            marks.append(time.time())
            for request in requests:
                answer = _answer(client, request, ids)
                assert answer.status_code == request.status, (request, answer.status_code, answer.text[:2000])
                ids["export_id"] = answer.headers.get("Smallprint-Export-Id", ids["export_id"])
                if answer.headers.get("Location", "").startswith("/read/"):
                    ids["paste_id"] = answer.headers["Location"].removeprefix("/read/")
    return [*marks, time.time()]


def _answer(client: httpx2.Client, request: Request, ids: Mapping[str, str]) -> httpx2.Response:
    path = request.path.format(**ids)
    return client.request(request.method, path, params=request.query, data=request.form, json=request.body)


def mcp_rows(place: Place) -> list[Row]:
    """Trace the tools for a language model, used through the official client."""
    log = place.logs / "mcp"
    command, *arguments = traced(program("mcp"), log)
    server = StdioServerParameters(command=command, args=arguments, env=place.environment())

    async def talk() -> None:
        async with Client(stdio_client(server)) as client:
            await client.list_tools()
            for name, given in (
                ("search", {"query": "location"}),
                ("read", {"policy": POLICY}),
                ("ask", {"policy": POLICY, "question": QUESTION}),
                ("ask", {"question": OVER_LIBRARY}),
                ("compare", {"policies": [POLICY, OTHER]}),
            ):
                result = await client.call_tool(name, given)
                assert not result.is_error, result
            await anyio.sleep(LINGER)

    anyio.run(talk)
    return [row("mcp", read_events(log), place)]


def chat_rows(place: Place) -> list[Row]:
    """Trace a conversation in the terminal."""
    log = place.logs / "chat"
    with _started(traced(program("chat", POLICY, "--json"), log), place) as chat:
        assert chat.stdin
        assert chat.stdout
        for words in (QUESTION, "and my location?", OVER_LIBRARY):
            chat.stdin.write(f"{words}\n")
            chat.stdin.flush()
            assert json.loads(chat.stdout.readline())
        time.sleep(LINGER)
        chat.communicate(timeout=PATIENCE)
    return [row("chat", read_events(log), place)]


def voice_rows(place: Place) -> list[Row]:
    """Trace the endpoint that Alexa calls."""
    return _module_rows("serve --alexa", "voice_session", [str(place.library), str(LINGER)], place)


def training_rows(place: Place) -> list[Row]:
    """Trace what torch and onnxruntime do in training; nothing where torch is not installed."""
    name, arguments = "train: a toy network, exported", [str(LINGER)]
    return _module_rows(name, "training_session", arguments, place) if find_spec("torch") else []


def _module_rows(name: str, module: str, arguments: Sequence[str], place: Place) -> list[Row]:
    log = place.logs / module
    command = [sys.executable, "-m", f"{__package__}.{module}", *arguments]
    with _started(traced(command, log), place) as process:
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, output
    return [row(name, read_events(log), place)]


@contextmanager
def _started(command: Sequence[str], place: Place, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Start a program in a session of its own, so that it can be interrupted with its tracer left alone."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(
        command, text=True, env=place.environment(**environment), start_new_session=True, **pipes
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
