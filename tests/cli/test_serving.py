"""The server as a process of its own: what it says, and how it ends."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import pytest

from smallprint.cli.serve import address_of, listening
from smallprint.settings import Settings

MAIN = "from smallprint.cli.app import main; main()"


@pytest.fixture
def start(sample_library):
    """Give a function that starts the server on any free port; what still runs at the end is stopped."""
    running = []

    def started(*arguments, **more):
        command = [sys.executable, "-c", MAIN, "serve", "--port", "0", "-l", str(sample_library.path), *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        running.append(process)
        return process

    yield started
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_it_says_where_it_is_answers_quietly_and_ends_on_ctrl_c_with_one_line(start, sample_library):
    process = start()
    said = process.stdout.readline()
    assert said.startswith(f"Serving {sample_library.path} at http://127.0.0.1:")
    assert said.endswith("/ (Ctrl-C to stop)\n")
    address = said.split()[3]
    with urllib.request.urlopen(address + "?q=my+secret", timeout=30) as answer:
        assert (answer.status, "server" in answer.headers) == (200, False)
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.strip()) == (0, "", "Stopped.")


def test_for_machines_it_says_where_it_is_in_json(start, sample_library):
    process = start("--json")
    found = json.loads(process.stdout.readline())
    assert found["library"] == str(sample_library.path)
    with urllib.request.urlopen(found["address"] + "about", timeout=30) as answer:
        assert answer.status == 200


def test_a_port_in_use_is_one_line_that_says_what_to_do(run, sample_library):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("serve", "--port", str(port), "-l", sample_library.path)
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        f"smallprint: port {port} on 127.0.0.1 is in use, perhaps by another 'smallprint serve'; stop that, or choose "
        f"another port with --port {port + 1 if port < 65535 else 0}\n"
    )


@pytest.mark.parametrize("host", ["203.0.113.9", "no such host", "name.example"])
def test_an_address_that_is_not_ours_is_one_line(run, sample_library, host):
    done = run("serve", "--host", host, "--port", "0", "-l", sample_library.path)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"smallprint: {host!r} is not an address of this machine; choose another with --host\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may use every port")
def test_a_port_that_one_may_not_use_is_one_line(run, sample_library):
    done = run("serve", "--port", "1", "-l", sample_library.path)
    assert done.err == "smallprint: you may not use port 1; choose one above 1023 with --port\n"


def test_a_library_that_cannot_be_used_is_told_before_anything_is_served(run):
    done = run("serve", "-l", "none.db")
    assert (done.code, done.out) == (1, "")
    assert done.err == "smallprint: there is no library at none.db; make one with 'smallprint ingest' or 'make run'\n"


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:80/"), ("::1", "http://[::1]:80/"), ("0.0.0.0", "http://127.0.0.1:80/"),
        ("::", "http://[::1]:80/"), ("a.example", "http://a.example:80/"),
    ],
)  # fmt: skip
def test_how_an_address_is_written(host, address):
    assert address_of(host, 80) == address


def test_only_this_machine_reaches_it_unless_told_otherwise():
    with listening(Settings().serve_host, 0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_answers_do_not_wait_for_nagle():
    with listening("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
    with listening("::1", 0) as listener:
        assert (listener.proto, listener.family) == (socket.IPPROTO_TCP, socket.AF_INET6)


def post(address, headers=None, **fields):
    """Send a form as a program does, and return the status and the answer."""
    request = urllib.request.Request(address, data=urllib.parse.urlencode(fields).encode(), headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


def test_whoever_opens_it_to_others_is_told_so_and_gets_a_token(start):
    process = start("--host", "0.0.0.0")
    first = process.stdout.readline()
    assert " at http://127.0.0.1:" in first
    assert process.stderr.readline() == "Everybody who can reach this machine can read, search and ask.\n"
    line, _, token = process.stderr.readline().strip().rpartition(": ")
    address = first.split()[3]
    assert (line, len(token)) == (f"To keep policies, give feedback or fetch, sign in at {address}sign-in", 32)
    refused = post(address + "feedback", verdict="right", question="Do you?")
    assert (refused[0], "Sign in first" in refused[1]) == (401, True)
    status, text = post(address + "feedback", {"Authorization": f"Bearer {token}"}, verdict="none")
    assert (status, "An answer is right, wrong, missing" in text) == (400, True)


def test_machines_find_a_token_that_was_made_in_the_first_line(start, monkeypatch):
    assert len(json.loads(start("--host", "0.0.0.0", "--json").stdout.readline())["token"]) == 32
    assert "token" not in json.loads(start("--json").stdout.readline())
    monkeypatch.setenv("SMALLPRINT_SERVE_TOKEN", "a token of my own, not shown".replace(" ", "-"))
    assert "token" not in json.loads(start("--host", "0.0.0.0", "--json").stdout.readline())


def test_a_voice_without_a_skill_is_one_line_that_says_what_to_set(run, sample_library):
    done = run("serve", "--alexa", "--port", "0", "-l", sample_library.path)
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "smallprint: no Alexa skill is named; set alexa_skill_id (SMALLPRINT_ALEXA_SKILL_ID) to the id in the Alexa "
        "developer console\n"
    )


def test_a_voice_answers_beside_the_pages_and_refuses_what_is_not_signed(start, monkeypatch):
    monkeypatch.setenv("SMALLPRINT_ALEXA_SKILL_ID", "amzn1.ask.skill.1")
    address = json.loads(start("--alexa", "--json").stdout.readline())["address"]
    request = urllib.request.Request(address + "alexa", data=b"{}", headers={"Host": "voice.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)
    with refused.value as answer:
        assert (answer.status, json.load(answer)["detail"]) == (400, "the request is not signed")
    with pytest.raises(urllib.error.HTTPError, match="421"):
        urllib.request.urlopen(urllib.request.Request(address, headers={"Host": "voice.example"}), timeout=30)


def test_without_being_asked_for_there_is_no_voice(start):
    address = json.loads(start("--json").stdout.readline())["address"]
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(address + "alexa", data=b"{}", timeout=30)


def test_unfinished_requests_beyond_all_descriptors_keep_nobody_out_and_are_not_written_about(start):
    process = start("--json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (400, 400)))
    address = json.loads(process.stdout.readline())["address"]
    host, _, port = address.removeprefix("http://").rstrip("/").partition(":")
    held = [socket.create_connection((host, int(port)), timeout=60) for _ in range(600)]
    for connection in held:
        connection.sendall(b"GET /about HTTP/1.1\r\nHost: localhost\r\nX-")
    for _ in range(5):
        with urllib.request.urlopen(address + "about", timeout=60) as answer:
            assert answer.status == 200
    for connection in held:
        connection.close()
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1].strip() == "Stopped."
