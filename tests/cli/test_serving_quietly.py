"""Nothing that somebody asks for stands in anything a server writes, whatever goes wrong with the request."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import pytest

MARKER = "zanzibarquestion"
# The server with three ways more to fail: in a request, in a thread and in a task, with the question in the message.
MAIN = """
import asyncio, threading
from smallprint.api import router

def fail(q):
    raise ValueError(q)

@router.get("/failing")
def failing(q: str):
    fail(q)

@router.get("/failing-thread")
def failing_thread(q: str):
    thread = threading.Thread(target=fail, args=(q,), name=q)
    thread.start()
    thread.join()
    return {}

@router.get("/failing-task")
async def failing_task(q: str):
    asyncio.get_running_loop().call_soon(fail, q)

    async def later():
        fail(q)

    asyncio.ensure_future(later())
    await asyncio.sleep(0.01)
    return {}

from smallprint.cli.app import main
main()
"""


@pytest.fixture
def server(copy_sample, tmp_path):
    """Serve a copy of the sample with everything it writes in one file; give its address, process and file."""
    path, written = copy_sample(tmp_path), tmp_path / "written"
    command = [sys.executable, "-c", MAIN, "serve", "--port", "0", "--json", "-l", str(path)]
    with written.open("wb") as output:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=output)
        yield json.loads(process.stdout.readline())["address"], process, written
        process.kill()
        process.communicate()


def ask(address, path, data=None, **headers):
    request = urllib.request.Request(address + path, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code


def send(address, data):
    """Send bytes as they are, and leave without waiting for an answer to what is not even a request."""
    host, _, port = address.removeprefix("http://").rstrip("/").partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(data)


def form(**fields):
    return urllib.parse.urlencode(fields).encode()


def test_no_question_is_written_down(server):
    address, process, written = server
    text = f"We share your {MARKER} with our partners. " * 40
    codes = [
        ask(address, f"search?q={MARKER}"),
        ask(address, f"api/v1/search?q={MARKER}"),
        ask(address, f"ask?q=does+tidemarkbank.example+sell+my+{MARKER}"),
        ask(address, "ask", form(said=f"and my {MARKER}?")),
        ask(address, "api/v1/chat", json.dumps({"said": MARKER}).encode(), **{"Content-Type": "application/json"}),
        ask(address, "read", form(given=text)),
        ask(address, f"api/v1/search?{MARKER}={MARKER}"),
        ask(address, f"policy/{MARKER}"),
        ask(address, f"api/v1/ask?policy={MARKER}&question={MARKER}"),
        ask(address, "feedback", form(verdict=MARKER, question=MARKER)),
        ask(address, f"{MARKER}/{'x' * 9000}"),
        ask(address, f"api/v1/failing?q={MARKER}"),
        ask(address, f"api/v1/failing-thread?q={MARKER}"),
        ask(address, f"api/v1/failing-task?q={MARKER}"),
        ask(address, f"search?q={MARKER}", Host=f"{MARKER}.example"),
        ask(address, f"search?q={MARKER}", Authorization=f"Bearer {MARKER}", Cookie=f"smallprint_session={MARKER}"),
    ]
    assert codes == [200, 200, 200, 200, 200, 200, 400, 404, 404, 400, 414, 500, 200, 200, 421, 200]
    for data in (
        f"GET /search?q={MARKER} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),  # and leave at once
        f"GET /search?q={MARKER} HTTP/9.9\r\n\r\n".encode(),
        f"GET /{MARKER}\xff HTTP/1.1\r\nHost localhost\r\n\r\n".encode("latin-1"),
        f"{MARKER}\r\n\r\n".encode(),
        f"POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\ngiven={MARKER}".encode(),
        f"GET / HTTP/1.1\r\nHost: localhost\r\nX-{MARKER}: {'x' * 100_000}".encode(),
        f"GET /api/v1/export?q={MARKER} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\r\n".encode(),
    ):
        send(address, data)
    assert ask(address, "about") == 200
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    lines = written.read_text(encoding="utf-8").splitlines()
    assert MARKER not in rest.decode() + "\n".join(lines)
    # What failed is told by its kind and place: the request, the thread, the callback and the task.
    assert [line.partition(" at ")[0] for line in lines if line] == ["smallprint: ValueError"] * 4 + ["Stopped."]
